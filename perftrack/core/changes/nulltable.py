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
SLACK = 1e-6  # more than a statistic is off by rounding that was turned into a probability and back
SMALLEST = 1e-300  # probability: those below it may have lost digits


def split_p(statistic: float, n: int) -> float:
    """Probability that the best split of n values without a change has at least this statistic."""
    return _probability(statistic, n, _splits(n))


def arc_p(statistic: float, n: int) -> float:
    """As `split_p`, of the best arc."""
    return _probability(statistic, n, _arcs(n))


def arc_least(p: float, n: int) -> float:
    """A statistic that every arc with at most this probability reaches; inf where there is no such arc."""
    if p >= LEVELS[-1]:
        above = sum(level > p for level in LEVELS)
        return _interpolated(ARCS, n, slice(above - 1, above))[0] if above else -math.inf
    log_p = math.log(max(p, SMALLEST))
    if log_p < _least(n) - SLACK:
        return math.inf
    row = _arcs(n)
    return (row[-1] + (_LOG_LEVELS[-1] - log_p) * _fall(row)) * (1.0 - SLACK)


@lru_cache(maxsize=4096)
def _splits(n: int) -> Row:
    return _interpolated(SPLITS, n)


@lru_cache(maxsize=4096)
def _arcs(n: int) -> Row:
    return _interpolated(ARCS, n)


def _interpolated(table: Table, n: int, levels: slice = slice(None)) -> Row:
    """Statistic at each level for a length between two of the table's, linear in ln(n)."""
    lower, higher, share = _between(n)
    pairs = zip(table[lower][levels], table[higher][levels], strict=True)
    return tuple([(1 - share) * a + share * b for a, b in pairs])


_LENGTHS = tuple(SPLITS)


@lru_cache(maxsize=4096)
def _between(n: int) -> tuple[int, int, float]:
    """The table's lengths on either side of n, and where between their logarithms ln(n) lies, from 0 to 1."""
    n = min(max(n, SHORTEST), LONGEST)
    at = bisect_left(_LENGTHS, n)
    lower, higher = _LENGTHS[max(at - 1, 0)], _LENGTHS[at]
    return lower, higher, math.log(n / lower) / math.log(higher / lower) if n < higher else 1.0


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
