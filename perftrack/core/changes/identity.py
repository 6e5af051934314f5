"""The same change, seen again in a longer history: it is known by the name it got first, and alerts once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.core.changes.changepoint import Shift
from perftrack.core.changes.event import PlacedChange

# A range moves while commits are added: 95 of 100 hold the change, and two of them need not touch.
SLACK = 5


@dataclass(frozen=True, slots=True)
class KnownChange:
    """A change that was reported before: where its range is in today's order of commits."""

    id: str
    lane: str
    direction: Shift
    first: int
    last: int


def change_id(lane: str, direction: Shift, sha: str) -> str:
    """12 hex digits for a change first seen in `lane`, most likely at commit `sha`."""
    return hashlib.sha256(f"{lane}\0{direction}\0{sha}".encode()).hexdigest()[:12]


def recognised(known: Sequence[KnownChange], found: Sequence[PlacedChange]) -> tuple[str | None, ...]:
    """For each found change the id of the known one that it is, None where it is new.

    The same: in the same lane, in the same direction, and with ranges that overlap or are no more than SLACK
    commits apart. Nearest first, each known change once.
    """
    pairs = []
    for at, change in enumerate(found):
        for index, old in enumerate(known):
            if old.lane != change.lane or old.direction is not change.change.direction:
                continue
            gap = max(old.first - change.last, change.first - old.last, 0)
            if gap <= SLACK:
                away = abs(old.first + old.last - 2 * change.most_likely)
                pairs.append((gap, away, index, at))
    ids: list[str | None] = [None] * len(found)
    taken: set[int] = set()
    for _, _, index, at in sorted(pairs):
        if ids[at] is None and index not in taken:
            ids[at] = known[index].id
            taken.add(index)
    return tuple(ids)


def creep_id(lane: str, release: str) -> str:
    """12 hex digits for the creep of a lane since the release at commit `release`."""
    return hashlib.sha256(f"creep\0{lane}\0{release}".encode()).hexdigest()[:12]
