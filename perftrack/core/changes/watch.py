"""Which changes of a lane are worth an alert: none that was accepted or is before one, none of tier C alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from perftrack.core.changes.changepoint import ChangePoint, detect
from perftrack.core.stats import Floats
from perftrack.errors import InvalidValueError

Flags = NDArray[np.bool_]
NEAR = 5  # values between an epoch and the change that it accepts: whoever accepts may miss by a few commits


class Standing(StrEnum):
    ALERT = "alert"
    SUSPECT = "suspect"  # rests on measurements that no verdict may rest on: measure again
    MINOR = "minor"  # established, and below the threshold
    RECOVERED = "recovered"  # for the worse, and a later change took it back
    ACCEPTED = "accepted"
    PAST = "past"  # before an accepted change, where history is no longer a baseline


@dataclass(frozen=True, slots=True)
class WatchedChange:
    """`epoch`: for an accepted change the index of the first value after the epoch that accepts it."""

    change: ChangePoint
    standing: Standing
    epoch: int | None = None


def watch(
    values: Sequence[float] | Floats,
    trusted: Sequence[bool] | Flags,
    epochs: Sequence[int] = (),
    *,
    exact: bool | None = None,
) -> tuple[WatchedChange, ...]:
    """Changes of values (n,) in their order, each with its standing.

    `trusted[i]`: value i is of tier A or B. Alerts come of trusted values alone; a change that shows only with
    the others is a suspect. `epochs`: indices of the first value after each accepted change. A stretch between
    two is looked at by itself, and only the last one alerts; a change at an epoch is the one that it accepts.
    Raises InvalidValueError as `detect` does, and for sequences of two lengths or an epoch outside the series.
    """
    if len(trusted) != len(values):
        raise InvalidValueError(f"{len(values)} values, but whether {len(trusted)} are trusted")
    outside = [epoch for epoch in epochs if not 0 <= epoch <= len(values)]
    if outside:
        raise InvalidValueError(f"epoch at value {outside[0]} of {len(values)}")
    trusted = np.asarray(trusted, dtype=np.bool_)
    found = _accepted(values, trusted, epochs, exact)
    accepted = [watched.change for watched in found]
    edges = sorted({0, *epochs, len(values)})
    baseline = max(epochs, default=0)
    for start, end in pairwise(edges):
        for watched in _stretch(values[start:end], trusted[start:end], exact):
            change = _shifted(watched.change, start)
            if not any(_same(change, other) for other in accepted):
                standing = watched.standing if start >= baseline else Standing.PAST
                found.append(WatchedChange(change, standing))
    return tuple(sorted(found, key=lambda watched: (watched.change.most_likely, watched.standing)))


def _accepted(
    values: Sequence[float] | Floats, trusted: Flags, epochs: Sequence[int], exact: bool | None
) -> list[WatchedChange]:
    """For each epoch the change of the whole series that lies at it, the nearest of several."""
    inside = sorted({epoch for epoch in epochs if 0 < epoch < len(values)})
    changes = _sure(values, trusted, exact) if inside else []
    found: dict[int, WatchedChange] = {}
    for epoch in inside:
        at = [index for index, change in enumerate(changes) if index not in found and _lies_at(change, epoch)]
        if at:
            nearest = min(at, key=lambda index: abs(changes[index].most_likely - epoch))
            found[nearest] = WatchedChange(changes[nearest], Standing.ACCEPTED, epoch)
    return list(found.values())


def _lies_at(change: ChangePoint, epoch: int) -> bool:
    slack = NEAR if change.p_value > 0.0 else 0  # of a count it is known to the commit
    return change.first - slack <= epoch <= change.last + slack


def _sure(values: Sequence[float] | Floats, trusted: Flags, exact: bool | None) -> list[ChangePoint]:
    if trusted.all():
        return list(detect(values, exact=exact))
    kept: list[int] = np.flatnonzero(trusted).tolist()
    return [_spread_out(change, kept) for change in detect([values[i] for i in kept], exact=exact)]


def _stretch(values: Sequence[float] | Floats, trusted: Flags, exact: bool | None) -> list[WatchedChange]:
    if trusted.all():
        return [WatchedChange(change, Standing.ALERT) for change in detect(values, exact=exact)]
    sure, seen = _sure(values, trusted, exact), detect(values, exact=exact)
    found = [WatchedChange(change, Standing.ALERT) for change in sure]
    found += [WatchedChange(c, Standing.SUSPECT) for c in seen if not any(_same(c, other) for other in sure)]
    return found


def _spread_out(change: ChangePoint, kept: Sequence[int]) -> ChangePoint:
    """The change among all values: what lies between two kept ones may be on either side."""
    first = kept[change.first - 1] + 1 if change.first else kept[0]
    return replace(change, first=first, last=kept[change.last], most_likely=kept[change.most_likely])


def _same(change: ChangePoint, other: ChangePoint) -> bool:
    overlap = change.first <= other.last and other.first <= change.last
    return overlap and change.direction is other.direction


def _shifted(change: ChangePoint, by: int) -> ChangePoint:
    if by == 0:
        return change
    return replace(change, first=change.first + by, last=change.last + by, most_likely=change.most_likely + by)
