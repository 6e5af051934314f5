"""Which changes of a lane are worth an alert: none before an accepted one, none that tier C alone shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from perftrack.core.changes.changepoint import ChangePoint, detect
from perftrack.errors import InvalidValueError


class Standing(StrEnum):
    ALERT = "alert"
    SUSPECT = "suspect"  # rests on measurements that no verdict may rest on: measure again
    PAST = "past"  # before an accepted change, where history is no longer a baseline


@dataclass(frozen=True, slots=True)
class WatchedChange:
    change: ChangePoint
    standing: Standing


def watch(
    values: Sequence[float], trusted: Sequence[bool], epochs: Sequence[int] = (), *, exact: bool | None = None
) -> tuple[WatchedChange, ...]:
    """Changes of values (n,) in their order, each with its standing.

    `trusted[i]`: value i is of tier A or B. Alerts come of trusted values alone; a change that shows only with
    the others is a suspect. `epochs`: indices of the first value after each accepted change. A stretch between
    two is looked at by itself, and only the last one alerts. Raises InvalidValueError as `detect` does, and
    for sequences of two lengths or an epoch outside the series.
    """
    if len(trusted) != len(values):
        raise InvalidValueError(f"{len(values)} values, but whether {len(trusted)} are trusted")
    outside = [epoch for epoch in epochs if not 0 <= epoch <= len(values)]
    if outside:
        raise InvalidValueError(f"epoch at value {outside[0]} of {len(values)}")
    edges = sorted({0, *epochs, len(values)})
    baseline = max(epochs, default=0)
    found: list[WatchedChange] = []
    for start, end in pairwise(edges):
        for watched in _stretch(values[start:end], trusted[start:end], exact):
            standing = watched.standing if start >= baseline else Standing.PAST
            found.append(WatchedChange(_shifted(watched.change, start), standing))
    return tuple(found)


def _stretch(values: Sequence[float], trusted: Sequence[bool], exact: bool | None) -> list[WatchedChange]:
    kept = [index for index, good in enumerate(trusted) if good]
    sure = [_spread_out(change, kept) for change in detect([values[i] for i in kept], exact=exact)]
    found = [WatchedChange(change, Standing.ALERT) for change in sure]
    if len(kept) < len(values):
        seen = detect(values, exact=exact)
        found += [WatchedChange(c, Standing.SUSPECT) for c in seen if not any(_same(c, other) for other in sure)]
    return sorted(found, key=lambda watched: (watched.change.most_likely, watched.standing))


def _spread_out(change: ChangePoint, kept: Sequence[int]) -> ChangePoint:
    """The change among all values: what lies between two kept ones may be on either side."""
    first = kept[change.first - 1] + 1 if change.first else kept[0]
    return replace(change, first=first, last=kept[change.last], most_likely=kept[change.most_likely])


def _same(change: ChangePoint, other: ChangePoint) -> bool:
    overlap = change.first <= other.last and other.first <= change.last
    return overlap and change.direction is other.direction


def _shifted(change: ChangePoint, by: int) -> ChangePoint:
    return replace(change, first=change.first + by, last=change.last + by, most_likely=change.most_likely + by)
