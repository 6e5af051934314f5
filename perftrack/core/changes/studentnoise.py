"""Noise as Student's t: its freedom and scale, and the level of values that have it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from perftrack.core.changes.ranking import median
from perftrack.core.stats import Floats

FREEDOMS = (2.0, 3.0, 5.0, 10.0, 40.0)  # nearly normal at the end
IN_CACHE = 2048  # residuals: of more, a few arrays with a row for each of FREEDOMS leave the processor's cache


@dataclass(frozen=True, slots=True)
class Spread:
    """Student's t: degrees of freedom and scale, in the unit of the values."""

    df: float
    scale: float


def deviations(values: Floats, cuts: Sequence[int]) -> Floats:
    """Values less the median of their segment."""
    edges = [0, *cuts, len(values)]
    parts = (values[a:b] for a, b in pairwise(edges))
    return np.concatenate([part - median(part) for part in parts])


def spread(residuals: Floats, levels: int) -> Spread:
    """Most likely Student's t of `residuals` about 0; `levels`: how many medians were taken off them.

    A scale of 0 where more than half of the residuals are 0.
    """
    start = 1.4826 * median(np.abs(residuals))
    if start == 0.0:
        return Spread(FREEDOMS[-1], 0.0)
    n, squared = len(residuals), residuals * residuals
    freedoms = np.array(FREEDOMS)[:, None]
    variances = np.array([[start * start]] * len(FREEDOMS))
    weighted = np.empty((len(FREEDOMS), n))
    if n <= IN_CACHE:  # arrays of one shape are gone through in one go
        squared, freedoms = np.repeat(squared[None], len(FREEDOMS), axis=0), np.repeat(freedoms, n, axis=1)
    tops = freedoms + 1
    for _ in range(8):
        np.divide(squared, variances, out=weighted)
        weighted += freedoms
        np.divide(tops, weighted, out=weighted)
        weighted *= squared
        np.add.reduce(weighted, axis=1, out=variances[:, 0])
        variances /= n
    np.divide(squared, variances, out=weighted)
    weighted /= freedoms
    sums = np.log1p(weighted, out=weighted).sum(axis=1).tolist()
    best = (-math.inf, Spread(FREEDOMS[-1], start))
    for df, variance, total in zip(FREEDOMS, variances.ravel().tolist(), sums, strict=True):
        normaliser = _normaliser(df) - 0.5 * math.log(df * variance)
        likelihood = n * normaliser - (df + 1) / 2 * total
        if likelihood > best[0]:
            best = (likelihood, Spread(df, math.sqrt(variance * n / max(n - levels, 1))))
    return best[1]


@lru_cache(maxsize=16)
def _normaliser(df: float) -> float:
    from scipy.special import gammaln

    return float(gammaln((df + 1) / 2) - gammaln(df / 2))


def centre(values: Floats, noise: Spread) -> float:
    """Location of `values` under Student's t; their median where the noise has no scale."""
    level = median(values)
    if noise.scale == 0.0:
        return level
    weighing, counted = Weighing(noise), np.empty_like(values)
    for _ in range(4):
        weighing.weights(values, level, counted)
        level = float(counted.dot(values) / np.add.reduce(counted))
    return level


class Weighing:
    """Values by their distance from a level, of z noise scales. Results are written to `out`."""

    def __init__(self, noise: Spread) -> None:
        # As arrays: a number would be made one by each operation, which takes as long as it does on few values.
        self._scale, self._df, self._one = np.array(noise.scale), np.array(noise.df), np.array(1.0)

    def squares(self, values: Floats, level: float | Floats, out: Floats) -> Floats:
        """z² of each value."""
        np.subtract(values, level, out=out)
        out /= self._scale
        out *= out
        return out

    def weights(self, values: Floats, level: float | Floats, out: Floats) -> Floats:
        """What each value counts for under Student's t, 1 / (df + z²)."""
        self.squares(values, level, out)
        out += self._df
        np.divide(self._one, out, out=out)
        return out


def local_spread(values: Floats) -> Spread:
    """Spread about a level that may change, from the differences of neighbours."""
    if len(values) < 2:
        return Spread(5.0, 0.0)
    return Spread(5.0, 1.4826 * median(np.abs(values[1:] - values[:-1])) / math.sqrt(2))
