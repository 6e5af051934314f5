"""The maximum sustainable rate: which saturated shapes count, and which of them wins.

A shape counts when it draws about as much power as the hungriest one (else its rate is a boost that a busy
device would not give), does not run far above the saturated clock, and repeats within `max_spread`. The
saturated clock is the lowest among shapes at full power: a clock above it alone proves nothing, since a shape
may hold both full power and a higher clock, so only those that also draw less are still boosting.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from perftrack.ceiling.protocols import Burst, RigFacts
from perftrack.ceiling.readings import Reading, any_reason, check, known, middle, spread
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import Shape


@dataclass(frozen=True, slots=True)
class Repeated:
    """One shape's saturated repeats, in flop/s. Clock, power and temperature: medians over the repeats.

    `peak`: of the fastest iteration in any of them.
    """

    shape: Shape
    rates: tuple[float, ...]
    clock_mhz: float | None = None
    power_w: float | None = None
    temperature_c: float | None = None
    event_reasons: int | None = None
    peak: float | None = None

    @property
    def value(self) -> float:
        """Trimmed median: without the lowest and the highest of five or more, which leaves the median in place."""
        return median(self.rates)

    @property
    def spread(self) -> float:
        return spread(self.rates)


def repeated(readings: Sequence[Reading]) -> Repeated:
    """One shape's bursts, in the order taken."""
    return Repeated(
        shape=readings[0].shape,
        rates=tuple(r.rate for r in readings),
        clock_mhz=middle(r.clock_mhz for r in readings),
        power_w=middle(r.power_w for r in readings),
        temperature_c=middle(r.temperature_c for r in readings),
        event_reasons=any_reason(r.event_reasons for r in readings),
        peak=max(r.peak for r in readings),
    )


@dataclass(frozen=True, slots=True)
class Gates:
    """What a shape must pass. None where there is nothing to judge by, and then nothing is excluded."""

    tuning: Tuning
    full_power_w: float | None
    saturated_clock_mhz: float | None

    def flaw(self, result: Repeated) -> str | None:
        """Why this shape is no headline; None where it may be one."""
        if self.suspect(result):
            return "draws too little power to be saturated"
        if self.boosting(result):
            return f"still boosts above the saturated clock of {self.saturated_clock_mhz:.0f} MHz"
        if self.jittery(result):
            return f"repeats spread by {100 * result.spread:.1f} %"
        return None

    def suspect(self, result: Repeated) -> bool:
        full, power = self.full_power_w, result.power_w
        return full is not None and power is not None and power < self.tuning.suspect_power_ratio * full

    def boosting(self, result: Repeated) -> bool:
        floor, clock = self.saturated_clock_mhz, result.clock_mhz
        if floor is None or clock is None or clock <= floor * self.tuning.saturated_clock_ratio:
            return False
        return not self.saturated(result)

    def saturated(self, result: Repeated) -> bool:
        full, power = self.full_power_w, result.power_w
        return full is not None and power is not None and power >= self.tuning.saturated_power_ratio * full

    def jittery(self, result: Repeated) -> bool:
        return result.spread > self.tuning.max_spread


def gates(results: Sequence[Repeated], tuning: Tuning, facts: RigFacts, soak: Repeated | None = None) -> Gates:
    """Gates from all confirmed shapes and from the soak, which shows what a saturated device draws and clocks.

    Without power readings that separate regimes only jitter excludes. Full power is the highest median seen; not
    above the card's limit, where that is known, since the highest of many noisy readings lies above it.
    """
    seen = (*results, soak) if soak is not None else tuple(results)
    powers = known([r.power_w for r in seen]) if facts.power_separates else []
    if not powers:
        return Gates(tuning, None, None)
    full = min(max(powers), facts.power_limit_w or math.inf)
    without_clock = Gates(tuning, full, None)
    clocks = known([r.clock_mhz for r in seen if without_clock.saturated(r)])
    return Gates(tuning, full, min(clocks, default=None))


@dataclass(frozen=True, slots=True)
class Choice:
    """`ordered`: shapes that may be the headline, best first. `excluded`: faster ones that may not, and why.

    `fallback`: no shape passed every gate, and `ordered` holds the least bad.
    """

    ordered: tuple[Repeated, ...]
    excluded: tuple[tuple[Shape, str], ...]
    fallback: bool


def choose(results: Sequence[Repeated], gate: Gates) -> Choice:
    """Order confirmed shapes. Where none passes, gates are given up one by one: jitter last but for power."""
    pool = [r for r in results if not gate.suspect(r)] or list(results)
    good = [r for r in pool if gate.flaw(r) is None]
    kept = good or [r for r in pool if not gate.jittery(r)] or [r for r in pool if not gate.boosting(r)] or pool
    ordered = sorted(kept, key=lambda r: r.value, reverse=True)
    best = ordered[0].value if ordered else 0.0
    excluded = tuple((r.shape, gate.flaw(r) or "") for r in results if r.value > best)
    return Choice(tuple(ordered), excluded, fallback=not good and bool(ordered))


@dataclass(frozen=True, slots=True)
class SteadyWindow:
    """One long burst. `drop`: how much slower its second half was, as a share; negative where it was faster."""

    shape: Shape
    rate: float
    drop: float
    seconds: float
    clock_mhz: float | None = None
    power_w: float | None = None
    temperature_c: float | None = None
    event_reasons: int | None = None

    def steady(self, tuning: Tuning) -> bool:
        return self.seconds >= tuning.steady_s and self.drop <= tuning.steady_drop


def steady_window(burst: Burst) -> SteadyWindow:
    """Raises MeasurementError where the burst is none."""
    check(burst)
    half = len(burst.seconds) // 2
    first, second = burst.seconds[:half] or burst.seconds, burst.seconds[half:]
    return SteadyWindow(
        shape=burst.shape,
        rate=burst.shape.flops / fmean(burst.seconds),
        drop=1 - fmean(first) / fmean(second),
        seconds=burst.ended_at - burst.started_at,
        clock_mhz=middle(burst.clock_mhz),
        power_w=middle(burst.power_w),
        temperature_c=burst.temperature_c,
        event_reasons=burst.event_reasons,
    )
