"""How probable is a scan's statistic in a series without a change? Looked up, never drawn."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from perftrack.core.changes.nulldata import ARCS, LEVELS, SPLITS

SHORTEST = min(SPLITS)
LONGEST = max(SPLITS)
Row = tuple[float, ...]
Table = Mapping[int, Row]
TAIL = 4  # levels that the slope beyond the last one is taken from
_LOG_LEVELS: list[float] = np.log(LEVELS).tolist()
_TAIL_FALL = math.log(LEVELS[-1 - TAIL] / LEVELS[-1])
SLACK = 1e-6  # of a statistic: more than a probability and back again is off by rounding


def split_p(statistic: float, n: int) -> float:
    """Probability that the best split of n values without a change has at least this statistic."""
    return _probability(statistic, n, _splits(n))


def arc_p(statistic: float, n: int) -> float:
    """As `split_p`, of the best arc."""
    return _probability(statistic, n, _arcs(n))


def arc_least(p: float, n: int) -> float:
    """A statistic that every arc with at most this probability reaches; inf where there is no such arc."""
    row = _arcs(n)
    if p < LEVELS[-1]:
        log_p = math.log(p) if p > 0.0 else -math.inf
        beyond = (_LOG_LEVELS[-1] - log_p) * _fall(row)
        return math.inf if log_p < _least(n) else (row[-1] + beyond) * (1.0 - SLACK)
    above = bisect_left(LEVELS, -p, key=lambda level: -level)
    return row[above - 1] if above else -math.inf


@lru_cache(maxsize=4096)
def _splits(n: int) -> Row:
    return _interpolated(SPLITS, n)


@lru_cache(maxsize=4096)
def _arcs(n: int) -> Row:
    return _interpolated(ARCS, n)


_LENGTHS = tuple(SPLITS)


def _interpolated(table: Table, n: int) -> Row:
    """Statistic at each level for a length between two of the table's, linear in ln(n)."""
    n = min(max(n, SHORTEST), LONGEST)
    upper = bisect_left(_LENGTHS, n)
    higher = _LENGTHS[upper]
    if higher == n:
        return table[n]
    lower = _LENGTHS[upper - 1]
    share = math.log(n / lower) / math.log(higher / lower)
    return tuple([(1 - share) * a + share * b for a, b in zip(table[lower], table[higher], strict=True)])


def _probability(statistic: float, n: int, row: Row) -> float:
    """ln(p) is linear in the statistic between levels and beyond the last; 1 below the first.

    Never below that of the one order of n values in which two halves are wholly apart.
    """
    if statistic < row[0]:
        return 1.0
    if statistic >= row[-1]:
        log_p = math.log(LEVELS[-1]) - (statistic - row[-1]) / _fall(row)
    else:
        at = bisect_right(row, statistic)
        slope = (_LOG_LEVELS[at] - _LOG_LEVELS[at - 1]) / (row[at] - row[at - 1])
        log_p = slope * (statistic - row[at - 1]) + _LOG_LEVELS[at - 1]
    return math.exp(max(log_p, _least(n)))


def _fall(row: Row) -> float:
    """How much more statistic makes ln(p) smaller by one, beyond the last level."""
    return max((row[-1] - row[-1 - TAIL]) / _TAIL_FALL, 1.0)


@lru_cache(maxsize=4096)
def _least(n: int) -> float:
    """ln of 2 / C(n, n // 2)."""
    half = n // 2
    return math.log(2) - math.lgamma(n + 1) + math.lgamma(half + 1) + math.lgamma(n - half + 1)
