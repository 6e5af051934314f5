"""How probable is a scan's statistic in a series without a change? Looked up, never drawn."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from perftrack.core.changes.nulldata import ARCS, LEVELS, SPLITS
from perftrack.core.stats import Floats

SHORTEST = min(SPLITS)
LONGEST = max(SPLITS)
Table = Mapping[int, tuple[float, ...]]
TAIL = 4  # levels that the slope beyond the last one is taken from
_LOG_LEVELS = np.log(LEVELS)


def split_p(statistic: float, n: int) -> float:
    """Probability that the best split of n values without a change has at least this statistic."""
    return _probability(statistic, n, _splits(n))


def arc_p(statistic: float, n: int) -> float:
    """As `split_p`, of the best arc."""
    return _probability(statistic, n, _arcs(n))


@lru_cache(maxsize=4096)
def arc_least(p: float, n: int) -> float:
    """A statistic that every arc with at most this probability reaches."""
    above = [at for at, level in enumerate(LEVELS) if level > p]
    return float(_arcs(n)[above[-1]]) if above else -math.inf


@lru_cache(maxsize=4096)
def _splits(n: int) -> Floats:
    return _interpolated(SPLITS, n)


@lru_cache(maxsize=4096)
def _arcs(n: int) -> Floats:
    return _interpolated(ARCS, n)


def _interpolated(table: Table, n: int) -> Floats:
    """Statistic at each level for a length between two of the table's, linear in ln(n)."""
    lengths = list(table)
    n = min(max(n, lengths[0]), lengths[-1])
    upper = bisect_left(lengths, n)
    above = np.asarray(table[lengths[upper]])
    if lengths[upper] == n:
        return above
    lower, higher = lengths[upper - 1], lengths[upper]
    share = math.log(n / lower) / math.log(higher / lower)
    return np.asarray((1 - share) * np.asarray(table[lower]) + share * above)


def _probability(statistic: float, n: int, row: Floats) -> float:
    """ln(p) is linear in the statistic between levels and beyond the last; 1 below the first.

    Never below that of the one order of n values in which two halves are wholly apart.
    """
    if statistic < row[0]:
        return 1.0
    if statistic >= row[-1]:
        fall = (row[-1] - row[-1 - TAIL]) / math.log(LEVELS[-1 - TAIL] / LEVELS[-1])
        log_p = math.log(LEVELS[-1]) - (float(statistic - row[-1]) / max(float(fall), 1.0))
    else:
        log_p = float(np.interp(statistic, row, _LOG_LEVELS))
    return math.exp(max(log_p, _least(n)))


@lru_cache(maxsize=4096)
def _least(n: int) -> float:
    """ln of 2 / C(n, n // 2)."""
    half = n // 2
    return math.log(2) - math.lgamma(n + 1) + math.lgamma(half + 1) + math.lgamma(n - half + 1)
