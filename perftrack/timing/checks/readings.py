"""What the readings of a card cost here, measured."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter_ns

from perftrack.core.checkup import Finding, ok, unknown, warn
from perftrack.timing.checks.scene import Scene
from perftrack.timing.gauge import Counters, Gauge

TIMES = 5
# The two that are read while the host waits for a window to end; slower ones delay the end of that wait.
WHILE_WAITING = ("clock", "reasons")
SLOW_S = 1e-3


def telemetry_cost(scene: Scene) -> Finding | None:
    """Time of each reading: two while the host waits for a window to end, the rest before and after it."""
    if scene.gauge is None:
        return None
    costs, missing = measured_costs(scene.gauge)
    waiting = sum(costs.get(name, 0.0) for name in WHILE_WAITING)
    numbers = {f"{name}_us": round(1e6 * spent, 3) for name, spent in costs.items()}
    seen = ", ".join(f"{name} {_micro(spent)}" for name, spent in costs.items())
    if missing:
        seen = f"{seen}; not readable: {', '.join(missing)}" if seen else f"not readable: {', '.join(missing)}"
    if any(name in missing for name in WHILE_WAITING):
        return unknown(seen, "Without clock and reasons, results stay below tier A.", **numbers)
    if waiting > SLOW_S:
        advice = "Clock and reasons are read while the device works. A newer driver may answer faster."
        return warn(seen, advice, **numbers)
    if "counters" in missing:
        advice = "Without throttle counters a thread samples the clock while windows run, every 10 ms."
        return warn(seen, advice, **numbers)
    return ok(seen, **numbers)


def measured_costs(gauge: Gauge, times: int = TIMES) -> tuple[dict[str, float], tuple[str, ...]]:
    """Median seconds of each reading, and the names of those that gave nothing."""
    reads: dict[str, Callable[[], object]] = {
        "clock": gauge.clock_mhz,
        "reasons": gauge.event_reasons,
        "power": gauge.power_w,
        "temperature": gauge.temperature_c,
        "counters": gauge.counters,
        "energy": gauge.energy_j,
        "processes": gauge.processes,
    }
    costs: dict[str, float] = {}
    missing = []
    for name, read in reads.items():
        value = read()  # the first call of each may load something
        if value is None or (isinstance(value, Counters) and not value.readable):
            missing.append(name)
            continue
        costs[name] = median(_seconds(read) for _ in range(times))
    return costs, tuple(missing)


def _seconds(read: Callable[[], object]) -> float:
    started = perf_counter_ns()
    read()
    return (perf_counter_ns() - started) * 1e-9


def _micro(seconds: float) -> str:
    return f"{1e6 * seconds:.1f} µs" if seconds < 1e-3 else f"{1e3 * seconds:.1f} ms"
