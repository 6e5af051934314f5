"""The one-sided rank-sum test (Wilcoxon 1945, Mann & Whitney 1947): are one side's values the larger ones?"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from perftrack.core.changes.ranking import Ranking
from perftrack.core.stats import Floats
from perftrack.errors import InvalidValueError

EXACT_MOST = 60  # values a side: beyond, the normal tail is at least as large as the exact one where it matters


def rank_sum_p(smaller: Floats, larger: Floats) -> float:
    """Probability that values of one and the same distribution would rank `larger` as high as it ranks.

    Exact without ties and with at most EXACT_MOST values a side, whatever the distribution; else by the normal
    approximation, with its variance corrected for ties and half a rank for continuity. Raises InvalidValueError
    for an empty side.
    """
    n, m = len(larger), len(smaller)
    if not n or not m:
        raise InvalidValueError("a rank test needs values on both sides")
    pooled = np.concatenate([larger, smaller])
    ranks = Ranking(pooled).assign(np.arange(1.0, n + m + 1))
    wins = float(ranks[:n].sum()) - n * (n + 1) / 2
    ties = np.unique(ranks, return_counts=True)[1].astype(np.float64)
    tied = float((ties**3 - ties).sum())
    if tied == 0.0 and max(n, m) <= EXACT_MOST:
        return float(_at_least(min(n, m), max(n, m))[round(wins)])
    total = n + m
    variance = n * m / 12 * (total + 1 - tied / (total * (total - 1)))
    if variance <= 0.0:
        return 1.0  # all values are one: nothing ranks
    return 0.5 * math.erfc((wins - n * m / 2 - 0.5) / math.sqrt(2.0 * variance))


@lru_cache(maxsize=512)
def _at_least(n: int, m: int) -> Floats:
    """(n·m + 1,): probability that the larger side wins at least so many of the n·m pairs.

    The counts of arrangements are the coefficients of the Gaussian binomial: the product over i of
    (1 - x^(m+i)) / (1 - x^i), here with every factor scaled to a sum of one.
    """
    chances = np.ones(1)
    for i in range(1, n + 1):
        grown = np.zeros(-(-(len(chances) + m + i) // i) * i)
        grown[: len(chances)] += chances
        grown[m + i : m + i + len(chances)] -= chances
        grown = grown.reshape(-1, i).cumsum(axis=0).reshape(-1)
        chances = np.maximum(grown[: i * m + 1] * (i / (m + i)), 0.0)
    # It is symmetric; from the lower half both tails come without cancellation.
    half = (len(chances) + 1) // 2
    chances[-half:] = chances[:half][::-1]
    tail: Floats = np.minimum(np.cumsum(chances)[::-1] / chances.sum(), 1.0)
    return tail
