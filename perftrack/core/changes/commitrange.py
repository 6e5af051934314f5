"""At which commit did the level change? The posterior over places, and the range of commits to search.

Noise is Student's t with degrees of freedom and scale fitted to the series, every place is as likely as any
other beforehand, and each side's level is integrated out (Laplace), so that what is not known of the levels
widens the range.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from perftrack.core.stats import Floats

FREEDOMS = (2.0, 3.0, 5.0, 10.0, 40.0)  # nearly normal at the end
# A most likely place within NEAR commits of the right one is of use; being nearer is worth a little more.
NEAR, WORTH = 5, 0.3
UNLIKELY = 18.0  # ln: places less likely by this factor are left out


@dataclass(frozen=True, slots=True)
class Spread:
    """Student's t: degrees of freedom and scale, in the unit of the values."""

    df: float
    scale: float


@dataclass(frozen=True, slots=True)
class Place:
    """Index of the first value at the new level: from `first` to `last`, with this probability."""

    first: int
    last: int
    most_likely: int
    probability: float


def deviations(values: Floats, cuts: Sequence[int]) -> Floats:
    """Values less the median of their segment."""
    edges = [0, *cuts, len(values)]
    parts = (values[a:b] for a, b in pairwise(edges))
    return np.concatenate([part - np.median(part) for part in parts])


def spread(residuals: Floats, levels: int) -> Spread:
    """Most likely Student's t of `residuals` about 0; `levels`: how many medians were taken off them.

    A scale of 0 where more than half of the residuals are 0.
    """
    from scipy.special import gammaln

    start = 1.4826 * float(np.median(np.abs(residuals)))
    if start == 0.0:
        return Spread(FREEDOMS[-1], 0.0)
    n, squares = len(residuals), residuals * residuals
    best = (-math.inf, Spread(FREEDOMS[-1], start))
    for df in FREEDOMS:
        variance = start * start
        for _ in range(8):
            variance = float(((df + 1) / (df + squares / variance) * squares).mean())
        normaliser = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * math.log(df * variance)
        likelihood = n * float(normaliser) - (df + 1) / 2 * float(np.log1p(squares / variance / df).sum())
        if likelihood > best[0]:
            best = (likelihood, Spread(df, math.sqrt(variance * n / max(n - levels, 1))))
    return best[1]


def centre(values: Floats, noise: Spread) -> float:
    """Location of `values` under Student's t; their median where the noise has no scale."""
    level = float(np.median(values))
    if noise.scale == 0.0:
        return level
    for _ in range(4):
        weights = 1.0 / (noise.df + ((values - level) / noise.scale) ** 2)
        level = float(weights @ values / weights.sum())
    return level


def quick_place(values: Floats, near: int, noise: Spread) -> int:
    """Best split of `values` with the two levels as they are on either side of `near`."""
    log_odds = _fixed_levels(values, near, noise)
    weights = np.exp(log_odds - log_odds.max())
    return _least_miss(weights / weights.sum())


def place(values: Floats, near: int, noise: Spread, phi: float = 0.0) -> Place:
    """Where values (n,) change level, given that they do so once and that it is about at index `near`.

    `phi`: lag-1 autocorrelation of the noise; neighbours that are alike tell less, by (1 - φ) / (1 + φ).
    """
    if noise.scale == 0.0:
        return Place(near, near, near, 1.0)
    posterior = _posterior(values, near, noise, (1 - phi) / (1 + phi))
    first, last = _range(posterior, noise)
    most_likely = min(max(_least_miss(posterior), first), last)
    return Place(first, last, most_likely, min(float(posterior[first - 1 : last].sum()), 1.0))


def _fixed_levels(values: Floats, near: int, noise: Spread) -> Floats:
    """(n - 1,) ln-likelihood of a split before index 1 … n - 1, up to a constant."""
    left, right = centre(values[:near], noise), centre(values[near:], noise)
    gain = np.log1p(((values - right) / noise.scale) ** 2 / noise.df)
    gain -= np.log1p(((values - left) / noise.scale) ** 2 / noise.df)
    return np.asarray((noise.df + 1) / 2 * np.cumsum(gain)[:-1])


def _posterior(values: Floats, near: int, noise: Spread, temper: float) -> Floats:
    """(n - 1,) probability of a split before index 1 … n - 1."""
    n, df = len(values), noise.df
    rough = temper * _fixed_levels(values, near, noise)
    splits = np.flatnonzero(rough > rough.max() - UNLIKELY) + 1
    left = np.arange(n) < splits[:, None]
    levels = np.where(left, centre(values[:near], noise), centre(values[near:], noise))
    for _ in range(3):
        weights = 1.0 / (df + ((values - levels) / noise.scale) ** 2)
        on_left = np.where(left, weights, 0.0)
        on_right = weights - on_left
        levels = np.where(
            left, (on_left @ values / on_left.sum(1))[:, None], (on_right @ values / on_right.sum(1))[:, None]
        )
    squares = ((values - levels) / noise.scale) ** 2
    likelihood = -temper * (df + 1) / 2 * np.log1p(squares / df).sum(1)
    # Laplace: the observed information of each level, not below a part of what is expected.
    information = (df + 1) * (df - squares) / (df + squares) ** 2
    least = 0.3 * (df + 1) / (df + 3)
    for side, size in ((left, splits), (~left, n - splits)):
        likelihood -= 0.5 * np.log(np.maximum(np.where(side, information, 0.0).sum(1), least * size))
    posterior = np.zeros(n - 1)
    posterior[splits - 1] = np.exp(likelihood - likelihood.max())
    return np.asarray(posterior / posterior.sum())


def _least_miss(posterior: Floats) -> int:
    """Split of least expected loss: a miss by d commits costs WORTH · d / (NEAR + 1), one by more 1 + WORTH."""
    kernel = 1 + WORTH * (1 - np.abs(np.arange(-NEAR, NEAR + 1)) / (NEAR + 1))
    return int(np.convolve(posterior, kernel)[NEAR:-NEAR].argmax()) + 1


# A wider range costs more to search. With COST · length ** POWER set against the probability that is left
# out, a series that tells little gets a range with less than 95 % and one that tells much a range with more:
# 95 to 99 of 100 ranges of steps of 1 to 3 noise spreads hold the step, and each states its own probability
# (tests/bench/detection.py). In a heavy tail a step that is seen at all looks better placed than it is: more
# length is worth its cost there.
COST, POWER = 0.036, 0.7
HEAVY, HEAVY_COST, HEAVY_POWER = 5.0, 0.05, 0.5  # degrees of freedom that are heavy, at most
LONGEST = 400


def _range(posterior: Floats, noise: Spread) -> tuple[int, int]:
    """First and last split of the stretch with the least expected cost."""
    cost, power = (HEAVY_COST, HEAVY_POWER) if noise.df <= HEAVY else (COST, POWER)
    below = np.concatenate(([0.0], np.cumsum(posterior)))
    best = (-math.inf, 1, 1)
    for length in range(1, min(len(posterior), LONGEST) + 1):
        gain = -cost * length**power
        if gain + 1.0 < best[0]:
            break
        mass = below[length:] - below[:-length]
        start = int(mass.argmax())
        if mass[start] + gain > best[0]:
            best = (float(mass[start]) + gain, start + 1, start + length)
    return best[1], best[2]
