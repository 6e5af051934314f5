"""What the site is made from, read once and indexed: the first step of gather -> render -> write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Protocol

from perftrack.core.history import Lane, Point, RunSummary, Series
from perftrack.core.judgement import Judgement
from perftrack.core.model import Commit, Run, Status
from perftrack.core.share import Ceilings, Share, Work, nearest
from perftrack.publish.addresses import reading_order
from perftrack.publish.forge import Forge, forge_of
from perftrack.publish.lanes import LaneView, view_lanes

NOT_IN_HISTORY = "not in history"


@dataclass(frozen=True, slots=True)
class Project:
    """Whose site it is. `generated_from` is the newest run's time in unix seconds; the clock is never read."""

    name: str
    remote_url: str | None = None
    generated_from: float | None = None


class HistorySource(Protocol):
    """All that a site needs of a store. Read only; two calls without a write between them agree."""

    def series(self) -> Sequence[Series]: ...

    def commits(self) -> Sequence[Commit]:
        """Commits that have data, oldest first in graph order."""
        ...

    def lost(self) -> Set[str]:
        """SHAs of those that HEAD does not reach: on another branch, or no longer in the clone."""
        ...

    def lanes(self) -> Sequence[Lane]: ...

    def runs(self) -> Sequence[RunSummary]: ...

    def run(self, run_id: str) -> Run: ...

    def project(self) -> Project: ...

    def ceilings(self) -> Ceilings:
        """The measured limits that results are held against."""
        ...

    def declared_work(self) -> Mapping[tuple[str, str], Work]:
        """Work of one call by case id and metric, where it is declared; without the names of its type."""
        ...

    def judgements(self) -> Sequence[Judgement]:
        """The newest commit with data that HEAD reaches against the one before it, per case and lane."""
        ...


@dataclass(frozen=True, slots=True)
class History:
    """A source's content, with positions.

    `commits` is in graph order after the `lost` ones, whose subjects say so. `runs` and `lanes` are in
    order of recording, so that a position given out once stays the same as history grows: data files that
    did not change keep their bytes.
    """

    project: Project
    forge: Forge | None
    commits: tuple[Commit, ...]
    runs: tuple[RunSummary, ...]
    lanes: tuple[LaneView, ...]
    series: tuple[Series, ...]
    judgements: tuple[Judgement, ...]
    commit_index: Mapping[str, int]
    run_index: Mapping[str, int]
    lane_index: Mapping[str, int]
    lost: frozenset[str] = frozenset()
    ceilings: Ceilings = field(default_factory=Ceilings)
    work: Mapping[tuple[str, str], Work] = field(default_factory=dict)

    def share_of(self, series: Series, point: Point) -> Share | None:
        """The share of the nearest limit that a point of a series reaches; None where none is known."""
        work, slot = self.work.get((series.case.id, series.metric)), self.lane_index.get(point.lane)
        if work is None or slot is None or point.status is not Status.OK:
            return None
        own = replace(work, params=series.case.params, tags=series.tags)
        key = self.lanes[slot].lane.fingerprint.key_id
        return nearest(self.ceilings.shares_of(key, point.value, point.interval, own))

    def commit_of(self, point: Point) -> int:
        return self.commit_index[point.sha]

    def ordered(self, series: Series) -> tuple[Point, ...]:
        """A series' points by commit, and by time of recording within one commit."""
        return tuple(sorted(series.points, key=lambda p: (self.commit_index[p.sha], p.started_at, p.run_id)))


def read_history(source: HistorySource) -> History:
    """Read a source. Points whose commit, run or lane the source does not list are kept under a stand-in."""
    series = tuple(sorted(source.series(), key=lambda s: (*reading_order(s.case, s.metric), s.unit)))
    points = [point for one in series for point in one.points]
    listed = source.commits()
    commits, lost = _lost_first(_all_commits(listed, source.runs(), points), listed, source.lost())
    runs = tuple(sorted(_all_runs(source.runs(), points), key=lambda r: (r.started_at, r.id)))
    lanes = view_lanes(_by_first_use(source.lanes(), points))
    project = source.project()
    return History(
        project=project,
        forge=forge_of(project.remote_url),
        commits=commits,
        runs=runs,
        lanes=lanes,
        series=series,
        judgements=tuple(source.judgements()),
        commit_index=MappingProxyType({c.sha: i for i, c in enumerate(commits)}),
        run_index=MappingProxyType({r.id: i for i, r in enumerate(runs)}),
        lane_index=MappingProxyType({lane.id: lane.slot for lane in lanes}),
        lost=lost,
        ceilings=source.ceilings(),
        work=source.declared_work(),
    )


def _lost_first(
    commits: Sequence[Commit], listed: Sequence[Commit], lost: Set[str]
) -> tuple[tuple[Commit, ...], frozenset[str]]:
    """Commits that are not in history before all others and labelled: the newest stays the newest of HEAD."""
    kept = {c.sha for c in listed} - lost
    gone = [
        replace(c, subject=f"{NOT_IN_HISTORY}: {c.subject}".rstrip(": ")) for c in commits if c.sha not in kept
    ]
    return (*gone, *(c for c in commits if c.sha in kept)), frozenset(c.sha for c in gone)


def _all_commits(
    commits: Sequence[Commit], runs: Sequence[RunSummary], points: Sequence[Point]
) -> tuple[Commit, ...]:
    """Commits of the source, then those that only runs or points name (a shallow clone has lost them)."""
    known = {c.sha: c for c in commits}
    seen: dict[str, float] = {}
    for at, sha in [(r.started_at, r.sha) for r in runs] + [(p.started_at, p.sha) for p in points]:
        if sha not in known:
            seen[sha] = min(at, seen.get(sha, at))
    lost = [Commit(sha, (), "", int(at), int(at), "") for sha, at in sorted(seen.items(), key=lambda i: i[::-1])]
    return (*known.values(), *lost)


def _all_runs(runs: Sequence[RunSummary], points: Sequence[Point]) -> Sequence[RunSummary]:
    known = {r.id for r in runs}
    counts = Counter((p.run_id, p.status.value) for p in points if p.run_id not in known)
    lost = {p.run_id: p for p in points if p.run_id not in known}
    stand_ins = [
        RunSummary(
            id=p.run_id,
            sha=p.sha,
            started_at=p.started_at,
            duration_s=0.0,
            dirty=p.dirty,
            host="",
            label="",
            perftrack_version="",
            limitations=(),
            ok=counts[(p.run_id, "ok")],
            failed=counts[(p.run_id, "failed")],
            skipped=counts[(p.run_id, "skipped")],
        )
        for p in lost.values()
    ]
    return [*{r.id: r for r in runs}.values(), *stand_ins]


def _by_first_use(lanes: Sequence[Lane], points: Sequence[Point]) -> tuple[Lane, ...]:
    """Lanes by the time of their first point; lanes that no point uses come last, by id."""
    first: dict[str, float] = {}
    for point in points:
        first[point.lane] = min(point.started_at, first.get(point.lane, point.started_at))
    return tuple(sorted(lanes, key=lambda lane: (lane.id not in first, first.get(lane.id, 0.0), lane.id)))
