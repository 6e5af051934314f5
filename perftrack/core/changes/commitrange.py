"""At which commit did the level change? The posterior over places, and the range of commits to search.

Noise is Student's t with degrees of freedom and scale fitted to the series, every place is as likely as any
other beforehand, and each side's level is integrated out (Laplace), so that what is not known of the levels
widens the range.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perftrack.core.changes.splitsides import SplitSides
from perftrack.core.changes.studentnoise import Spread, centre, squares
from perftrack.core.stats import Floats

# A most likely place within NEAR commits of the right one is of use; being nearer is worth a little more.
NEAR, WORTH = 5, 0.3
AT_ONCE = 1 << 15  # numbers of a matrix: more of them leave the processor's cache
_GAIN = 1 + WORTH * (1 - np.abs(np.arange(-NEAR, NEAR + 1)) / (NEAR + 1))
UNLIKELY = 18.0  # ln: places less likely by this factor are left out


@dataclass(frozen=True, slots=True)
class Place:
    """Index of the first value at the new level: from `first` to `last`, with this probability."""

    first: int
    last: int
    most_likely: int
    probability: float


def quick_place(values: Floats, near: int, noise: Spread) -> int:
    """Best split of `values` with the two levels as they are on either side of `near`."""
    log_odds = _fixed_levels(values, (centre(values[:near], noise), centre(values[near:], noise)), noise)
    weights = np.exp(log_odds - log_odds.max())
    return _least_miss(weights / weights.sum())


def place(
    values: Floats, near: int, noise: Spread, phi: float = 0.0, *, levels: tuple[float, float] | None = None
) -> Place:
    """Where values (n,) change level, given that they do so once and that it is about at index `near`.

    `phi`: lag-1 autocorrelation of the noise; neighbours that are alike tell less, by (1 - φ) / (1 + φ).
    `levels`: `centre` of both sides of `near`, where they are known.
    """
    if noise.scale == 0.0:
        return Place(near, near, near, 1.0)
    if levels is None:
        levels = centre(values[:near], noise), centre(values[near:], noise)
    posterior = _posterior(values, levels, noise, (1 - phi) / (1 + phi))
    first, last = _range(posterior, noise)
    most_likely = min(max(_least_miss(posterior), first), last)
    return Place(first, last, most_likely, min(float(posterior[first - 1 : last].sum()), 1.0))


def _fixed_levels(values: Floats, levels: tuple[float, float], noise: Spread) -> Floats:
    """(n - 1,) ln-likelihood of a split before index 1 … n - 1, up to a constant."""
    left, right = (np.log1p(squares(values, level, noise) / noise.df) for level in levels)
    right -= left
    return np.asarray((noise.df + 1) / 2 * np.cumsum(right)[:-1])


def _posterior(values: Floats, levels: tuple[float, float], noise: Spread, temper: float) -> Floats:
    """(n - 1,) probability of a split before index 1 … n - 1."""
    n = len(values)
    rough = temper * _fixed_levels(values, levels, noise)
    splits = np.flatnonzero(rough > rough.max() - UNLIKELY) + 1
    rows = max(AT_ONCE // n, 8) // 8 * 8
    parts = (splits[at : at + rows] for at in range(0, len(splits), rows))
    likelihood = np.concatenate([_likelihood(values, levels, noise, temper, part) for part in parts])
    posterior = np.zeros(n - 1)
    posterior[splits - 1] = np.exp(likelihood - likelihood.max())
    return np.asarray(posterior / posterior.sum())


def _likelihood(
    values: Floats, levels: tuple[float, float], noise: Spread, temper: float, splits: NDArray[np.intp]
) -> Floats:
    """(m,) ln-likelihood of splits (m,) up to a constant, each with both levels integrated out."""
    n, df = len(values), noise.df
    sides = SplitSides(splits, n)
    squared = sides.squares(values, levels, noise)
    information = sides.scratch
    np.add(squared, df, out=information)
    information *= information
    np.divide((df + 1) * (df - squared), information, out=information)
    squared /= df
    likelihood: Floats = -temper * (df + 1) / 2 * np.log1p(squared, out=squared).sum(1)
    # Laplace: the observed information of each level, not below a part of what is expected.
    least = 0.3 * (df + 1) / (df + 3)
    for side, size in ((sides.left, splits), (sides.right, n - splits)):
        np.copyto(squared, information)
        side.alone(squared)
        likelihood -= 0.5 * np.log(np.maximum(squared.sum(1), least * size))
    return likelihood


def _least_miss(posterior: Floats) -> int:
    """Split of least expected loss: a miss by d commits costs WORTH · d / (NEAR + 1), one by more 1 + WORTH."""
    return int(np.convolve(posterior, _GAIN)[NEAR:-NEAR].argmax()) + 1


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
