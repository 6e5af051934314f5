"""How little evidence can a split have? Told from counts, where two sides hardly mix and a ranking is dear."""

from __future__ import annotations

import math

import numpy as np

from perftrack.core.changes.nulltable import split_p
from perftrack.core.changes.ranking import median
from perftrack.core.changes.rankscan import FAR, NEAR, SHORT, RankSums, penalty
from perftrack.core.stats import Floats


def surely(values: Floats, k: int, p: float) -> bool:
    """Whether counts show that the split of values (n,) before index k is of at most this probability."""
    return split_p(least_statistic(values, k), len(values)) <= p


def seen(values: Floats, k: int, p: float) -> bool:
    """Whether the split of values (n,) before index k is of at most this probability."""
    return surely(values, k, p) or split_p(RankSums(values).split_at(k), len(values)) <= p


def least_statistic(values: Floats, k: int) -> float:
    """A statistic that the split before index k, 1 ≤ k < n, has at least; -inf where counts don't tell.

    They are of values on the wrong side of the middle between both medians. The scores of the shorter side are
    least if its values are the innermost on their side of the middle, and those on the wrong one the outermost.
    Of ranks at share q of n, below a half, a score's size is at least 1 - 2q: a normal quantile is convex there
    and its tangent at a half is steeper, and what the scores are divided by for a variance of 1 is at most 1.
    """
    n = len(values)
    short, other = (values[:k], values[k:]) if 2 * k <= n else (values[k:], values[:k])
    here, there = median(short), median(other)
    middle = (here + there) / 2
    strays = int(np.count_nonzero(short > middle if here < there else short < middle))
    guests = int(np.count_nonzero(other <= middle if here < there else other >= middle))
    own = len(short) - strays
    reach = min(own + guests, n // 2)
    h = k * (n - k) / n
    lost = (strays + own + guests - reach) * (FAR if h < SHORT else NEAR)
    total = (reach - guests) * (1 - (reach + guests) / n) - lost
    return total * total / h - penalty(h, n) if total > 0.0 else -math.inf
