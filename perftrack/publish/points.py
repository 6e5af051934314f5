"""One series' points, as slices of the columns that all series share."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from perftrack.core.history import Series
from perftrack.core.model import Interval
from perftrack.core.pointtable import Facet, Floats, Positions

Flags = NDArray[np.bool_]
NO_LANE = -1


@dataclass(frozen=True, slots=True)
class Facets:
    """The facets of a history, and columns of what is asked of them: `lane` is a position, NO_LANE for none."""

    all: tuple[Facet, ...] = ()
    ok: Flags = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    lane: Positions = field(default_factory=lambda: np.zeros(0, dtype=np.int32))


@dataclass(frozen=True, slots=True)
class SeriesPoints:
    """Points (n,) by commit, and by time of recording within one commit.

    `run`, `facet` and `commit` are positions in the history; `lane` is the lane's. `clean`: the run's tree had no
    uncommitted changes. `value`, `lo` and `hi` are NaN where there is none.
    """

    head: Series
    facets: Facets
    run: Positions
    commit: Positions
    facet: Positions
    clean: Flags
    value: Floats
    lo: Floats
    hi: Floats

    def __len__(self) -> int:
        return len(self.run)

    @property
    def ok(self) -> Flags:
        return self.facets.ok[self.facet]

    @property
    def lane(self) -> Positions:
        return self.facets.lane[self.facet]

    def facet_at(self, at: int) -> Facet:
        return self.facets.all[int(self.facet[at])]

    def value_at(self, at: int) -> float | None:
        value = float(self.value[at])
        return value if np.isfinite(value) else None

    def interval_at(self, at: int) -> Interval | None:
        lo, hi = float(self.lo[at]), float(self.hi[at])
        return Interval(lo, hi) if np.isfinite(lo) and np.isfinite(hi) else None

    def current(self) -> NDArray[np.intp]:
        """Points of clean trees where there are any: a dirty run did not measure the commit's own code."""
        return np.flatnonzero(self.clean) if self.clean.any() else np.arange(len(self))

    def main(self) -> Flags:
        """The newest clean point of each commit and lane: what a line goes through."""
        chosen = np.flatnonzero(self.clean)
        key = self.commit[chosen].astype(np.int64) * (len(self.facets.all) + 1) + self.lane[chosen]
        last = len(key) - 1 - np.unique(key[::-1], return_index=True)[1]
        flags = np.zeros(len(self), dtype=np.bool_)
        flags[chosen[last]] = True
        return flags


def distinct(values: NDArray[np.integer]) -> list[int]:
    """The distinct values of a column of positions, ascending. Most columns hold one, which is quickly seen."""
    if not len(values):
        return []
    if (values == values[0]).all():
        return [int(values[0])]
    return np.unique(values).tolist()  # type: ignore[no-any-return]


def superseded_lanes(points: SeriesPoints, chosen: NDArray[np.intp]) -> frozenset[int]:
    """Lanes that ended before another one began: their points are history, not the present."""
    lanes, commits = points.lane[chosen], points.commit[chosen]
    used = distinct(lanes)
    if len(used) < 2:
        return frozenset()
    spans = {lane: commits[lanes == lane] for lane in used}
    first = max((int(own.min()) for own in spans.values()), default=0)
    return frozenset(lane for lane, own in spans.items() if int(own.max()) < first)
