"""Noise in which one commit's value resembles the last one's: how much, and how to take it out.

Slow machine state makes neighbours alike, and neighbours that are alike look like a change of level. The lag-1
autocorrelation φ is read from successive differences, in which a change of level is one value among many, and
removed by v[t] - φ·v[t-1] (Kulkarni & von Storch 1995), which shrinks a step of the level to (1 - φ) of its
size but leaves a large step far outside what is left of the noise.
"""

from __future__ import annotations

import math

import numpy as np

from perftrack.core.changes.ranking import Ranking, median
from perftrack.core.stats import Floats

MIN_VALUES = 8
MOST = 0.9
# An estimate of φ from n independent values has a standard deviation near 1.4 / √n. Below the first multiple of
# 1 / √n it is taken for 0, so that independent noise keeps nearly all of its power; from the second it is taken
# as it is, so that false alarms stay rare (firm shrinkage, Gao & Bruce 1997).
NOTHING, ALL = 1.25, 2.25


def lag_one(values: Floats) -> float:
    """φ of a first-order autoregression, at least 0 and at most MOST, from rank correlations of the differences.

    With r1, r2 the correlations of differences one and two commits apart, 2.5·r1 + r2 = -1.25 + 0.75φ + 0.5φ²;
    the weights are near those of least variance for small φ. Ranks keep spikes from deciding. Zero for
    fewer than MIN_VALUES values, or for differences that are all the same.
    """
    n = len(values)
    if n < MIN_VALUES:
        return 0.0
    ranks = Ranking(values[1:] - values[:-1]).assign(np.arange(n - 1, dtype=np.float64) - (n - 2) / 2)
    norm = float(ranks.dot(ranks))
    if norm == 0.0:
        return 0.0
    # Spearman's coefficient as Pearson's of a normal pair; the first is 1 / n too large for independent values.
    r1, r2 = (2 * math.sin(math.pi / 6 * float(ranks[lag:].dot(ranks[:-lag])) / norm) for lag in (1, 2))
    phi = math.sqrt(max(0.5625 + 2 * (1.25 + 2.5 * (r1 - 1 / n) + r2), 0.0)) - 0.75
    believed = (phi * math.sqrt(n) - NOTHING) / (ALL - NOTHING)
    return min(phi * min(max(believed, 0.0), 1.0), MOST)


def whitened(values: Floats, phi: float) -> Floats:
    """Values without their autocorrelation φ; the first has the spread and level of the others."""
    if phi == 0.0:
        return values
    level = median(values)
    out = np.empty_like(values)
    out[0] = (values[0] - level) * math.sqrt(1 - phi * phi) + (1 - phi) * level
    out[1:] = values[1:] - phi * values[:-1]
    return out
