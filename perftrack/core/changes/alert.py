"""Alerts as they are remembered: what was reported is not reported again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perftrack.core.changes.changepoint import Shift
from perftrack.core.changes.event import PlacedChange
from perftrack.core.changes.identity import KnownChange, change_id, recognised

SUSPECT, CREEP = "suspect", "creep"


@dataclass(frozen=True, slots=True)
class Alert:
    """`kind`: step, gradual, bump, SUSPECT, CREEP, or what fell silent. SHAs are empty where there is no range."""

    id: str
    kind: str
    subject: str
    metric: str = ""
    lane: str = ""
    direction: str = ""
    first_sha: str = ""
    last_sha: str = ""
    most_likely_sha: str = ""

    @property
    def series(self) -> str:
        return lane_key(self.subject, self.metric, self.lane)


def lane_key(case: str, metric: str, lane: str) -> str:
    """A text that tells lanes of all cases and metrics apart."""
    return f"{case}\0{metric}\0{lane}"


@dataclass(frozen=True, slots=True)
class Named:
    """A change's id, and whether an alert about it was reported before."""

    id: str
    known: bool


def named(
    found: Sequence[PlacedChange],
    suspects: Sequence[bool],
    alerts: Sequence[Alert],
    positions: Mapping[str, int],
    shas: Sequence[str],
) -> tuple[Named, ...]:
    """The ids of found changes: the one that an alert gave it, or a new one.

    `suspects[i]`: found change i is one. An alert settles a suspect, but a suspect that was reported does not
    settle the alert that measuring again makes of it. `positions`: of commits by SHA, in the order that the
    changes are placed in, and `shas` its inverse. An alert about commits that are no longer there is forgotten.
    """
    known = _known(alerts, positions)
    names: list[Named | None] = [None] * len(found)
    by_lane: dict[str, list[int]] = defaultdict(list)
    for index, change in enumerate(found):
        by_lane[change.lane].append(index)
    for lane, indices in by_lane.items():
        changes = [found[i] for i in indices]
        sure = recognised([k for k, suspect in known.get(lane, ()) if not suspect], changes)
        doubtful = recognised([k for k, suspect in known.get(lane, ()) if suspect], changes)
        for index, by_alert, by_suspect in zip(indices, sure, doubtful, strict=True):
            change = found[index]
            own = by_alert or by_suspect or change_id(lane, change.change.direction, shas[change.most_likely])
            names[index] = Named(own, by_alert is not None or (suspects[index] and by_suspect is not None))
    return tuple(name for name in names if name is not None)


def _known(alerts: Sequence[Alert], positions: Mapping[str, int]) -> dict[str, list[tuple[KnownChange, bool]]]:
    known: dict[str, list[tuple[KnownChange, bool]]] = defaultdict(list)
    directions = {shift.value: shift for shift in Shift}
    for alert in alerts:
        direction = directions.get(alert.direction)
        ends = [positions.get(sha) for sha in (alert.first_sha, alert.last_sha)]
        likely = positions.get(alert.most_likely_sha)
        first, last = (likely if end is None else end for end in ends)
        if direction is None or first is None or last is None or alert.kind == CREEP:
            continue
        change = KnownChange(alert.id, alert.series, direction, first, last)
        known[alert.series].append((change, alert.kind == SUSPECT))
    return known
