"""Slow creep: what each lane lost since the release, beyond the changes that are told one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.app.order import Order
from perftrack.app.project import Project
from perftrack.core.changes.alert import lane_key
from perftrack.core.changes.appraisal import WatchedLane
from perftrack.core.changes.creep import Creep
from perftrack.core.changes.crept import Course, Release, crept
from perftrack.core.changes.identity import creep_id
from perftrack.vcs.line import newest_tag


@dataclass(frozen=True, slots=True)
class CreepReport:
    """A lane that is worse than it was at the release, by more than its changes since explain."""

    lane: WatchedLane
    release: Release
    creep: Creep
    id: str
    known: bool = False


def release_of(project: Project, order: Order, given: str | None) -> Release | None:
    """The option's, the configured, or the last tag before HEAD; None where there is none.

    Raises GitError for a named revision that there is not.
    """
    name = given or project.config.release or newest_tag(project.root, order.shas[-1])
    if name is None:
        return None
    sha = project.repository.resolve(name)
    last = order.start_after(project, sha) - 1
    return Release(name.removeprefix("refs/tags/"), sha, last) if last >= 0 else None


def creeps(lanes: Sequence[WatchedLane], release: Release) -> tuple[CreepReport, ...]:
    """Lanes that crept, with the rate of false ones over all lanes controlled."""
    looked = [lane for lane in lanes if lane.decided]
    found = crept([_course(lane) for lane in looked], release)
    return tuple(
        CreepReport(looked[at], release, seen, creep_id(_key(looked[at]), release.sha)) for at, seen in found
    )


def _key(lane: WatchedLane) -> str:
    return lane_key(lane.series.case.id, lane.series.metric, lane.trend.lane)


def _course(lane: WatchedLane) -> Course:
    trend = lane.trend
    return Course(
        values=trend.values,
        trusted=trend.trusted,
        positions=trend.positions,
        found=lane.found,
        epochs=lane.epochs,
        threshold=lane.threshold,
        direction=lane.series.direction,
    )
