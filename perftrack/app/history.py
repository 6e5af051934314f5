"""What the store knows of a commit, or of a case over commits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.app.project import Project
from perftrack.core.history import Lane, Point, Series, lane_of
from perftrack.core.model import Commit, Measurement, Status
from perftrack.core.noise import LaneNoise, lane_noise
from perftrack.errors import StoreError, UsageError


@dataclass(frozen=True, slots=True)
class CommitResults:
    """Everything current about one commit: per case, metric and lane the newest measurement."""

    commit: Commit
    measurements: tuple[Measurement, ...]
    run_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LoggedSeries:
    """A series with its points in history order, and the commits they belong to."""

    series: Series
    points: tuple[Point, ...]
    commits: dict[str, Commit]
    lanes: dict[str, Lane]


def results_of(
    project: Project, revision: str, patterns: Sequence[str] = (), *, dirty_too: bool = False
) -> CommitResults:
    """The stored results of a revision. Raises StoreError where nothing was recorded for it.

    Runs with uncommitted changes are no results of the commit; with `dirty_too` they stand in where there
    are no others.
    """
    (commit,) = project.repository.commits((revision,))
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
    if patterns:
        measurements = tuple(
            m for m in measurements if any(_means(p, m.case.id, m.case.benchmark) for p in patterns)
        )
        if not measurements:
            raise UsageError(f"no recorded case of {revision} matches {', '.join(patterns)}")
    return CommitResults(commit, measurements, tuple(r.id for r in runs))


def _means(pattern: str, case_id: str, benchmark: str) -> bool:
    return pattern in (case_id, benchmark) or pattern in case_id


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
    known = project.store.case_ids()
    exact = [c for c in known if c == pattern]
    chosen = exact or [c for c in known if _means(pattern, c, c.partition("[")[0])]
    if not chosen:
        raise UsageError(
            f"no recorded case matches {pattern!r}",
            f"Recorded are {', '.join(sorted(known)[:5])}{', …' if len(known) > 5 else ''}.",
        )
    commits = {c.sha: c for c in project.store.commits()}
    order = {sha: n for n, sha in enumerate(project.repository.order(tuple(commits)))}
    lanes = {lane.id: lane for lane in project.store.lanes()}
    found = []
    for case in sorted(chosen):
        for series in project.store.series(case=case):
            points = sorted(series.points, key=lambda p: (order.get(p.sha, len(order)), p.started_at))
            found.append(LoggedSeries(series, tuple(points), commits, lanes))
    return tuple(found)


class Noise:
    """Lane noise by case, metric and lane, from the stored history; read once, on first use."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[tuple[str, str, str], LaneNoise | None] | None = None

    def of(self, measurement: Measurement) -> LaneNoise | None:
        if self._known is None:
            self._known = _noise_by_lane(self._project.store.series())
        return self._known.get((measurement.case.id, measurement.metric, lane_of(measurement)))


def _noise_by_lane(all_series: Sequence[Series]) -> dict[tuple[str, str, str], LaneNoise | None]:
    found: dict[tuple[str, str, str], LaneNoise | None] = {}
    for series in all_series:
        for lane in series.lanes:
            points = [
                p
                for p in series.points
                if p.lane == lane and p.status is Status.OK and not p.dirty and p.value is not None
            ]
            values = [p.value for p in points if p.value is not None]
            within = [p.within_variance or 0.0 for p in points]
            found[series.case.id, series.metric, lane] = lane_noise(values, within)
    return found
