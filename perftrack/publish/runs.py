"""One page per run: every result of a commit, how far each can be trusted, and where it was measured."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.history import RunSummary, lane_of
from perftrack.core.model import Measurement, MeasurementTier, Run, Scalar, Status, format_scalar
from perftrack.core.share import nearest
from perftrack.core.units import format_duration
from perftrack.publish import addresses
from perftrack.publish.context import commit_ref, frame
from perftrack.publish.distribution import distribution
from perftrack.publish.environments import environment_section
from perftrack.publish.gather import History, HistorySource
from perftrack.publish.pages import CommitRef, EnvironmentSection, LaneRef
from perftrack.publish.results import ResultRow, RunLine, RunPage, RunRef, RunsPage, TierCause
from perftrack.publish.trend import Notes, number

MAX_OUTPUT = 4000


@dataclass(frozen=True, slots=True)
class _Place:
    """A case's id with the page and data key of its series; both empty where there is no series."""

    case: str
    page: str
    key: str


class RunPages:
    """Makes the pages of runs. Lane ids, which cost a hash each, are computed once per environment."""

    def __init__(self, history: History, base_url: str | None) -> None:
        self._history = history
        self._base_url = base_url
        self._lanes: dict[tuple[EnvironmentFingerprint | None, str], str] = {}
        self._places = {
            (addresses.case_key(s.case), s.metric): _Place(
                s.case.id, addresses.benchmark_page(s.case.benchmark), addresses.series_key(s)
            )
            for s in history.series
        }
        self._by_commit: dict[str, list[RunSummary]] = defaultdict(list)
        for summary in history.runs:
            self._by_commit[summary.sha].append(summary)

    def pages(self, source: HistorySource) -> Iterator[RunPage]:
        """One page after another: only one run's samples are in memory at a time."""
        for summary in self._history.runs:
            yield self.page(summary, source.run(summary.id))

    def page(self, summary: RunSummary, run: Run) -> RunPage:
        history = self._history
        path = addresses.run_page(summary.id)
        at = history.commit_index[summary.sha]
        commit = history.commits[at]
        notes: dict[Notes, int] = {}
        links: dict[str, int] = {}
        rows = tuple(
            self._row(m, notes, links)
            for m in sorted(run.measurements, key=lambda m: addresses.reading_order(m.case, m.metric))
        )
        return RunPage(
            frame=frame(history, path, f"Run of {summary.sha[:10]}", "runs", self._base_url),
            commit=commit_ref(history, summary.sha),
            author=commit.author,
            author_time=commit.author_time,
            run_id=summary.id,
            started_at=summary.started_at,
            duration=format_duration(summary.duration_s),
            host=summary.host,
            label=summary.label,
            version=summary.perftrack_version,
            dirty=summary.dirty,
            settings=tuple((n, _setting(v)) for n, v in sorted(run.settings.items()) if v is not None),
            limitations=tuple(r.message for r in run.limitations),
            counts=_counts(run),
            tiers=_tiers(run),
            causes=tier_causes(run),
            notes=tuple(notes),
            links=tuple(links),
            rows=rows,
            environments=self._environments(run),
            older=self._neighbour(at, -1),
            newer=self._neighbour(at, 1),
            siblings=tuple(
                RunRef(addresses.run_page(r.id), r.started_at, r.host, r.label)
                for r in self._by_commit[summary.sha]
                if r.id != summary.id
            ),
        )

    def index(self) -> RunsPage:
        """All runs, newest commit first."""
        lanes: dict[str, dict[str, LaneRef]] = defaultdict(dict)
        for series in self._history.series:
            for point in series.points:
                slot = self._history.lane_index.get(point.lane)
                if slot is not None and point.lane not in lanes[point.run_id]:
                    lanes[point.run_id][point.lane] = LaneRef(slot, self._history.lanes[slot].label)
        order = self._history.commit_index
        newest = sorted(self._history.runs, key=lambda r: (-order[r.sha], -r.started_at, r.id))
        lines = tuple(self._line(r, tuple(sorted(lanes[r.id].values(), key=lambda ref: ref.slot))) for r in newest)
        return RunsPage(frame(self._history, addresses.RUNS, "Runs", "runs", self._base_url), lines)

    def _line(self, summary: RunSummary, lanes: tuple[LaneRef, ...]) -> RunLine:
        commit = self._history.commits[self._history.commit_index[summary.sha]]
        return RunLine(
            path=addresses.run_page(summary.id),
            commit=commit_ref(self._history, summary.sha),
            author=commit.author,
            author_time=commit.author_time,
            started_at=summary.started_at,
            host=summary.host,
            label=summary.label,
            dirty=summary.dirty,
            ok=summary.ok,
            failed=summary.failed,
            skipped=summary.skipped,
            lanes=lanes,
        )

    def _lane(self, m: Measurement) -> str:
        at = (m.fingerprint, m.protocol.key)
        if at not in self._lanes:
            self._lanes[at] = lane_of(m)
        return self._lanes[at]

    def _place(self, m: Measurement) -> _Place:
        """Where the site shows a measurement's series."""
        place = self._places.get((addresses.case_key(m.case), m.metric))
        return place or _Place(m.case.id, "", "")

    def _row(self, m: Measurement, notes: dict[Notes, int], links: dict[str, int]) -> ResultRow:
        note = Notes(tuple(r.message for r in m.reasons), tuple(r.message for r in m.limitations))
        place = self._place(m)
        share = nearest(self._history.ceilings.shares(m))
        return ResultRow(
            case=place.case,
            metric=m.metric,
            unit=m.unit,
            status=m.status.value,
            value=number(m.value),
            lo=number(m.interval.lo if m.interval else None),
            hi=number(m.interval.hi if m.interval else None),
            tier=m.tier.value,
            lane=self._history.lane_index.get(self._lane(m), -1),
            share=number(share.value if share else None),
            share_of=share.ceiling.name if share else "",
            protocol=m.protocol.key,
            note=notes.setdefault(note, len(notes)),
            output=m.output[-MAX_OUTPUT:],
            page=links.setdefault(place.page, len(links)) if place.page else -1,
            key=place.key,
            samples=distribution(m.processes),
        )

    def _environments(self, run: Run) -> tuple[EnvironmentSection, ...]:
        """One section per environment of the run, with the lanes that its measurements are in."""
        lanes: dict[EnvironmentFingerprint, dict[int, LaneRef]] = defaultdict(dict)
        for m in run.measurements:
            if m.fingerprint is None:
                continue
            own = lanes[m.fingerprint]
            slot = self._history.lane_index.get(self._lane(m))
            if slot is not None:
                own[slot] = LaneRef(slot, self._history.lanes[slot].label)
        return tuple(
            environment_section("Environment", fingerprint, tuple(own[slot] for slot in sorted(own)))
            for fingerprint, own in lanes.items()
        )

    def _neighbour(self, at: int, step: int) -> CommitRef | None:
        """The newest run of the next commit in a direction that has one."""
        at += step
        while 0 <= at < len(self._history.commits):
            sha = self._history.commits[at].sha
            if runs := self._by_commit.get(sha):
                return commit_ref(self._history, sha, addresses.run_page(runs[-1].id))
            at += step
        return None


def _setting(value: Scalar) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else format_scalar(value)


def _counts(run: Run) -> Mapping[str, int]:
    seen = Counter(m.status for m in run.measurements)
    return {status.value: seen[status] for status in Status if seen[status]}


def _tiers(run: Run) -> Mapping[str, int]:
    seen = Counter(m.tier for m in run.measurements if m.status is Status.OK)
    return {tier.value: seen[tier] for tier in MeasurementTier if seen[tier]}


def tier_causes(run: Run) -> tuple[TierCause, ...]:
    """Why results have their tiers: each cause once, with how many results it holds for, worst tier first."""
    found: dict[tuple[MeasurementTier, str], list[tuple[str, str]]] = defaultdict(list)
    for m in run.measurements:
        if m.status is not Status.OK:
            continue
        for r in m.reasons:
            found[(m.tier, r.code)].append((m.case.id, r.message))
    causes = [
        TierCause(tier.value, uses[0][1], len(uses), uses[0][0] if len(uses) == 1 else "")
        for (tier, _), uses in found.items()
    ]
    return tuple(sorted(causes, key=lambda c: (c.tier, c.cases), reverse=True))
