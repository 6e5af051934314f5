"""Is this machine fit to measure? The registry of checks, and running them where measuring would happen.

Standard library only: it runs in the worker, in the Python of the project under test. Nothing is written to
any device; opening one runs what opening it for a measurement runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from perftrack.core.checkup import Checkup, Finding, unknown
from perftrack.core.company import CardUse
from perftrack.timing.checks import card, clocks, host, process, profiler, quota, readings
from perftrack.timing.checks.scene import ACCELERATORS, Scene, opened

Look = Callable[[Scene], Finding | None]
_MEASURING = frozenset({"cpu", *ACCELERATORS})
_EVERY = _MEASURING | {"replay"}
_CPU = frozenset({"cpu"})
_CUDA = frozenset({"cuda"})
_GPU = frozenset(ACCELERATORS)


@dataclass(frozen=True, slots=True)
class Check:
    """One row of the registry. `look` gives None where there is nothing of its kind to look at."""

    name: str
    area: str
    kinds: frozenset[str]
    look: Look


CHECKS = (
    Check("interpreter", "worker", _EVERY, process.interpreter),
    Check("torch", "worker", _MEASURING, process.torch),
    Check("device", "device", _EVERY, process.device),
    Check("backend", "device", _GPU, process.backend),
    Check("timer", "device", _MEASURING, process.timer),
    Check("cards", "card", _CUDA, card.cards),
    Check("card", "card", _GPU, card.identity),
    Check("exclusivity", "card", _GPU, card.exclusivity),
    Check("heat", "card", _GPU, card.heat),
    Check("ecc", "card", _CUDA, card.ecc),
    Check("mig", "card", _CUDA, card.mig),
    Check("telemetry-cost", "card", _GPU, readings.telemetry_cost),
    Check("pending-restore", "clocks", _EVERY, clocks.left_behind),
    Check("clock-control", "clocks", _CUDA, clocks.clock_control),
    Check("clock-lock", "clocks", _GPU, clocks.clock_lock),
    Check("clock-events", "clocks", _GPU, card.events),
    Check("persistence", "clocks", _CUDA, clocks.persistence),
    Check("power-limit", "clocks", _CUDA, clocks.power_limit),
    Check("governor", "host", _CPU, host.governor),
    Check("turbo", "host", _CPU, host.turbo),
    Check("smt", "host", _CPU, host.smt),
    Check("load", "host", _MEASURING, host.load),
    Check("cores", "host", _MEASURING, host.cores),
    Check("cpu-quota", "host", _MEASURING, quota.cpu_quota),
    Check("virtualisation", "host", _MEASURING, host.virtualisation),
    Check("gpu-counters", "profiler", _CUDA, profiler.counters),
)


def check_up(kind: str, coordinator: int | None = None, uses: Sequence[CardUse] = ()) -> Checkup:
    """What the checks find for a device kind, or for "auto": the accelerator that torch sees, else the CPU.

    coordinator: the process that this one works for. uses: what cards were used for before it started. Raises
    InvalidValueError for a kind that does not exist.
    """
    with opened(kind, coordinator, uses) as scene:
        return Checkup(scene.kind, sys.executable, findings(scene))


def findings(scene: Scene) -> tuple[Finding, ...]:
    """One finding of each check that applies. A check that fails itself has found nothing out, and says so."""
    found = []
    for check in CHECKS:
        if scene.kind not in check.kinds:
            continue
        try:
            seen = check.look(scene)
        except Exception as error:  # noqa: BLE001 - one broken driver call must not hide what the others see
            what = f"the check failed: {type(error).__name__}: {error}"[:400]
            seen = unknown(what, "This is a bug in perftrack: please report it.")
        if seen is not None:
            found.append(replace(seen, name=check.name, area=check.area))
    return tuple(found)
