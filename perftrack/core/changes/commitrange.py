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
from perftrack.core.changes.studentnoise import Spread, Weighing, centre
from perftrack.core.stats import Floats

# A most likely place within NEAR commits of the right one is of use; being nearer is worth a little more.
NEAR, WORTH = 5, 0.3
AT_ONCE = 1 << 15  # numbers of a matrix: more of them leave the processor's cache
_GAIN = 1 + WORTH * (1 - np.abs(np.arange(-NEAR, NEAR + 1)) / (NEAR + 1))
UNLIKELY = 18.0  # ln: places less likely by this factor are left out
NOTHING = -746.0  # ln: what is less than this factor of another is 0 beside it in floats


@dataclass(frozen=True, slots=True)
class Place:
    """Index of the first value at the new level: from `first` to `last`, with this probability."""

    first: int
    last: int
    most_likely: int
    probability: float


def quick_place(values: Floats, levels: tuple[float, float], noise: Spread) -> int:
    """Best split of `values` between these levels."""
    log_odds = _fixed_levels(values, levels, noise)
    log_odds -= log_odds[log_odds.argmax()]
    support = _extent((~(log_odds < NOTHING)).nonzero()[0])
    weights = np.zeros(len(log_odds))
    np.exp(log_odds[support], out=weights[support])
    weights[support] /= weights.sum()
    return _least_miss(weights, support)


def place(
    values: Floats, near: int, noise: Spread, phi: float = 0.0, *, levels: tuple[float, float] | None = None
) -> Place:
    """Where values (n,) change level, given that they do so once and that it is about at index `near`.

    `phi`: lag-1 autocorrelation of the noise; neighbours that are alike tell less, by (1 - φ) / (1 + φ).
    `levels`: `centre` of both sides of `near`, where they are known.
    """
    if noise.scale == 0.0:
        return Place(near, near, near, 1.0)
    levels = levels or (centre(values[:near], noise), centre(values[near:], noise))
    posterior, support = _posterior(values, levels, noise, (1 - phi) / (1 + phi))
    first, last = _range(posterior, support, noise)
    most_likely = min(max(_least_miss(posterior, support), first), last)
    return Place(first, last, most_likely, min(float(posterior[first - 1 : last].sum()), 1.0))


def _fixed_levels(values: Floats, levels: tuple[float, float], noise: Spread) -> Floats:
    """(n - 1,) ln-likelihood of a split before index 1 … n - 1, up to a constant."""
    weighing = Weighing(noise)
    left, right = (weighing.squares(values, level, np.empty_like(values)) for level in levels)
    for part in (left, right):
        np.log1p(np.divide(part, noise.df, out=part), out=part)
    right -= left
    np.add.accumulate(right, out=left)
    left *= (noise.df + 1) / 2
    return left[:-1]


def _extent(places: NDArray[np.intp]) -> slice:
    """The stretch that holds these places (m,), ascending."""
    return slice(int(places[0]), int(places[-1]) + 1)


def _posterior(values: Floats, levels: tuple[float, float], noise: Spread, temper: float) -> tuple[Floats, slice]:
    """(n - 1,) probability of a split before index 1 … n - 1, and the stretch outside of which it is 0."""
    n = len(values)
    rough = temper * _fixed_levels(values, levels, noise)
    likely = (rough > rough[rough.argmax()] - UNLIKELY).nonzero()[0]
    splits = likely + 1
    posterior = np.zeros(n - 1)
    if len(splits) == 1:
        posterior[likely] = 1.0  # whatever its likelihood is
        return posterior, _extent(likely)
    rows = max(AT_ONCE // n, 8) // 8 * 8
    parts = (splits[at : at + rows] for at in range(0, len(splits), rows))
    likelihood = np.concatenate([_likelihood(values, levels, noise, temper, part) for part in parts])
    posterior[likely] = np.exp(likelihood - likelihood.max())
    return np.asarray(posterior / posterior.sum()), _extent(likely)


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
    own = df - squared
    own *= df + 1
    np.divide(own, information, out=information)
    squared /= df
    likelihood: Floats = -temper * (df + 1) / 2 * np.log1p(squared, out=squared).sum(1)
    # Laplace: the observed information of each level, not below a part of what is expected.
    least = 0.3 * (df + 1) / (df + 3)
    for side, size in ((sides.left, splits), (sides.right, n - splits)):
        np.copyto(own, information)
        side.alone(own)
        likelihood -= 0.5 * np.log(np.maximum(own.sum(1), least * size))
    return likelihood


def _least_miss(posterior: Floats, support: slice) -> int:
    """Split of least expected loss: a miss by d commits costs WORTH · d / (NEAR + 1), one by more 1 + WORTH.

    `support`: the stretch outside of which the posterior is 0.
    """
    start: int = max(support.start - 2 * NEAR, 0)
    nearby = posterior[start : support.stop + 2 * NEAR]  # all that the gain reaches, and never less than it
    return int(np.convolve(nearby, _GAIN)[NEAR:-NEAR].argmax()) + start + 1


# A wider range costs more to search. With COST · length ** POWER set against the probability that is left
# out, a series that tells little gets a range with less than 95 % and one that tells much a range with more:
# 95 to 99 of 100 ranges of steps of 1 to 3 noise spreads hold the step, and each states its own probability
# (tests/bench/detection.py). In a heavy tail a step that is seen at all looks better placed than it is: more
# length is worth its cost there.
COST, POWER = 0.036, 0.7
HEAVY, HEAVY_COST, HEAVY_POWER = 5.0, 0.05, 0.5  # degrees of freedom that are heavy, at most
LONGEST = 400


def _range(posterior: Floats, support: slice, noise: Spread) -> tuple[int, int]:
    """First and last split of the stretch with the least expected cost; `support` as in `_least_miss`."""
    cost, power = (HEAVY_COST, HEAVY_POWER) if noise.df <= HEAVY else (COST, POWER)
    below = np.concatenate(([0.0], np.add.accumulate(posterior[support])))
    best = (-math.inf, 1, 1)
    for length in range(1, min(len(below) - 1, LONGEST) + 1):
        gain = -cost * length**power
        if gain + 1.0 < best[0]:
            break
        mass = below[length:] - below[:-length]
        start = int(mass.argmax())
        if mass[start] + gain > best[0]:
            best = (float(mass[start]) + gain, start + 1, start + length)
    return support.start + best[1], support.start + best[2]
