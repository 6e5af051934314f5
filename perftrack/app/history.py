"""What the store knows of a commit, or of a case over commits."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from perftrack.app.project import Project
from perftrack.core.history import Lane, Point, Series, lane_of
from perftrack.core.launches.launch import LaunchSummary
from perftrack.core.launches.samecode import same_code
from perftrack.core.model import Commit, Measurement, Status
from perftrack.core.noise import ASSUMED, LaneNoise, lane_noise, with_pairs
from perftrack.errors import GitError, StoreError, UsageError
from perftrack.suite.selection import means

_SHA_START = re.compile(r"[0-9a-f]{4,64}")


@dataclass(frozen=True, slots=True)
class CommitResults:
    """Everything current about one commit: per case, metric and lane the newest measurement."""

    commit: Commit
    measurements: tuple[Measurement, ...]
    run_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LoggedSeries:
    """A series with its points in history order, and the commits they belong to.

    Points of `lost` commits, which HEAD does not reach, come first.
    """

    series: Series
    points: tuple[Point, ...]
    commits: dict[str, Commit]
    lanes: dict[str, Lane]
    lost: frozenset[str] = frozenset()


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
    return CommitResults(commit, measurements, tuple(r.id for r in runs))


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
    found = []
    for case in chosen:
        for series in project.store.series(case=case):
            points = sorted(
                series.points, key=lambda p: (p.sha in reached, order.get(p.sha, len(order)), p.started_at)
            )
            lost = frozenset(p.sha for p in points) - reached
            found.append(LoggedSeries(series, tuple(points), commits, lanes, lost))
    return tuple(found)


class Noise:
    """Lane noise by case, metric and lane, from the stored history; read once, on first use."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[tuple[str, str, str], LaneNoise | None] | None = None

    def of(self, measurement: Measurement) -> LaneNoise:
        """What is known of the lane; where that is too little, what public histories let one assume."""
        if self._known is None:
            self._known = _noise_by_lane(self._project.store.series(), self._project.store.codes())
        return self._known.get((measurement.case.id, measurement.metric, lane_of(measurement))) or ASSUMED


Codes = Mapping[str, Mapping[str, Sequence[LaunchSummary]]]  # by case id and commit


def _noise_by_lane(all_series: Sequence[Series], codes: Codes) -> dict[tuple[str, str, str], LaneNoise | None]:
    found: dict[tuple[str, str, str], LaneNoise | None] = {}
    for series in all_series:
        ran = codes.get(series.case.id, {}) if series.metric == "time" else {}
        for lane in series.lanes:
            points = [
                p
                for p in series.points
                if p.lane == lane and p.status is Status.OK and not p.dirty and p.value is not None
            ]
            values = [p.value for p in points if p.value is not None]
            within = [p.within_variance or 0.0 for p in points]
            noise = lane_noise(values, within)
            found[series.case.id, series.metric, lane] = with_pairs(noise, *_equal_code(points, ran))
    return found


def _equal_code(
    points: Sequence[Point], ran: Mapping[str, Sequence[LaunchSummary]]
) -> tuple[list[float], list[float]]:
    """Steps between successive runs of two commits that ran the same code, and what processes explain of each."""
    steps, within = [], []
    for before, after in pairwise(points):
        if before.sha == after.sha or not before.value or not after.value or min(before.value, after.value) <= 0:
            continue
        if same_code(ran.get(before.sha, ()), ran.get(after.sha, ())):
            steps.append(math.log(after.value / before.value))
            within.append((before.within_variance or 0.0) + (after.within_variance or 0.0))
    return steps, within
