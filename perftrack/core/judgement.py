"""What a comparison of one metric of one case can say, and what it rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from perftrack.core.model import Interval, Measurement, MeasurementTier, Reason
from perftrack.core.noise import LaneNoise

EQUAL_CODE = "equal-code"
ACCEPTED = "accepted"


class Verdict(StrEnum):
    REGRESSION = "regression"
    IMPROVEMENT = "improvement"
    UNCHANGED = "unchanged"
    INCONCLUSIVE = "inconclusive"
    NOT_COMPARABLE = "not-comparable"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdict on one metric of one case, with all that it rests on.

    `effect` is d, `interval` its 95 % interval, both in log units with positive worse; `p_value` is
    of "no difference"; `mde` the effect that would be detected 4 times in 5. None: not computable. `noise`: how
    much runs of the lane differ with nothing changed, where that entered the interval.
    """

    verdict: Verdict
    baseline: Measurement | None
    candidate: Measurement | None
    tier: MeasurementTier
    reasons: tuple[Reason, ...]
    threshold: float
    effect: float | None = None
    interval: Interval | None = None
    p_value: float | None = None
    mde: float | None = None
    noise: LaneNoise | None = None

    @property
    def subject(self) -> Measurement:
        """The side that exists, candidate first: names the case and metric."""
        side = self.candidate or self.baseline
        assert side is not None
        return side

    @property
    def of_equal_code(self) -> bool:
        """Whether both sides were seen to run the same code: a change, if any, is not of it."""
        return any(r.code == EQUAL_CODE for r in self.reasons)

    @property
    def is_accepted(self) -> bool:
        """Whether an epoch lies between the sides, so that the baseline is none any more."""
        return any(r.code == ACCEPTED for r in self.reasons)

    @property
    def speedup(self) -> float | None:
        """baseline / candidate in the metric's good direction; above 1 the candidate is better."""
        return None if self.effect is None else math.exp(-self.effect)
