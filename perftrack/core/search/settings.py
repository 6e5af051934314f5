"""How a search is to be carried out."""

from __future__ import annotations

import math
from dataclasses import dataclass

from perftrack.core.model import Direction
from perftrack.core.search.probing import BATCH_MOST
from perftrack.errors import InvalidValueError

CONFIDENCE = 0.99
CHECKS = 2  # visits between a culprit and BAD
CONFIRM = 5  # processes a side
# One process at an end for four at probes: a visit of four has an end beside it, and of single processes every
# fourth has.
END_SHARE = 0.25
BUILD_COST = 3.0  # processes, until a build has been timed


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Raises InvalidValueError for what is out of range, naming the option.

    direction: which way is better. confidence: probability that one block is to hold. skip: commits never to be
    measured. measurements, seconds: the most to spend, in processes and in time. batch_most: processes at a
    commit in one visit; batch_least may raise the smallest. build_cost: what a build costs, in processes; None
    takes it from the visits' own times. end_share: processes at an end for each at a probe, against drift; 0
    where levels cannot drift. reproduce: whether the difference must show before the search. checks: visits that
    look whether it is slow all the way to BAD. confirm: fresh processes a side.
    """

    direction: Direction = Direction.LOWER
    confidence: float = CONFIDENCE
    skip: tuple[str, ...] = ()
    measurements: int | None = None
    seconds: float | None = None
    batch_least: int = 1
    batch_most: int = BATCH_MOST
    build_cost: float | None = None
    end_share: float = END_SHARE
    reproduce: bool = True
    checks: int = CHECKS
    confirm: int = CONFIRM

    def __post_init__(self) -> None:
        if not 0.5 < self.confidence < 1.0:
            raise InvalidValueError(
                f"a confidence is above 0.5 and below 1, not {self.confidence:g}",
                "Give one like --confidence 0.99.",
            )
        if self.measurements is not None and self.measurements < 1:
            raise InvalidValueError(
                f"a budget of {self.measurements} measurements", "Give --budget a number above 0."
            )
        if self.seconds is not None and not 0.0 < self.seconds < math.inf:
            raise InvalidValueError(f"a budget of {self.seconds:g} seconds", "Give --budget a time above 0.")
        if not 1 <= self.batch_least <= self.batch_most <= 100:
            raise InvalidValueError(
                f"processes a visit go from 1 to 100, not from {self.batch_least} to {self.batch_most}"
            )
        if self.build_cost is not None and not 0.0 <= self.build_cost < math.inf:
            raise InvalidValueError(f"a build cannot cost {self.build_cost:g} processes")
        if not 0.0 <= self.end_share <= 1.0:
            raise InvalidValueError(f"the share of processes at the ends is from 0 to 1, not {self.end_share:g}")
        if not 0 <= self.checks <= 100:
            raise InvalidValueError(f"a culprit is checked by 0 to 100 visits, not {self.checks}")
        if self.confirm and not 4 <= self.confirm <= 100:
            raise InvalidValueError(f"confirming takes 4 to 100 processes a side or none, not {self.confirm}")
