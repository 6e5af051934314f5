"""Readings of clock and power, projected onto the windows of iterations. Pure; standard library only."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True, slots=True)
class ClockReading:
    """What was read at host time `at`, in seconds. None where the reading failed."""

    at: float
    clock_mhz: float | None = None
    power_w: float | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """An iteration in host time, seconds."""

    start: float
    end: float


def spans(offsets_s: Sequence[tuple[float, float]], total_s: float, host_end: float) -> tuple[Span, ...]:
    """Iterations in host time. `offsets_s`: (n, 2) start and end of each since a first event.

    `total_s`: from that event to the last one, which the host saw finished at `host_end`. The host notices a few
    microseconds late; the sampler's step is a hundred times that.
    """
    zero = host_end - total_s
    return tuple(Span(zero + start, zero + end) for start, end in offsets_s)


def project(
    readings: Sequence[ClockReading], windows: Sequence[Span]
) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """Lowest clock and mean power inside each window, in MHz and W; of the nearest reading where none is inside.

    The lowest, because what is claimed of an iteration is that its clock was at least this high. `readings` are in
    the order of time. Both empty where nothing at all was read.
    """
    clocks = [(r.at, r.clock_mhz) for r in readings if r.clock_mhz is not None]
    powers = [(r.at, r.power_w) for r in readings if r.power_w is not None]
    lowest = _inside(clocks, windows)
    mean = _inside(powers, windows)
    return (
        tuple(min(values, default=None) for values in lowest) if clocks else (),
        tuple(fmean(values) if values else None for values in mean) if powers else (),
    )


def _inside(readings: Sequence[tuple[float, float]], windows: Sequence[Span]) -> list[list[float]]:
    times = [at for at, _ in readings]
    found = []
    for window in windows:
        first, last = bisect_left(times, window.start), bisect_right(times, window.end)
        chosen = readings[first:last] or _nearest(readings, first, 0.5 * (window.start + window.end))
        found.append([value for _, value in chosen])
    return found


def _nearest(readings: Sequence[tuple[float, float]], at: int, moment: float) -> Sequence[tuple[float, float]]:
    """The one reading closest to `moment`, which lies between the readings at-1 and at."""
    beside = readings[max(at - 1, 0) : at + 1]
    return [min(beside, key=lambda r: abs(r[0] - moment))] if beside else []
