"""The effect of a culprit, from fresh processes of it and of what is before it, and from these alone.

The readings that led to the culprit are no estimate of its effect: it was chosen for them, so they show too much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perftrack.core.model import Direction, Interval
from perftrack.core.permutation import MIN_SIDE, permutation_test
from perftrack.core.search.transcript import scaled
from perftrack.core.search.visits import Phase, Visit


@dataclass(frozen=True, slots=True)
class Confirmation:
    """`effect` and its 95 % `interval`, positive is worse: ln(after / before), or after - before where `logs` is
    False because a value is not positive. `p_value`: two-sided, of no difference.
    """

    before: str
    after: str
    before_values: tuple[float, ...]
    after_values: tuple[float, ...]
    effect: float
    interval: Interval
    p_value: float
    logs: bool


def confirmed_values(
    visits: Sequence[Visit], before: str | None, after: str | None
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """What the visits made for this pair read, before and after."""
    own = [v for v in visits if v.phase is Phase.CONFIRM and v.side(before) and v.side(after)]
    sides = [[side.values for v in own if (side := v.side(sha)) is not None] for sha in (before, after)]
    first, second = (tuple(x for values in side for x in values) for side in sides)
    return first, second


def confirmation(visits: Sequence[Visit], before: str, after: str, direction: Direction) -> Confirmation | None:
    """By a permutation test of the process medians; None with fewer than four on a side."""
    values = confirmed_values(visits, before, after)
    if min(map(len, values)) < MIN_SIDE:
        return None
    logs = all(v > 0 for side in values for v in side)
    fast, slow = (scaled(np.array(side), direction, logs=logs) for side in values)
    test = permutation_test(fast.tolist(), slow.tolist())
    return Confirmation(before, after, *values, test.effect, test.interval, test.p_value, logs)
