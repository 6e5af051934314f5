"""One benchmark over the commits: its points in history order, and where its level changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.app.epochs import Accepted
from perftrack.app.history import LoggedSeries, log_of
from perftrack.app.lanewatch import appraised_lane, watched_lanes
from perftrack.app.order import Order
from perftrack.app.project import Project
from perftrack.core.changes.appraisal import CaseChange
from perftrack.errors import GitError


@dataclass(frozen=True, slots=True)
class LoggedTrend:
    """A series, and the changes of its lanes, oldest first."""

    logged: LoggedSeries
    changes: tuple[CaseChange, ...]


@dataclass(frozen=True, slots=True)
class BenchmarkLog:
    """`order`: what the places of the changes are positions in."""

    trends: tuple[LoggedTrend, ...]
    order: Order


def benchmark_log(project: Project, pattern: str, *, all_parents: bool = False) -> BenchmarkLog:
    """Every series whose case is, or contains, `pattern`. Raises UsageError where there is none."""
    found = log_of(project, pattern)
    order = _order(project, all_parents=all_parents)
    accepted = Accepted.of(project)
    return BenchmarkLog(tuple(_trend(project, own, order, accepted) for own in found), order)


def _order(project: Project, *, all_parents: bool) -> Order:
    """An orphan branch has no commit yet, and its log shows what there is of others."""
    try:
        return Order.of(project, all_parents=all_parents)
    except GitError:
        return Order((), {})


def _trend(project: Project, own: LoggedSeries, order: Order, accepted: Accepted) -> LoggedTrend:
    watched = watched_lanes(project, [own.series], order, own.lanes, accepted)
    return LoggedTrend(own, _ordered([c for lane in watched for c in appraised_lane(lane, accepted)]))


def _ordered(changes: Sequence[CaseChange]) -> tuple[CaseChange, ...]:
    return tuple(sorted(changes, key=lambda c: (c.place.most_likely, c.place.first, c.trend.lane)))
