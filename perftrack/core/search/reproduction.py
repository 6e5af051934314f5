"""Is there a difference between the ends? A rank test that may be looked at as often as one likes.

A p-value that is looked at again and again until it is small is small sooner or later: with a look after each
process, p < 1e-4 comes up in 1.1 of 1,000 series that have no difference, eleven times its name (Armitage,
McPherson & Rowe 1969). So it takes two steps. p < START lets the search begin. A culprit is named only once the
difference is *established*: p < ESTABLISH at some look, a bound that all looks, up to ENDS_MOST a side, cross
with a probability near 5 in 10,000 (tests/bench/bisect.py, by importance sampling). The search's own visits to
the ends go on with the test, so that the second step costs little.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from perftrack.core.search.ranksum import rank_sum_p
from perftrack.core.stats import Floats

LEAST, MOST = 8, 60  # processes a side before the search begins
START = 1e-4
ESTABLISH = 4e-5
# After MOST a side a difference of one standard deviation is missed by START one time in twenty. Below this the
# search begins on suspicion: no difference gets there one time in 200, and is not named for it.
SUSPECT = 5e-3
FADED = 0.05  # a difference that was seen at the start and is worth no more than this later was luck
ENDS_MOST = 150  # processes a side


class Standing(StrEnum):
    OPEN = "open"
    STARTED = "started"
    SUSPECTED = "suspected"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What the ends' own readings have shown so far. `p_value`: one-sided, of the last look."""

    standing: Standing = Standing.OPEN
    established: bool = False
    p_value: float = 1.0
    good: int = 0
    bad: int = 0

    @property
    def searching(self) -> bool:
        return self.standing in {Standing.STARTED, Standing.SUSPECTED}

    def look(self, good: Floats, bad: Floats) -> Reproduction:
        """With all readings of the ends so far, larger is worse."""
        seen = replace(self, good=len(good), bad=len(bad))
        fewer = min(len(good), len(bad))
        if fewer < LEAST or self.standing is Standing.ABSENT:
            return seen
        p = rank_sum_p(good, bad)
        seen = replace(seen, p_value=p, established=self.established or p < ESTABLISH)
        if self.standing is Standing.OPEN:
            if p < START:
                return replace(seen, standing=Standing.STARTED)
            if p > 1.0 - START:
                return replace(seen, standing=Standing.ABSENT)  # BAD is the better one
            if fewer < MOST:
                return seen
            return replace(seen, standing=Standing.SUSPECTED if p < SUSPECT else Standing.ABSENT)
        if not seen.established and (p > FADED or fewer >= ENDS_MOST):
            return replace(seen, standing=Standing.ABSENT)
        return seen


ASSUMED = Reproduction(Standing.STARTED, established=True, p_value=0.0)
