"""Slow creep: what each lane lost since the release, beyond the changes that are told one by one."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from perftrack.app.order import Order
from perftrack.app.project import Project
from perftrack.core.changes.alert import lane_key
from perftrack.core.changes.appraisal import WatchedLane
from perftrack.core.changes.creep import WINDOW, Creep, creep
from perftrack.core.changes.identity import creep_id
from perftrack.core.changes.watch import Standing
from perftrack.core.discoveries import FALSE_DISCOVERY_RATE, benjamini_hochberg
from perftrack.core.model import Direction
from perftrack.vcs.line import newest_tag


@dataclass(frozen=True, slots=True)
class Release:
    """What creep is counted from. `position`: of its last commit in the order."""

    name: str
    sha: str
    position: int


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
    looked = [(lane, seen) for lane in lanes if lane.decided and (seen := _creep(lane, release)) is not None]
    cutoff = benjamini_hochberg([seen.p_value for _, seen in looked], FALSE_DISCOVERY_RATE)
    return tuple(
        CreepReport(lane, release, seen, creep_id(_key(lane), release.sha))
        for lane, seen in looked
        if seen.alarm and seen.p_value <= cutoff and _unexplained(lane, release, seen)
    )


def _key(lane: WatchedLane) -> str:
    return lane_key(lane.series.case.id, lane.series.metric, lane.trend.lane)


def _creep(lane: WatchedLane, release: Release) -> Creep | None:
    """Of trusted values alone. Where a change was accepted since, the accepted level is the one to keep."""
    kept = [at for at, good in enumerate(lane.trend.trusted) if good]
    values = [lane.trend.values[at] for at in kept]
    pinned = bisect_right([lane.trend.positions[at] for at in kept], release.position) - 1
    starts = [w.change.last for w in lane.found if w.standing is not Standing.SUSPECT]
    epochs = [sum(at < epoch for at in kept) for epoch in lane.epochs]
    if epochs and epochs[-1] > pinned:
        pinned = min(epochs[-1] + WINDOW, len(values)) - 1
    if pinned < 0 or not values:
        return None
    places = [*epochs, *(sum(at < start for at in kept) for start in starts)]
    after = max((place for place in places if place <= pinned), default=0)
    return creep(values, pinned, lane.threshold, after=after)


def _unexplained(lane: WatchedLane, release: Release, seen: Creep) -> bool:
    """Whether it is for the worse, and most of it is in no change since that is told by itself."""
    sign = 1.0 if lane.series.direction is Direction.LOWER else -1.0
    total = sign * math.log(seen.ratio)
    if total < lane.threshold:
        return False
    told = sum(
        sign * math.log(w.change.ratio)
        for w in lane.found
        if w.change.ratio is not None
        and w.standing in (Standing.ALERT, Standing.ACCEPTED)
        and lane.trend.positions[w.change.most_likely] > release.position
    )
    return total - told >= max(lane.threshold, total / 2)


def marked(reports: Sequence[CreepReport], known: frozenset[str]) -> tuple[CreepReport, ...]:
    return tuple(replace(report, known=report.id in known) for report in reports)
