"""The lines that changes are looked for in: of each series, lane and benchmark's own code one value a commit.

What counts is what core.changes.lanes says; this does it for columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perftrack.core.ceilingcase import definition_of
from perftrack.core.model import MeasurementTier, Status, Timer
from perftrack.core.pointtable import Floats
from perftrack.publish.gather import History, HistorySource
from perftrack.publish.points import Flags, SeriesPoints, distinct


@dataclass(frozen=True, slots=True)
class SeriesLine:
    """`at`: positions of the points (n,) in their series, by commit. `exact` as core.changes.watch has it."""

    series: int
    lane: str
    at: NDArray[np.intp]
    values: Floats
    trusted: Flags
    epochs: tuple[int, ...]
    exact: bool | None


class Lines:
    """Finds the lines of series; made once a history."""

    def __init__(self, history: History, source: HistorySource) -> None:
        self._history = history
        self._epochs = source.epochs()
        facets = history.facets.all
        codes: dict[tuple[str, str], int] = {}
        lines = [codes.setdefault((f.lane, f.code_hash), len(codes)) if f.lane else -1 for f in facets]
        counts = [f.status is Status.OK for f in facets]
        self._keys = tuple(codes)
        self._line = np.where(counts, lines, -1).astype(np.int64) if facets else np.zeros(0, dtype=np.int64)
        self._trusted = np.array([f.tier is not MeasurementTier.C for f in facets], dtype=np.bool_)
        self._on_line = np.zeros(len(history.commits), dtype=np.bool_)
        self._on_line[[history.commit_index[sha] for sha in source.line() if sha in history.commit_index]] = True

    def of(self, series: int) -> Iterator[SeriesLine]:
        """By lane in the order of lanes' first use; none of a ceiling, which is no commit's doing."""
        if definition_of(self._history.series[series].case) is not None:
            return
        points = self._history.points(series)
        line = np.where(
            points.clean & self._on_line[points.commit] & np.isfinite(points.value), self._line[points.facet], -1
        )
        for code in distinct(line[line >= 0]):
            at = self._one_a_commit(points, np.flatnonzero(line == code))
            lane = self._keys[code][0]
            yield SeriesLine(
                series=series,
                lane=lane,
                at=at,
                values=points.value[at],
                trusted=self._trusted[points.facet[at]],
                epochs=self._starts(points, at),
                exact=self._exact(series, points, at, lane),
            )

    def _starts(self, points: SeriesPoints, at: NDArray[np.intp]) -> tuple[int, ...]:
        if self._epochs is None:
            return ()
        return tuple(self._epochs(points.head, [self._history.commits[c].sha for c in points.commit[at].tolist()]))

    def _one_a_commit(self, points: SeriesPoints, at: NDArray[np.intp]) -> NDArray[np.intp]:
        """The newest of each commit that is not of tier C, else the newest; `at` is by commit and recording."""
        commit = points.commit[at]
        if (np.diff(commit) > 0).all():
            return at
        order = np.lexsort((np.arange(len(at)), self._trusted[points.facet[at]], commit))
        last = np.append(np.flatnonzero(np.diff(commit[order])), len(order) - 1)
        chosen: NDArray[np.intp] = at[order[last]]
        return chosen

    def _exact(self, series: int, points: SeriesPoints, at: NDArray[np.intp], lane: str) -> bool | None:
        slot = self._history.lane_index.get(lane)
        if slot is None or self._history.lanes[slot].lane.protocol.timer is not Timer.VALUE or not len(at):
            return None
        table = self._history.table
        several = table.processes[table.span(series)][at] > 1
        return True if (several & (points.lo[at] == points.hi[at])).all() else None


def all_lines(history: History, source: HistorySource) -> Sequence[SeriesLine]:
    lines = Lines(history, source)
    return [line for at in range(len(history.series)) for line in lines.of(at)]
