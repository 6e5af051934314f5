"""What changed over the stored history, and when: changes grouped into events, slow creep, and silence."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from perftrack.app.changecauses import Causes
from perftrack.app.creeping import CreepReport, creeps, release_of
from perftrack.app.epochs import Accepted
from perftrack.app.lanewatch import appraised_lane, outside, watched_lanes
from perftrack.app.order import Order
from perftrack.app.project import Project
from perftrack.app.silences import SilenceReport, silences
from perftrack.core.changes.alert import CREEP, SUSPECT, Alert, named
from perftrack.core.changes.appraisal import CaseChange, WatchedLane, significant
from perftrack.core.changes.changepoint import ChangeKind
from perftrack.core.changes.crept import Release
from perftrack.core.changes.event import Event, events
from perftrack.core.changes.silence import device_name
from perftrack.core.changes.watch import Standing
from perftrack.core.history import Lane, Series
from perftrack.core.launches.diff import ProfileDiff
from perftrack.core.model import Reason
from perftrack.errors import UsageError
from perftrack.store.alerts import add_alerts, read_alerts
from perftrack.suite.selection import means

EXIT_REGRESSION = 3
EXIT_UNDECIDED = 4
# What is told of without being asked; the rest is counted.
LOUD = frozenset({Standing.ALERT, Standing.SUSPECT, Standing.ACCEPTED})
_NEWS = frozenset({Standing.ALERT, Standing.SUSPECT})


@dataclass(frozen=True, slots=True)
class DetectOptions:
    """`since`, `release`: revisions. `silence_days`: None for the configuration's. `once`: alert once each."""

    since: str | None = None
    release: str | None = None
    silence_days: float | None = None
    patterns: tuple[str, ...] = ()
    all_parents: bool = False
    once: bool = False


@dataclass(frozen=True, slots=True)
class ChangeEvent:
    """Changes that one commit of the positions `first` to `last` can have made.

    `candidates`: of those, the ones that can be to blame for all. `hints`: what else changed in the range.
    `diffs`: by case id, what profiles on both sides of it show.
    """

    first: int
    last: int
    most_likely: int
    changes: tuple[CaseChange, ...]
    candidates: tuple[int, ...] = ()
    hints: tuple[Reason, ...] = ()
    diffs: Mapping[str, ProfileDiff] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Detection:
    """The answer. `events` are newest first. `lanes`, `decided`: how many there are, and have enough commits.

    `outside`: commits with results that are not in the order. `shallow`: the clone lacks the older ones.
    `devices`: what ran the work, by lane. `unknown_epochs`: accepted at commits that the clone lacks. `once`: what
    is known counts no more.
    """

    order: Order
    events: tuple[ChangeEvent, ...]
    creeps: tuple[CreepReport, ...]
    silences: tuple[SilenceReport, ...]
    release: Release | None
    lanes: int
    decided: int
    outside: int
    shallow: bool = False
    devices: Mapping[str, str] = field(default_factory=dict)
    unknown_epochs: tuple[str, ...] = ()
    once: bool = False

    @property
    def changes(self) -> tuple[CaseChange, ...]:
        return tuple(c for event in self.events for c in event.changes)

    def count(self, standing: Standing) -> int:
        return sum(c.standing is standing for c in self.changes)

    @property
    def exit_code(self) -> int:
        """3: a regression stands, or crept in. 4: nothing was decided, or something is in doubt or silent."""
        alarming: list[bool] = [c.known for c in self.changes if c.alarming] + [c.known for c in self.creeps]
        if any(not (known and self.once) for known in alarming):
            return EXIT_REGRESSION
        doubtful = [c.known for c in self.changes if c.doubtful] + [s.known for s in self.silences]
        if not self.decided or any(not (known and self.once) for known in doubtful):
            return EXIT_UNDECIDED
        return 0

    def alerts(self) -> tuple[Alert, ...]:
        """Everything in it that is news, to be remembered."""
        shas = self.order.shas
        found = []
        for c in self.changes:
            if c.standing in _NEWS and not c.known:
                kind = SUSPECT if c.standing is Standing.SUSPECT else c.change.kind.value
                ends = (shas[c.place.first], shas[c.place.last], shas[c.place.most_likely])
                direction = c.change.direction.value
                found.append(Alert(c.id, kind, c.case.id, c.series.metric, c.trend.lane, direction, *ends))
        for creep in self.creeps:
            own, lane = creep.lane.series, creep.lane.trend.lane
            if not creep.known:
                found.append(Alert(creep.id, CREEP, own.case.id, own.metric, lane, first_sha=creep.release.sha))
        found += [Alert(s.silence.id, s.silence.kind.value, s.silence.name) for s in self.silences if not s.known]
        return tuple(found)


def detect(project: Project, options: DetectOptions | None = None, now: float | None = None) -> Detection:
    """Look at every lane of the store. `now`: unix seconds, for silence; None: the clock's.

    Raises GitError for a revision that there is not, StoreError as the store does, UsageError for a pattern that
    means no case.
    """
    options = options or DetectOptions()
    order = Order.of(project, all_parents=options.all_parents)
    series = _chosen(project.store.series(), options.patterns)
    lanes = {lane.id: lane for lane in project.store.lanes()}
    accepted = Accepted.of(project)
    watched = significant(watched_lanes(project, series, order, lanes, accepted))
    release = release_of(project, order, options.release)
    start = 0 if options.since is None else order.start_after(project, options.since)
    alerts = read_alerts(project.store)
    known = frozenset(alert.id for alert in alerts)
    days = project.config.silence_days if options.silence_days is None else options.silence_days
    quiet = silences(project, series, order, lanes, time.time() if now is None else now, days)
    return Detection(
        order=order,
        events=found_events(project, order, lanes, watched, accepted, start),
        creeps=tuple(replace(c, known=c.id in known) for c in (creeps(watched, release) if release else ())),
        silences=tuple(replace(s, known=s.silence.id in known) for s in quiet if _lasts(s, start)),
        release=release,
        lanes=len(watched),
        decided=sum(lane.decided and lane.trend.positions[-1] >= start for lane in watched),
        outside=outside(series, order),
        shallow=project.repository.is_shallow(),
        devices={
            lane: device_name(lanes[lane].fingerprint) for own in series for lane in own.lanes if lane in lanes
        },
        unknown_epochs=accepted.unknown,
        once=options.once,
    )


def found_events(
    project: Project,
    order: Order,
    lanes: Mapping[str, Lane],
    watched: Sequence[WatchedLane],
    accepted: Accepted,
    start: int = 0,
) -> tuple[ChangeEvent, ...]:
    """The changes of lanes from a position on, named, grouped into events and with their causes; newest first."""
    found = [c for lane in watched for c in appraised_lane(lane, accepted) if c.place.last >= start]
    causes = Causes.of(project, order, lanes, found)
    changes = _named(causes.with_candidates(found), read_alerts(project.store), order)
    return _events(changes, causes)


def remember(project: Project, detection: Detection, now: float | None = None) -> None:
    """Keep what is news as reported, so that it is not news again."""
    if news := detection.alerts():
        add_alerts(project.store, news, time.time() if now is None else now)


def _chosen(series: Sequence[Series], patterns: Sequence[str]) -> tuple[Series, ...]:
    if not patterns:
        return tuple(series)
    for pattern in patterns:
        if not any(_means(pattern, s) for s in series):
            names = sorted({s.case.benchmark for s in series})
            shown = f"Recorded are {', '.join(names[:5])}{', …' if len(names) > 5 else ''}."
            raise UsageError(f"no recorded case matches {pattern!r}", shown)
    return tuple(s for s in series if any(_means(p, s) for p in patterns))


def _means(pattern: str, series: Series) -> bool:
    return means(pattern, series.case, series.source.rpartition(":")[0])


def _named(changes: Sequence[CaseChange], alerts: Sequence[Alert], order: Order) -> tuple[CaseChange, ...]:
    doubtful = [c.standing is Standing.SUSPECT for c in changes]
    names = named([c.place for c in changes], doubtful, alerts, order.positions, order.shas)
    return tuple(replace(c, id=name.id, known=name.known) for c, name in zip(changes, names, strict=True))


def _events(changes: Sequence[CaseChange], causes: Causes) -> tuple[ChangeEvent, ...]:
    """Newest first. What nobody is alerted of makes events of its own, and narrows no other's range."""
    loud = [c for c in changes if c.standing in LOUD]
    quiet = [c for c in changes if c.standing not in LOUD]
    found = [*_grouped(loud, causes), *_grouped(quiet, None)]
    return tuple(sorted(found, key=lambda e: (e.most_likely, e.first, e.last), reverse=True))


def _grouped(changes: Sequence[CaseChange], causes: Causes | None) -> list[ChangeEvent]:
    by_place = {id(c.place): c for c in changes}
    found = []
    grouped = events([c.place for c in changes])
    if causes is not None:
        causes = causes.with_files([(event.first, event.last) for event in grouped if not _drifts(event)])
    for event in grouped:
        own = sorted((by_place[id(place)] for place in event.changes), key=_weight)
        shared = set.intersection(*(set(c.candidates) for c in own))
        candidates = tuple(at for at in range(event.first, event.last + 1) if at in shared)
        likely = min(candidates, key=lambda at: abs(at - event.most_likely), default=event.most_likely)
        made = ChangeEvent(event.first, event.last, likely, tuple(own), candidates)
        if causes is not None:
            hints = causes.hints(event.first, event.last, own)
            made = replace(made, hints=hints, diffs=causes.diffs(own))
        found.append(made)
    return found


def _drifts(event: Event) -> bool:
    return all(place.change.kind is ChangeKind.GRADUAL for place in event.changes)


def _weight(change: CaseChange) -> tuple[bool, float, str, str]:
    return (not change.worse, change.change.p_value, change.case.id, change.series.metric)


def _lasts(report: SilenceReport, start: int) -> bool:
    """Whether a silence is of what reported since the start; what is about days always is."""
    return report.silence.last is None or report.silence.last >= start
