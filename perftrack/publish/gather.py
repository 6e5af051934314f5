"""What the site is made from, read once and indexed: the first step of gather -> render -> write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from perftrack.core.changes.appraisal import WatchedLane
from perftrack.core.changes.chronicle import Chapter
from perftrack.core.changes.crept import Release
from perftrack.core.changes.silence import Reporter, SilenceRules
from perftrack.core.history import Lane, RunSummary, Series
from perftrack.core.judgement import Judgement
from perftrack.core.launches.launch import Profile
from perftrack.core.model import Commit, Interval, Run, Status
from perftrack.core.pointtable import Facet, PointTable, Positions, RunDetail
from perftrack.core.share import Ceilings, Share, Work, nearest
from perftrack.publish.forge import Forge, forge_of
from perftrack.publish.lanes import LaneView, view_lanes
from perftrack.publish.ordering import all_commits, all_runs, by_first_use, lost_first, ordered
from perftrack.publish.points import NO_LANE, Facets, Flags, SeriesPoints


@dataclass(frozen=True, slots=True)
class Project:
    """Whose site it is. `generated_from` is the newest run's time in unix seconds; the clock is never read."""

    name: str
    remote_url: str | None = None
    generated_from: float | None = None


Epochs = Callable[[Series, Sequence[str]], Sequence[int]]
# (index of the first after it, SHA, reason) of each accepted change, by index.
Acceptances = Callable[[Series, Sequence[str]], Sequence[tuple[int, str, str]]]


class HistorySource(Protocol):
    """All that a site needs of a store. Read only; two calls without a write between them agree."""

    def points(self) -> PointTable:
        """Every point of every series."""
        ...

    def commits(self) -> Sequence[Commit]:
        """Commits that have data, oldest first in graph order."""
        ...

    def lost(self) -> Set[str]:
        """SHAs of those that HEAD does not reach: on another branch, or no longer in the clone."""
        ...

    def lanes(self) -> Sequence[Lane]: ...

    def runs(self) -> Sequence[RunSummary]: ...

    def details(self) -> Mapping[str, RunDetail]:
        """By run id, what a summary leaves out."""
        ...

    def run(self, run_id: str) -> Run: ...

    def project(self) -> Project: ...

    def ceilings(self) -> Ceilings:
        """The measured limits that results are held against."""
        ...

    def declared_work(self) -> Mapping[tuple[str, str], Work]:
        """Work of one call by case id and metric, where it is declared; without the names of its type."""
        ...

    def profiles(self) -> Sequence[Profile]:
        """The newest profile of every case and commit, of clean trees, without counters."""
        ...

    def judgements(self) -> Sequence[Judgement]:
        """The newest commit with data that HEAD reaches against the one before it, per case and lane."""
        ...

    def threshold(self) -> float:
        """The change in log units that matters where a series declares none."""
        ...

    def chapters(self, watched: Sequence[WatchedLane]) -> Sequence[Chapter]:
        """The change events of lanes, newest first."""
        ...

    def release(self) -> Release | None:
        """What slow creep is counted from; None where there is no release, or it is not on the line."""
        ...

    def reporters(self) -> Sequence[Reporter]:
        """Hosts and devices, with when each last made a run."""
        ...

    def silence(self) -> SilenceRules:
        """When silence is news."""
        ...

    def store_version(self) -> int: ...

    def line(self) -> Sequence[str]:
        """The commits along which changes are looked for, oldest first."""
        ...

    def epochs(self) -> Epochs | None:
        """Tells positions in commits along that line of the first after each accepted change of a series."""
        ...

    def acceptances(self) -> Acceptances | None:
        """Tells the same with each change's commit and reason; None where none was accepted."""
        ...


@dataclass(frozen=True, slots=True)
class History:
    """A source's content, with positions.

    `commits` is in graph order after the `lost` ones, whose subjects say so. `runs` and `lanes` are in
    order of recording, so that a position given out once stays the same as history grows: data files that
    did not change keep their bytes. `table` is in the order of `series`, and of commits within one; its runs are
    those of `runs`. `run_commit` is the position of each run's commit, `point_commit` that of each point's, and
    `point_clean` whether its tree had no uncommitted changes.
    """

    project: Project
    forge: Forge | None
    commits: tuple[Commit, ...]
    runs: tuple[RunSummary, ...]
    lanes: tuple[LaneView, ...]
    series: tuple[Series, ...]
    table: PointTable
    facets: Facets
    run_commit: Positions
    run_clean: Flags
    point_commit: Positions
    point_clean: Flags
    judgements: tuple[Judgement, ...]
    commit_index: Mapping[str, int]
    run_index: Mapping[str, int]
    lane_index: Mapping[str, int]
    lost: frozenset[str] = frozenset()
    ceilings: Ceilings = field(default_factory=Ceilings)
    work: Mapping[tuple[str, str], Work] = field(default_factory=dict)
    profiles: tuple[Profile, ...] = ()

    def share_of(
        self, series: Series, facet: Facet, value: float | None, interval: Interval | None
    ) -> Share | None:
        """The share of the nearest limit that a result of a series reaches; None where none is known."""
        work, slot = self.work.get((series.case.id, series.metric)), self.lane_index.get(facet.lane)
        if work is None or slot is None or facet.status is not Status.OK:
            return None
        own = replace(work, params=series.case.params, tags=series.tags)
        key = self.lanes[slot].lane.fingerprint.key_id
        return nearest(self.ceilings.shares_of(key, value, interval, own))

    def positions(self, order: Sequence[str]) -> NDArray[np.int64]:
        """(commits,): where in an order of SHAs each commit is; -1 where it is not in it."""
        found = np.full(len(self.commits), -1, dtype=np.int64)
        for at, sha in enumerate(order):
            if (commit := self.commit_index.get(sha)) is not None:
                found[commit] = at
        return found

    def points(self, at: int) -> SeriesPoints:
        """The points of series[at]."""
        t, own = self.table, self.table.span(at)
        return SeriesPoints(
            head=self.series[at],
            facets=self.facets,
            run=t.run[own],
            commit=self.point_commit[own],
            facet=t.facet[own],
            clean=self.point_clean[own],
            value=t.value[own],
            lo=t.lo[own],
            hi=t.hi[own],
        )


def read_history(source: HistorySource, *, judged: bool = True) -> History:
    """Read a source. Points whose commit, run or lane the source does not list are kept under a stand-in.

    Without `judged` there are no judgements yet: they take as long as all the rest.
    """
    table = source.points()
    listed, summaries = source.commits(), source.runs()
    commits, lost = lost_first(all_commits(listed, summaries, table.runs), listed, source.lost())
    runs = tuple(sorted(all_runs(summaries, table), key=lambda r: (r.started_at, r.id)))
    commit_index = {c.sha: i for i, c in enumerate(commits)}
    run_index = {r.id: i for i, r in enumerate(runs)}
    run_commit = np.array([commit_index[r.sha] for r in runs], dtype=np.int32)
    lanes = view_lanes(by_first_use(source.lanes(), table))
    lane_index = {lane.id: lane.slot for lane in lanes}
    table = ordered(table, np.array([run_index[r.id] for r in table.runs], dtype=np.int32), run_commit)
    project = source.project()
    run_clean = np.array([not r.dirty for r in runs], dtype=np.bool_)
    return History(
        project=project,
        forge=forge_of(project.remote_url),
        commits=commits,
        runs=runs,
        lanes=lanes,
        series=table.heads,
        table=table,
        facets=_facets(table.facets, lane_index),
        run_commit=run_commit,
        run_clean=run_clean,
        point_commit=run_commit[table.run],
        point_clean=run_clean[table.run],
        judgements=tuple(source.judgements()) if judged else (),
        commit_index=MappingProxyType(commit_index),
        run_index=MappingProxyType(run_index),
        lane_index=MappingProxyType(lane_index),
        lost=lost,
        ceilings=source.ceilings(),
        work=source.declared_work(),
        profiles=tuple(source.profiles()),
    )


def _facets(facets: Sequence[Facet], lane_index: Mapping[str, int]) -> Facets:
    return Facets(
        tuple(facets),
        np.array([f.status is Status.OK for f in facets], dtype=np.bool_),
        np.array([lane_index.get(f.lane, NO_LANE) for f in facets], dtype=np.int32),
    )
