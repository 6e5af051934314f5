"""Changes of many lanes, placed in one order of commits and grouped into events that one commit can explain."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from operator import ge

from perftrack.core.changes.changepoint import ChangeKind, ChangePoint
from perftrack.core.discoveries import FALSE_DISCOVERY_RATE, benjamini_hochberg
from perftrack.errors import InvalidValueError


@dataclass(frozen=True, slots=True)
class PlacedChange:
    """A lane's change in an order of commits that all lanes share.

    The commit that did it is at one of the positions `first` to `last`, both included: after the last measured
    commit that still has the old level for certain. `lane` is any text that tells lanes apart.
    """

    lane: str
    change: ChangePoint
    first: int
    last: int
    most_likely: int


@dataclass(frozen=True, slots=True)
class Event:
    """Changes that share the positions `first` to `last`: one commit there can have caused them all."""

    first: int
    last: int
    most_likely: int
    changes: tuple[PlacedChange, ...]


def placed(lane: str, change: ChangePoint, positions: Sequence[int]) -> PlacedChange:
    """`positions[i]`: where in the order of commits the i-th measured value of the lane is, ascending.

    Raises InvalidValueError where they are not ascending or do not reach the change.
    """
    return all_placed(lane, (change,), positions)[0]


def all_placed(lane: str, changes: Sequence[ChangePoint], positions: Sequence[int]) -> tuple[PlacedChange, ...]:
    """`placed` of each of a lane's changes."""
    if changes and any(map(ge, positions, islice(positions, 1, None))):
        raise InvalidValueError("positions of measured commits must ascend, one a value")
    return tuple(_placed(lane, change, positions) for change in changes)


def _placed(lane: str, change: ChangePoint, positions: Sequence[int]) -> PlacedChange:
    if change.last >= len(positions):
        raise InvalidValueError(f"a change at value {change.last} of {len(positions)} commits")
    first = positions[change.first - 1] + 1 if change.first else positions[0]
    return PlacedChange(lane, change, first, positions[change.last], positions[change.most_likely])


def discovered(
    lanes: Sequence[Sequence[ChangePoint]], q: float = FALSE_DISCOVERY_RATE
) -> tuple[tuple[ChangePoint, ...], ...]:
    """The changes of each lane that survive Benjamini-Hochberg over all lanes, those without a change included."""
    tested = [change.p_value for lane in lanes for change in lane]
    quiet = sum(not lane for lane in lanes)
    cutoff = benjamini_hochberg([*tested, *[1.0] * quiet], q)
    return tuple(tuple(change for change in lane if change.p_value <= cutoff) for lane in lanes)


def blamable(change: PlacedChange | Event, codes: Sequence[str | None]) -> tuple[int, ...]:
    """Positions in the range whose commit can be to blame: its code is not that of the commit before.

    `codes[p]`: hash of the code at position p, None where it is not known, which is never equal. Empty: no
    commit in the range changed the code, and the cause is to be sought in the environment. Raises
    InvalidValueError where the codes do not reach the range's end.
    """
    if change.last >= len(codes):
        raise InvalidValueError(f"a change up to commit {change.last}, but the code of {len(codes)} commits")
    found = []
    for position in range(change.first, change.last + 1):
        code = codes[position]
        if position == 0 or code is None or code != codes[position - 1]:
            found.append(position)
    return tuple(found)


def events(changes: Sequence[PlacedChange]) -> tuple[Event, ...]:
    """Changes grouped, latest event last; drifts apart from steps, since their ranges hold every step on the way.

    The position that the most ranges hold makes the first group, and so on with those left. Every change
    of a group has that position in its range, so that no chain of overlaps joins what has no commit in common.
    """
    drifts = [c for c in changes if c.change.kind is ChangeKind.GRADUAL]
    steps = [c for c in changes if c.change.kind is not ChangeKind.GRADUAL]
    found = [*_grouped(steps), *_grouped(drifts)]
    return tuple(sorted(found, key=lambda event: (event.most_likely, event.first, event.last)))


def _grouped(changes: list[PlacedChange]) -> list[Event]:
    found = []
    waiting = _chains(changes)
    while waiting:
        chain = waiting.pop()
        at = _shared(chain)
        together = tuple(c for c in chain if c.first <= at <= c.last)
        first, last = max(c.first for c in together), min(c.last for c in together)
        found.append(Event(first, last, at, together))
        waiting += _chains([c for c in chain if not c.first <= at <= c.last])
    return found


def _chains(changes: list[PlacedChange]) -> list[list[PlacedChange]]:
    """Changes whose ranges hang together by overlaps: no position is in ranges of two chains."""
    chains: list[list[PlacedChange]] = []
    reach = -1
    for change in sorted(changes, key=lambda c: (c.first, c.last, c.most_likely, c.lane)):
        if not chains or change.first > reach:
            chains.append([])
        chains[-1].append(change)
        reach = max(reach, change.last)
    return chains


def _shared(changes: list[PlacedChange]) -> int:
    """Position in the most ranges; of several, the one that most call most likely, then the nearest to them.

    Ranges begin to overlap where one of them begins and cease where one ends, so that the ends and the most
    likely positions are all that need looking at.
    """
    firsts, lasts = sorted(c.first for c in changes), sorted(c.last for c in changes)
    holding = {
        p: bisect_right(firsts, p) - bisect_left(lasts, p)
        for c in changes
        for p in (c.first, c.most_likely, c.last)
    }
    most = max(holding.values())
    likely = Counter(c.most_likely for c in changes)

    def worth(position: int) -> tuple[int, int, int]:
        away = sum(abs(c.most_likely - position) for c in changes if c.first <= position <= c.last)
        return likely[position], -away, -position

    return max((p for p, count in holding.items() if count == most), key=worth)
