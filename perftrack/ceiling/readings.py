"""Bursts as rates: what one burst says of its shape. Standard library only."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from statistics import fmean, median

from perftrack.ceiling.protocols import Burst
from perftrack.core.ceiling import Shape
from perftrack.errors import MeasurementError


@dataclass(frozen=True, slots=True)
class Iteration:
    """One product: flop/s, and the clock and power of its own window."""

    rate: float
    clock_mhz: float | None
    power_w: float | None


@dataclass(frozen=True, slots=True)
class Reading:
    """One burst. `rate`: flop/s over its summed time; `peak`: of its fastest iteration; clock and power: means."""

    shape: Shape
    rate: float
    peak: float
    clock_mhz: float | None
    power_w: float | None
    temperature_c: float | None
    event_reasons: int | None = None


def read(burst: Burst) -> Reading:
    """Raises MeasurementError where the seconds cannot be what a product took."""
    check(burst)
    clocks, powers = known(burst.clock_mhz), known(burst.power_w)
    return Reading(
        shape=burst.shape,
        rate=burst.shape.flops / fmean(burst.seconds),
        peak=burst.shape.flops / min(burst.seconds),
        clock_mhz=fmean(clocks) if clocks else None,
        power_w=fmean(powers) if powers else None,
        temperature_c=burst.temperature_c,
        event_reasons=burst.event_reasons,
    )


def check(burst: Burst) -> None:
    """Refuse bursts that are no measurement: no iterations, or seconds that are not positive and finite."""
    if not burst.seconds:
        raise MeasurementError(f"{burst.shape}: the burst has no iterations")
    # A sum is finite only where all its parts are; the smallest of what has a NaN may be anything.
    if not (math.isfinite(sum(burst.seconds)) and min(burst.seconds) > 0):
        wrong = next(s for s in burst.seconds if not (math.isfinite(s) and s > 0))
        raise MeasurementError(f"{burst.shape}: the timer read {wrong!r} s for a product")


def iterations(burst: Burst) -> tuple[Iteration, ...]:
    """(n,) with None where clock or power was not read."""
    flops, none = burst.shape.flops, (None,) * len(burst.seconds)
    rows = zip(burst.seconds, burst.clock_mhz or none, burst.power_w or none, strict=True)
    return tuple(Iteration(flops / s, clock, power) for s, clock, power in rows)


def highest_clock(bursts: Iterable[Burst]) -> float | None:
    """The highest clock that any iteration ran at; None where none was read."""
    return max((c for b in bursts for c in known(b.clock_mhz)), default=None)


def known(values: Sequence[float | None]) -> list[float]:
    finite = math.isfinite
    return [v for v in values if v is not None and finite(v)]


def middle(values: Iterable[float | None]) -> float | None:
    """Median of what was read; None where nothing was."""
    read_values = known(tuple(values))
    return median(read_values) if read_values else None


def spread(values: Sequence[float]) -> float:
    """(largest - smallest) / median; 0 for a single value."""
    return (max(values) - min(values)) / median(values)


def any_reason(values: Iterable[int | None]) -> int | None:
    """All clock event reasons seen; None where none could be read."""
    seen = [v for v in values if v is not None]
    return reduce(or_, seen) if seen else None
