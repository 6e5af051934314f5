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
    variances = np.full_like(freedoms, start * start)
    weighted = np.empty((len(FREEDOMS), n))
    for _ in range(8):
        np.divide(squared, variances, out=weighted)
        weighted += freedoms
        np.divide(freedoms + 1, weighted, out=weighted)
        weighted *= squared
        variances = weighted.sum(axis=1, keepdims=True) / n
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
    for _ in range(4):
        counted = weights(values, level, noise)
        level = float(counted @ values / counted.sum())
    return level


def squares(values: Floats, level: float | Floats, noise: Spread, out: Floats | None = None) -> Floats:
    """z² of each value, with z its distance from the level in noise scales."""
    out = np.subtract(values, level, out=out)
    out /= noise.scale
    out *= out
    return out


def weights(values: Floats, level: float | Floats, noise: Spread, out: Floats | None = None) -> Floats:
    """What each value counts for under Student's t, 1 / (df + z²)."""
    out = squares(values, level, noise, out)
    out += noise.df
    return np.divide(1.0, out, out=out)


def local_spread(values: Floats) -> Spread:
    """Spread about a level that may change, from the differences of neighbours."""
    if len(values) < 2:
        return Spread(5.0, 0.0)
    return Spread(5.0, 1.4826 * median(np.abs(np.diff(values))) / math.sqrt(2))
