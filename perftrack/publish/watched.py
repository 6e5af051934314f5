"""The lines of the history in which a change stands out, as core.changes appraises them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from perftrack.core.changes.appraisal import WatchedLane, surviving
from perftrack.core.changes.lanes import LaneTrend
from perftrack.core.changes.watch import WatchedChange
from perftrack.core.history import Point
from perftrack.core.pointtable import Positions
from perftrack.publish.changes import Found
from perftrack.publish.gather import History
from perftrack.publish.lines import SeriesLine
from perftrack.publish.points import SeriesPoints


def watched_lanes(
    history: History, lines: Sequence[SeriesLine], found: Sequence[Found], order: Sequence[str], threshold: float
) -> tuple[WatchedLane, ...]:
    """The lines with changes that survive Benjamini-Hochberg over all lines that were tested.

    `order`: SHAs along which changes were looked for; `threshold`: of series that declare none. Lines without a
    change, which are most, are not made into objects.
    """
    positions = history.positions(order)
    kept = surviving(found, [len(line.at) for line in lines])
    return tuple(
        _lane(history, line, own, positions, threshold) for line, own in zip(lines, kept, strict=True) if own
    )


def _lane(
    history: History,
    line: SeriesLine,
    found: tuple[WatchedChange, ...],
    positions: NDArray[np.int64],
    threshold: float,
) -> WatchedLane:
    series = history.series[line.series]
    points = LinePoints(history, history.points(line.series), line.at)
    trend = LaneTrend(points[0].line, points, tuple(positions[points.commits()].tolist()))
    limit = threshold if series.threshold is None else series.threshold
    return WatchedLane(series, trend, limit, found, line.epochs)


class LinePoints(Sequence[Point]):
    """The points of a line, each made when it is first asked for: of hundreds, a change needs two, many times."""

    def __init__(self, history: History, columns: SeriesPoints, at: NDArray[np.intp]) -> None:
        self._history, self._columns, self._at = history, columns, at
        self._made: dict[int, Point] = {}

    def __len__(self) -> int:
        return len(self._at)

    @overload
    def __getitem__(self, index: int) -> Point: ...

    @overload
    def __getitem__(self, index: slice) -> LinePoints: ...

    def __getitem__(self, index: int | slice) -> Point | LinePoints:
        if isinstance(index, slice):
            return LinePoints(self._history, self._columns, self._at[index])
        at = int(self._at[index])
        if at not in self._made:
            self._made[at] = self._point(at)
        return self._made[at]

    def _point(self, at: int) -> Point:
        columns = self._columns
        facet, run = columns.facet_at(at), self._history.runs[int(columns.run[at])]
        return Point(
            run_id=run.id,
            sha=run.sha,
            started_at=run.started_at,
            dirty=run.dirty,
            status=facet.status,
            value=columns.value_at(at),
            interval=columns.interval_at(at),
            tier=facet.tier,
            lane=facet.lane,
            reasons=facet.reasons,
            limitations=facet.limitations,
            code_hash=facet.code_hash,
        )

    def commits(self) -> Positions:
        """Positions of their commits in the history."""
        return self._columns.commit[self._at]
