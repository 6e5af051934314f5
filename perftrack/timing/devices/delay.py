"""Work that keeps a device busy for a chosen time, so that the host can queue what is to be timed behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

# The first spins wake the device, whose clock may rise five-fold but not at once. Then rounds until two agree.
_WAKE_S = 0.05
_MAX_ROUNDS = 24
_AGREEMENT = 0.05
_ROUND_S = 0.005
_MIN_UNITS_PER_S = 1.0
# What vendors state for the step of event timers.
FALLBACK_RESOLUTION_S = 0.5e-6
_LARGEST_RESOLUTION_S = 10e-6
_RESOLUTION_PAIRS, _FLOOR_PAIRS = 96, 9


class Delay:
    """Occupies the current stream. `spin(n)` queues n units of idle work; `units_per_s` is its speed."""

    def __init__(self, spin: Callable[[int], None], units_per_s: float, start: Any, end: Any) -> None:
        self.units_per_s = units_per_s
        self._spin = spin
        self._timed = start, end, 0

    @classmethod
    def calibrate(
        cls,
        spin: Callable[[int], None],
        event: Callable[[], Any],
        synchronize: Callable[[], None],
        first_units: int,
    ) -> Delay:
        """Measure how long a unit takes, starting from `first_units`, once the device's clock has risen."""
        start, end = event(), event()
        units, speed, spun = first_units, 0.0, 0.0
        for _ in range(_MAX_ROUNDS):
            synchronize()
            start.record()
            spin(units)
            end.record()
            synchronize()
            elapsed = start.elapsed_time(end) * 1e-3
            spun += elapsed
            before, speed = speed, units / elapsed if elapsed > 0 else 0.0
            if before and spun >= _WAKE_S and abs(speed - before) <= _AGREEMENT * speed:
                break
            units = max(1, int(speed * _ROUND_S)) if speed else units * 8
        return cls(spin, max(speed, _MIN_UNITS_PER_S), start, end)

    def queue(self, seconds: float) -> None:
        """Queue about `seconds` of idle work on the current stream."""
        self._spin(self._units(seconds))

    def queue_timed(self, seconds: float) -> None:
        """Queue it with its own events, so that `learn` can tell how long it took."""
        start, end, _ = self._timed
        units = self._units(seconds)
        start.record()
        self._spin(units)
        end.record()
        self._timed = start, end, units

    def learn(self) -> None:
        """Once the device has been waited for: take the speed of the last timed delay, as clocks move."""
        start, end, units = self._timed
        elapsed = start.elapsed_time(end) * 1e-3
        if elapsed > 0:
            self.units_per_s = max(units / elapsed, _MIN_UNITS_PER_S)

    def _units(self, seconds: float) -> int:
        return max(1, int(seconds * self.units_per_s))


@dataclass(frozen=True, slots=True)
class TimerSteps:
    """`resolution_s`: smallest step of the event timer. `floor_s`: what a pair with nothing between reads."""

    resolution_s: float
    floor_s: float


def measure_timer(event: Callable[[], Any], delay: Delay, synchronize: Callable[[], None]) -> TimerSteps:
    """Resolution as the smallest nonzero difference between pairs around delays of slightly different length.

    Everything is queued behind a longer delay, so that no pair reads the host's launching.
    FALLBACK_RESOLUTION_S where the readings do not differ.
    """
    pairs = [(event(), event()) for _ in range(_RESOLUTION_PAIRS)]
    empty = [(event(), event()) for _ in range(_FLOOR_PAIRS)]
    for _ in range(2):  # the first round makes the events
        synchronize()
        delay.queue(_ROUND_S)
        for i, (start, end) in enumerate(pairs):
            start.record()
            delay.queue(2e-6 + i * 0.011e-6)
            end.record()
        for start, end in empty:
            start.record()
            end.record()
    synchronize()
    readings = sorted({round(start.elapsed_time(end) * 1e-3, 10) for start, end in pairs})
    smallest = min((b - a for a, b in pairwise(readings) if b - a >= 1e-9), default=FALLBACK_RESOLUTION_S)
    floor_s = median(start.elapsed_time(end) for start, end in empty) * 1e-3
    return TimerSteps(min(smallest, _LARGEST_RESOLUTION_S), floor_s)
