"""Every lane of the stored history, looked at for changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from perftrack.app.epochs import Accepted
from perftrack.app.order import Order
from perftrack.app.project import Project
from perftrack.core.ceilingcase import definition_of
from perftrack.core.changes.appraisal import CaseChange, WatchedLane, appraised
from perftrack.core.changes.lanes import lane_trends
from perftrack.core.changes.watch import watch
from perftrack.core.history import Lane, Series
from perftrack.core.reasons import reason


def watched_lanes(
    project: Project, series: Iterable[Series], order: Order, lanes: Mapping[str, Lane], accepted: Accepted
) -> tuple[WatchedLane, ...]:
    """The lanes of series along the order of commits, each with its changes; ceilings are no commit's doing."""
    found = []
    for own in series:
        if definition_of(own.case) is not None:
            continue
        threshold = project.config.threshold if own.threshold is None else own.threshold
        for trend in lane_trends(own, order.positions):
            epochs = accepted.starts(own.case, own.metric, trend.shas) if accepted.epochs else ()
            lane = lanes.get(trend.lane)
            exact = trend.exact(lane.protocol.timer) if lane is not None else None
            changes = watch(trend.values, trend.trusted, epochs, exact=exact)
            found.append(WatchedLane(own, trend, threshold, changes, tuple(epochs)))
    return tuple(found)


def appraised_lane(lane: WatchedLane, accepted: Accepted) -> tuple[CaseChange, ...]:
    """The changes of a lane with their standing; one that was accepted says where and why."""
    return tuple(_with_epoch(change, accepted) for change in appraised(lane))


def _with_epoch(change: CaseChange, accepted: Accepted) -> CaseChange:
    if change.epoch is None:
        return change
    for epoch in accepted.epochs:
        alone = Accepted((epoch,), accepted.holding)
        if change.epoch in alone.starts(change.case, change.series.metric, change.trend.shas):
            return replace(change, reasons=(reason("accepted", sha=epoch.sha[:12], why=epoch.reason),))
    return change


def outside(series: Sequence[Series], order: Order) -> int:
    """How many commits with results of these series are not in the order: of other branches, or lost."""
    return len({p.sha for own in series for p in own.points if p.sha not in order.positions})
