"""Runs bursts within the time allowed: how many iterations make so many seconds, and when to stop."""

from __future__ import annotations

import contextlib
import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import fmean, median

from perftrack.ceiling.journal import Journal
from perftrack.ceiling.protocols import Burst, Phase, Progress, Rig, ShapeRefusedError
from perftrack.ceiling.readings import check
from perftrack.core.ceiling import Shape, Skipped
from perftrack.errors import MeasurementError

FIRST_SHAPE = Shape(1024, 1024, 1024)
FIRST_ITERATIONS = 3
LEAST_ITERATIONS = 5
MOST_ITERATIONS = 50_000  # as many events as a queue holds comfortably
# Share of the time budget by which each part is over, whatever the parts before it left.
ENDS_BY = {
    Phase.WARMUP: 0.08,
    Phase.SCOUT: 0.34,
    Phase.REFINE: 0.42,
    Phase.SCREEN: 0.48,
    Phase.TUNE: 0.52,
    Phase.SOAK: 0.57,
    Phase.CONFIRM_SUSTAINED: 0.73,
    Phase.LOCK_SUSTAINED: 0.80,
    Phase.STEADY: 0.86,
    Phase.CONFIRM_BOOST: 0.94,
    Phase.LOCK_BOOST: 0.98,
    Phase.CROSSCHECK: 1.0,
}


class TimeIsUp(Exception):  # noqa: N818 - not an error: how a part of the search ends early
    """The next burst would end after the time that its part of the search has."""


@dataclass(slots=True)
class Bench:
    """A rig with a deadline. `budget_s` None: no limit."""

    rig: Rig
    journal: Journal
    progress: Progress
    budget_s: float | None = None
    started: float = 0.0
    _phase: Phase = Phase.WARMUP
    _until: float = math.inf
    _periods: dict[Shape, float] = field(default_factory=dict)
    _rates: deque[float] = field(default_factory=lambda: deque(maxlen=15))
    _gaps: deque[float] = field(default_factory=lambda: deque(maxlen=15))

    @contextlib.contextmanager
    def part(self, phase: Phase, total: int | None = None, *, share: float | None = None) -> Iterator[None]:
        """A part of the search, which has until `share` (ENDS_BY's) of the budget is used, whoever used it.

        A part that runs out of time ends early and is noted; the next one begins.
        """
        self._phase = phase
        ends_by = ENDS_BY[phase] if share is None else share
        self._until = math.inf if self.budget_s is None else self.started + ends_by * self.budget_s
        self.progress.phase(phase, total)
        try:
            yield
        except TimeIsUp:
            self.journal.cut.append(phase)

    def burst(
        self,
        shape: Shape,
        seconds: float,
        *,
        warmup_s: float = 0.0,
        idle_s: float = 0.0,
        least: int = LEAST_ITERATIONS,
        most: int = MOST_ITERATIONS,
    ) -> Burst | None:
        """About `seconds` of iterations; None for a shape that the device refuses, which is noted.

        Raises TimeIsUp before a burst that would outlast its part, DeviceError for a device that failed.
        """
        if shape in self.journal.skipped:
            return None
        period = self.period(shape)
        iterations = max(1, min(most, max(least, math.ceil(seconds / period))))
        warmup = min(MOST_ITERATIONS, math.ceil(warmup_s / period))
        self.reserve(idle_s + period * (iterations + warmup))
        try:
            burst = self.rig.burst(shape, iterations, warmup=warmup, idle_s=idle_s)
            check(burst)
        except (ShapeRefusedError, MeasurementError) as error:
            self.skip(shape, error.message)
            return None
        self._learn(burst)
        self.journal.saw(burst)
        self.progress.measured(self._phase, burst, shape.flops / fmean(burst.seconds))
        return burst

    def skip(self, shape: Shape, why: str) -> None:
        self.journal.skipped[shape] = Skipped(shape, why)
        self.progress.skipped(shape, why)

    def reserve(self, seconds: float) -> None:
        """Raises TimeIsUp where so long a step would end after its part's time."""
        if self.rig.now() + seconds > self._until:
            raise TimeIsUp

    def period(self, shape: Shape) -> float:
        """Seconds from one iteration to the next: as measured, else from what other shapes took."""
        if shape in self._periods:
            return self._periods[shape]
        if not self._rates:
            self._calibrate()
        if not self._rates:  # not even the first shape ran: the next burst will tell
            return 1.0
        return shape.flops / median(self._rates) + median(self._gaps)

    def _calibrate(self) -> None:
        try:
            burst = self.rig.burst(FIRST_SHAPE, FIRST_ITERATIONS, warmup=1)
            check(burst)
        except (ShapeRefusedError, MeasurementError):
            return
        self._learn(burst)

    def _learn(self, burst: Burst) -> None:
        each = fmean(burst.seconds)
        period = max((burst.ended_at - burst.started_at) / len(burst.seconds), each)
        self._periods[burst.shape] = period
        self._rates.append(burst.shape.flops / each)
        self._gaps.append(period - each)
