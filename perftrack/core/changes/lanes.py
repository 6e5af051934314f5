"""A series as its lines: one value a commit, in one order of commits, of what a trend may join."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perftrack.core.history import Line, Point, Series
from perftrack.core.model import MeasurementTier, Status, Timer


@dataclass(frozen=True, slots=True)
class LaneTrend:
    """`points`: one a commit, every one with a finite value. `positions`: of their commits, ascending."""

    line: Line
    points: Sequence[Point]
    positions: tuple[int, ...]

    @property
    def lane(self) -> str:
        return self.line[0]

    @property
    def values(self) -> tuple[float, ...]:
        return tuple(p.value for p in self.points if p.value is not None)

    @property
    def trusted(self) -> tuple[bool, ...]:
        return tuple(p.tier is not MeasurementTier.C for p in self.points)

    def exact(self, timer: Timer) -> bool | None:
        """True: in every run all processes counted the same, so that each difference is of the commit; else None.

        Of one process that cannot be told.
        """
        counted = timer is Timer.VALUE and bool(self.points)
        agreed = (
            p.processes > 1 and p.interval is not None and p.interval.lo == p.interval.hi for p in self.points
        )
        return True if counted and all(agreed) else None

    @property
    def shas(self) -> tuple[str, ...]:
        return tuple(p.sha for p in self.points)


def lane_trends(series: Series, positions: Mapping[str, int]) -> tuple[LaneTrend, ...]:
    """The lines of a series in order of first appearance; a commit outside of `positions` (by SHA) is left out.

    Of several runs of a commit the newest that is not of tier C counts, else the newest: measuring a doubtful
    commit again replaces its value. Left out are failures, runs of uncommitted changes, and points without an
    environment, which are in no lane.
    """
    found: dict[Line, dict[int, Point]] = {}
    for point in series.points:  # oldest run first
        at = positions.get(point.sha)
        if at is None or not _counts(point):
            continue
        own = found.setdefault(point.line, {})
        before = own.get(at)
        if before is None or point.tier is not MeasurementTier.C or before.tier is MeasurementTier.C:
            own[at] = point
    trends = []
    for line, own in found.items():
        order = sorted(own)
        trends.append(LaneTrend(line, tuple(own[at] for at in order), tuple(order)))
    return tuple(trends)


def _counts(point: Point) -> bool:
    if point.status is not Status.OK or point.dirty or not point.lane:
        return False
    return point.value is not None and math.isfinite(point.value)
