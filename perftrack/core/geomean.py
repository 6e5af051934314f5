"""By how much cases changed on average: beside the verdicts, never instead of them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.model import Direction

MIN_CASES = 2
_UNMATCHED = (Verdict.FAILED, Verdict.NOT_COMPARABLE)


@dataclass(frozen=True, slots=True)
class GeometricMean:
    """Of candidate / baseline of one metric, over `cases`; `left_out` of it have no ratio.

    `effect` is its logarithm, of the metric as it is: whether positive is worse is `direction`'s to say.
    """

    metric: str
    unit: str
    direction: Direction
    effect: float
    cases: int
    left_out: int


def geometric_means(judgements: Sequence[Judgement]) -> tuple[GeometricMean, ...]:
    """One for each metric of two cases or more (Fleming & Wallace 1986), in order of appearance.

    A case counts where both sides were measured alike and have a ratio: none of what is new, gone, failed,
    accepted, refused as not comparable, or zero.
    """
    groups: dict[tuple[str, str, Direction], list[Judgement]] = defaultdict(list)
    for judged in judgements:
        subject = judged.subject
        groups[subject.metric, subject.unit, subject.direction].append(judged)
    found = []
    for (metric, unit, direction), group in groups.items():
        sign = 1.0 if direction is Direction.LOWER else -1.0
        effects = [
            sign * j.effect
            for j in group
            if j.effect is not None and math.isfinite(j.effect) and j.verdict not in _UNMATCHED
        ]
        if len(effects) >= MIN_CASES:
            mean = math.fsum(effects) / len(effects)
            found.append(GeometricMean(metric, unit, direction, mean, len(effects), len(group) - len(effects)))
    return tuple(found)
