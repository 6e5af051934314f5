"""What the store knows of a commit, or of a case over commits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from perftrack.app.project import Project
from perftrack.core.history import Lane, Point, RunSummary, Series
from perftrack.core.model import Commit, Measurement, Reason, Status
from perftrack.errors import GitError, StoreError, UsageError
from perftrack.suite.selection import means

_SHA_START = re.compile(r"[0-9a-f]{4,64}")


@dataclass(frozen=True, slots=True)
class CommitResults:
    """Everything current about one commit: per case, metric and lane the newest measurement.

    `unmeasured`: why the newest run has no measurement, such as a failed build.
    """

    commit: Commit
    measurements: tuple[Measurement, ...]
    run_ids: tuple[str, ...]
    unmeasured: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class LoggedSeries:
    """A series with its points in history order, and the commits they belong to.

    Points of `lost` commits, which HEAD does not reach, come first. `unmeasured`: by commit without a measurement
    of any kind, why: a failed build, or no benchmark that could be used.
    """

    series: Series
    points: tuple[Point, ...]
    commits: dict[str, Commit]
    lanes: dict[str, Lane]
    lost: frozenset[str] = frozenset()
    unmeasured: Mapping[str, Reason] = field(default_factory=dict)


def results_of(project: Project, revision: str, *, dirty_too: bool = False) -> CommitResults:
    """The stored results of a revision. Raises StoreError where nothing was recorded for it.

    Runs with uncommitted changes are no results of the commit; with `dirty_too` they stand in where there
    are no others.
    """
    commit = commit_of(project, revision)
    runs = project.store.runs(commit.sha)
    if not runs:
        raise StoreError(
            f"nothing is recorded for {revision} ({commit.sha[:12]})",
            f"perftrack record {revision}",
        )
    dirty = all(r.dirty for r in runs)
    if dirty and not dirty_too:
        raise StoreError(
            f"for {revision} ({commit.sha[:12]}) only runs with uncommitted changes are recorded",
            f"perftrack record {revision}",
        )
    runs = tuple(r for r in runs if r.dirty is dirty)
    measurements = _current(project.store.measurements(commit.sha, dirty=dirty))
    return CommitResults(commit, measurements, tuple(r.id for r in runs), _unmeasured(runs[0]))


def _unmeasured(run: RunSummary) -> tuple[Reason, ...]:
    """Why a run has no measurement; nothing of one that has."""
    if run.ok or run.failed or run.skipped:
        return ()
    return tuple(r for r in run.limitations if r.code in ("build-failed", "nothing-to-measure"))


def commit_of(project: Project, revision: str) -> Commit:
    """Git's commit; or the store's for the SHA, or its beginning, of one that the clone lacks."""
    try:
        return project.repository.commit(revision)
    except GitError:
        if not _SHA_START.fullmatch(revision.lower()):
            raise
        found = [c for c in project.store.commits() if c.sha.startswith(revision.lower())]
        if not found:
            raise
        if len(found) > 1:
            which = ", ".join(c.sha for c in found[:5])
            raise StoreError(f"revision {revision!r} is ambiguous: {which}", "Give more digits of it.") from None
        return found[0]


def matching(patterns: Sequence[str], *sides: CommitResults) -> tuple[CommitResults, ...]:
    """The sides with the cases that any pattern means, as suite.selection reads them; all without patterns.

    Raises UsageError for a pattern that means no case of any side.
    """
    if not patterns:
        return sides
    kept = [[m for m in s.measurements if any(_means(p, m) for p in patterns)] for s in sides]
    for pattern in patterns:
        if not any(_means(pattern, m) for own in kept for m in own):
            where = " or ".join(dict.fromkeys(s.commit.sha[:12] for s in sides))
            names = sorted({m.case.benchmark for s in sides for m in s.measurements})
            raise UsageError(f"no recorded case of {where} matches {pattern!r}", _recorded(names))
    return tuple(replace(s, measurements=tuple(own)) for s, own in zip(sides, kept, strict=True))


def _means(pattern: str, measurement: Measurement) -> bool:
    return means(pattern, measurement.case, measurement.source.rpartition(":")[0])


def _recorded(names: Sequence[str]) -> str:
    return f"Recorded are {', '.join(names[:5])}{', …' if len(names) > 5 else ''}."


def _current(measurements: Sequence[Measurement]) -> tuple[Measurement, ...]:
    """Without the failures that a later measurement of the same case settled (newest come first)."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for measurement in measurements:
        key = (measurement.case.id, measurement.metric)
        if measurement.status is Status.OK or key not in seen:
            kept.append(measurement)
        seen.add(key)
    return tuple(kept)


def log_of(project: Project, pattern: str) -> tuple[LoggedSeries, ...]:
    """Every series whose case is, or contains, `pattern`. Raises UsageError where there is none."""
    known = sorted(set(project.store.case_ids()))
    chosen = [c for c in known if c == pattern] or [c for c in known if pattern in c]
    if not chosen:
        raise UsageError(f"no recorded case matches {pattern!r}", _recorded(known))
    commits = {c.sha: c for c in project.store.commits()}
    order = {sha: n for n, sha in enumerate(project.repository.order(commits))}
    reached = project.repository.reached(commits)
    lanes = {lane.id: lane for lane in project.store.lanes()}
    unmeasured = _without_measurement(project.store.runs())
    found = []
    for case in chosen:
        for series in project.store.series(case=case):
            points = sorted(
                series.points, key=lambda p: (p.sha in reached, order.get(p.sha, len(order)), p.started_at)
            )
            lost = (frozenset(p.sha for p in points) | frozenset(unmeasured)) - reached
            found.append(LoggedSeries(series, tuple(points), commits, lanes, lost, unmeasured))
    return tuple(found)


def _without_measurement(runs: Sequence[RunSummary]) -> dict[str, Reason]:
    """By commit of which no clean run has a measurement: why, as its newest run (they come first) says."""
    clean = [r for r in runs if not r.dirty]
    measured = {r.sha for r in clean if r.ok or r.failed or r.skipped}
    found: dict[str, Reason] = {}
    for run in clean:
        if run.sha not in measured and (why := _unmeasured(run)):
            found.setdefault(run.sha, why[0])
    return found
