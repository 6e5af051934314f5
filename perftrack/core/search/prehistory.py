"""Was the commit before the culprit slow already? A search asks that of no commit outside of its range.

What GOOD descends from counts as fast, yet a branch may have left that history before GOOD, or what led to it,
made it fast: then the branch's first commit is slow through no change of its own. Only confirming measures what is
before it, so there it shows, and there it takes processes enough to tell.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from perftrack.core.search.transcript import OUTSIDE, place_of

if TYPE_CHECKING:
    from perftrack.core.search.bisection import Search

# Standard errors of the difference of two medians from half of the levels' distance to either end of it.
DEVIATIONS = 2.3
MOST = 40  # processes a side
HALF = 0.5


def is_outside(search: Search) -> bool:
    """Whether what is before the likeliest block is history of GOOD that the search never measures."""
    before = search.block.before
    return before is not None and place_of(search.graph, before) == OUTSIDE


def processes_to_confirm(search: Search) -> int:
    """A side: those of the settings, and so many more as tell whether a commit outside of the range is slow."""
    need = search.settings.confirm
    if not need or not is_outside(search):
        return need
    # A difference of n processes a side has a standard error of √(2 / n) of a process's deviation.
    return max(need, min(math.ceil(2.0 * (2.0 * DEVIATIONS / search.belief.gap) ** 2), MOST))


def was_slow_before(search: Search) -> bool:
    """Whether confirming showed no step from a commit outside of the range to the block: it is slow as well."""
    told, share = search.confirmation, search.explained
    if told is None or share is None or not is_outside(search):
        return False
    return told.interval.lo <= 0.0 and share < HALF
