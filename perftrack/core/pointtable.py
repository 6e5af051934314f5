"""The points of every series as columns: what millions of points are read and looked at in.

`core.history.Series` holds a point as an object, which reads well and costs half a kilobyte; a column of a
thousand series costs no more than its numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.history import Point, Series
from perftrack.core.model import Case, MeasurementTier, Reason, Scalar, Status

Floats = NDArray[np.float64]
Positions = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class RunKey:
    """The run that points come from."""

    id: str
    sha: str
    started_at: float
    dirty: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """What many points have in common: everything but their run and their numbers."""

    status: Status
    tier: MeasurementTier
    lane: str
    reasons: tuple[Reason, ...] = ()
    limitations: tuple[Reason, ...] = ()
    code_hash: str = ""


@dataclass(frozen=True, slots=True)
class RunDetail:
    """What a run's page shows beside its results.

    `environments`: each with the ids of its lanes; `outputs`: what failed cases printed, by case and metric;
    `sampled`: whether samples of it are kept.
    """

    settings: Mapping[str, Scalar] = field(default_factory=dict)
    environments: tuple[tuple[EnvironmentFingerprint, tuple[str, ...]], ...] = ()
    outputs: Mapping[tuple[Case, str], str] = field(default_factory=dict)
    sampled: bool = False


@dataclass(frozen=True, slots=True)
class PointTable:
    """Points (n,) of series, grouped by series and oldest run first.

    `heads`: the series, without points; points bounds[i]:bounds[i + 1] are those of heads[i]. `run` and `facet`
    are positions in `runs`, which are in order of recording, and `facets`. `value`, `lo`, `hi` are in the unit of
    the series, `within` is the variance of ln(value) within the run; all of them NaN where there is none.
    `processes` is how many a value is of.
    """

    heads: tuple[Series, ...]
    runs: tuple[RunKey, ...]
    facets: tuple[Facet, ...]
    bounds: NDArray[np.int64]
    run: Positions
    facet: Positions
    value: Floats
    lo: Floats
    hi: Floats
    within: Floats
    processes: Positions

    def __len__(self) -> int:
        return len(self.run)

    def span(self, at: int) -> slice:
        """Where the points of heads[at] are."""
        return slice(int(self.bounds[at]), int(self.bounds[at + 1]))

    def chosen(
        self, heads: tuple[Series, ...], bounds: NDArray[np.int64], by: NDArray[np.integer] | None
    ) -> PointTable:
        """The points at the positions `by`, or all of them, as those of other series."""
        columns = (self.run, self.facet, self.value, self.lo, self.hi, self.within, self.processes)
        run, facet, value, lo, hi, within, processes = columns if by is None else (c[by] for c in columns)
        return PointTable(heads, self.runs, self.facets, bounds, run, facet, value, lo, hi, within, processes)


def table_of(series: Sequence[Series]) -> PointTable:
    """The same of series that hold their points."""
    keys = {p.run_id: RunKey(p.run_id, p.sha, p.started_at, p.dirty) for s in series for p in s.points}
    runs = sorted(keys.values(), key=lambda run: (run.started_at, run.id))
    place = {run.id: at for at, run in enumerate(runs)}
    facets: dict[Facet, int] = {}
    points = [p for s in series for p in s.points]
    return PointTable(
        heads=tuple(
            Series(s.case, s.metric, s.unit, s.direction, s.tags, s.source, (), s.threshold) for s in series
        ),
        runs=tuple(runs),
        facet=np.array([facets.setdefault(_facet(p), len(facets)) for p in points], dtype=np.int32),
        facets=tuple(facets),
        bounds=np.cumsum([0, *(len(s.points) for s in series)], dtype=np.int64),
        run=np.array([place[p.run_id] for p in points], dtype=np.int32),
        value=_numbers([p.value for p in points]),
        lo=_numbers([p.interval.lo if p.interval else None for p in points]),
        hi=_numbers([p.interval.hi if p.interval else None for p in points]),
        within=_numbers([p.within_variance for p in points]),
        processes=np.array([p.processes for p in points], dtype=np.int32),
    )


def _facet(point: Point) -> Facet:
    return Facet(point.status, point.tier, point.lane, point.reasons, point.limitations, point.code_hash)


def _numbers(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
