"""Which lanes became worse since a release without any one change that says so."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.core.changes.creep import WINDOW, Creep, creep
from perftrack.core.changes.watch import Standing, WatchedChange
from perftrack.core.discoveries import FALSE_DISCOVERY_RATE, benjamini_hochberg
from perftrack.core.model import Direction


@dataclass(frozen=True, slots=True)
class Release:
    """What creep is counted from. `position`: of its last commit in the order."""

    name: str
    sha: str
    position: int


@dataclass(frozen=True, slots=True)
class Course:
    """A lane's values (n,), one a commit, with whether each is trusted and its commit's position, ascending.

    `found`: its changes; `epochs`: first values after each accepted change; `threshold`: in log units.
    """

    values: Sequence[float]
    trusted: Sequence[bool]
    positions: Sequence[int]
    found: Sequence[WatchedChange]
    epochs: Sequence[int]
    threshold: float
    direction: Direction


def crept(courses: Sequence[Course], release: Release) -> tuple[tuple[int, Creep], ...]:
    """Index and creep of each lane that crept, with the rate of false ones over all lanes controlled.

    That is: its level is worse than at the release by the threshold, and most of that is in no change since that
    is told by itself.
    """
    looked = [(at, seen) for at, own in enumerate(courses) if (seen := _since(own, release)) is not None]
    cutoff = benjamini_hochberg([seen.p_value for _, seen in looked], FALSE_DISCOVERY_RATE)
    return tuple(
        (at, seen)
        for at, seen in looked
        if seen.alarm and seen.p_value <= cutoff and _untold(courses[at], release, seen)
    )


def _since(own: Course, release: Release) -> Creep | None:
    """Of trusted values alone. Where a change was accepted since, the accepted level is the one to keep."""
    kept = [at for at, good in enumerate(own.trusted) if good]
    values = [own.values[at] for at in kept]
    pinned = bisect_right([own.positions[at] for at in kept], release.position) - 1
    starts = [w.change.last for w in own.found if w.standing is not Standing.SUSPECT]
    epochs = [bisect_right(kept, epoch - 1) for epoch in own.epochs]
    if epochs and epochs[-1] > pinned:
        pinned = min(epochs[-1] + WINDOW, len(values)) - 1
    if pinned < 0 or not values:
        return None
    places = [*epochs, *(bisect_right(kept, start - 1) for start in starts)]
    after = max((place for place in places if place <= pinned), default=0)
    return creep(values, pinned, own.threshold, after=after)


def _untold(own: Course, release: Release, seen: Creep) -> bool:
    """Whether it is for the worse, and most of it is in no change since that is an alert by itself.

    Changes below the threshold alert nobody, however many there are: they are what creep is made of.
    """
    sign = 1.0 if own.direction is Direction.LOWER else -1.0
    total = sign * math.log(seen.ratio)
    if total < own.threshold:
        return False
    told = sum(
        sign * math.log(w.change.ratio)
        for w in own.found
        if w.change.ratio is not None
        and w.standing in (Standing.ALERT, Standing.ACCEPTED)
        and abs(math.log(w.change.ratio)) >= own.threshold
        and own.positions[w.change.most_likely] > release.position
    )
    return total - told >= max(own.threshold, total / 2)
