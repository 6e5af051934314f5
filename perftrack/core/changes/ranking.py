"""Ranks of a series, with ties sharing what they would have got apart, and the value in the middle."""

from __future__ import annotations

import numpy as np

from perftrack.core.stats import Floats


def median(values: Floats) -> float:
    """Of `values` (n,), n ≥ 1. As NumPy's to the bit, which takes longer for finding out what it was given."""
    half = len(values) // 2
    parted = values.copy()
    parted.partition(half)
    upper = float(parted[half])
    if len(values) % 2:
        return upper
    return (float(parted[parted[:half].argmax()]) + upper) / 2


class Ranking:
    """Order of `values` (n,), n ≥ 1; `assign` may be called for several scores without sorting again."""

    def __init__(self, values: Floats) -> None:
        self._order = values.argsort()  # equal values get one score, in whichever order they come
        ordered = values[self._order]
        first = ordered[1:] != ordered[:-1]
        self._firsts = None if first.all() else np.flatnonzero(np.concatenate(([True], first)))

    def assign(self, by_rank: Floats) -> Floats:
        """(n,) score of each value, in the order of the values; equal ones get the mean of their scores."""
        n = len(self._order)
        if self._firsts is not None:
            counts = np.diff(np.append(self._firsts, n))
            by_rank = np.repeat(np.add.reduceat(by_rank, self._firsts) / counts, counts)
        out = np.empty(n)
        out[self._order] = by_rank
        return out
