"""What a set of readings says where each commit is at one of two unknown levels.

A reading is Student's t around the level of its commit (Lange, Little & Taylor 1989): raw values, never turned
into slow or fast, and no stray value outweighs the rest. Both levels, the scale and the degrees of freedom
are unknown and summed out over a grid, so that what is not known of them widens the answer. The two ends, whose
level is known for certain, place the grid; every commit narrows it, as far as it is known at which level it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perftrack.core.search.dag import Mask
from perftrack.core.stats import Floats

FREEDOMS = (4.0, 30.0)
# In standard errors of an end's level. A trapezoid sum over a bell is exact to a millionth while its step is
# below one standard deviation (Trefethen & Weideman 2014): levels may become known twice as well as from the ends.
LEVEL_NODES = np.linspace(-4.5, 4.5, 15)
SCALE_NODES = np.linspace(-2.4, 2.4, 5)
STEPS = 8  # of the fixed point that places the grid: it need not be exact
LEAST_SCALE = 1e-6  # of the distance between the levels: values that never vary
RESOLUTION = 1e-12  # of the levels themselves
TINY = 1e-300
MAD = 1.4826  # standard deviations in a median absolute deviation of normal data


@dataclass(frozen=True, slots=True)
class Readings:
    """`values` (n,): process medians, or means of `1 / share` of them with a spread `apart` of their own."""

    values: Floats
    share: Floats
    apart: Floats

    @classmethod
    def of(cls, values: Sequence[float] | Floats) -> Readings:
        """Process medians that were taken together."""
        array = np.asarray(values, dtype=np.float64)
        return cls(array, np.ones(len(array)), np.zeros(len(array)))

    @classmethod
    def joined(cls, parts: Sequence[Readings]) -> Readings:
        values, share, apart = zip(*((p.values, p.share, p.apart) for p in parts), strict=True)
        return cls(np.concatenate(values), np.concatenate(share), np.concatenate(apart))

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True)
class LevelGrid:
    """Nodes to sum over. `good`, `bad` (F, L): levels; `scale` (F, K): of the F = len(FREEDOMS) distributions."""

    good: Floats
    bad: Floats
    scale: Floats

    @classmethod
    def around(cls, good: Readings, bad: Readings) -> LevelGrid:
        """The grid that the readings of the ends allow; each end needs one reading, both together three."""
        levels, errors, scale, scale_error = _fit(good, bad)
        nodes = levels[:, :, None] + errors[:, :, None] * LEVEL_NODES
        return cls(nodes[:, 0], nodes[:, 1], scale[:, None] * np.exp(scale_error[:, None] * SCALE_NODES))

    def log_density(self, readings: Readings, levels: Floats) -> Floats:
        """(n, F, L, K): ln of the density of each reading where its level is `levels` (F, L)."""
        nu = np.array(FREEDOMS)
        variance = self.scale[None] ** 2 * readings.share[:, None, None] + readings.apart[:, None, None] ** 2
        distance = readings.values[:, None, None] - levels[None]
        square = distance[:, :, :, None] ** 2 / (variance * nu[:, None])[:, :, None, :]
        constant = _log_constants()[:, None] - 0.5 * np.log(variance)
        logs: Floats = constant[:, :, None, :] - (nu + 1)[:, None, None] / 2 * np.log1p(square)
        return logs

    def sum_by_commit(self, readings: Readings, starts: Sequence[int], levels: Floats) -> Floats:
        """(m, F, L, K): ln density of the readings of each of m commits; `starts`: where each one's begin."""
        sums: Floats = np.add.reduceat(self.log_density(readings, levels), list(starts), axis=0)
        return sums


@dataclass(frozen=True, slots=True)
class Weighed:
    """`evidence` (S,): ln of the marginal likelihood of each pattern of slow commits.

    `node`: indices (freedom, good level, bad level, scale) of the most likely node under all patterns.
    """

    evidence: Floats
    node: tuple[int, int, int, int]


def weigh(fast: Floats, slow: Floats, ends: tuple[Floats, Floats], patterns: Mask, prior: Floats) -> Weighed:
    """Sum the levels, the scale and the degrees of freedom out.

    `fast`, `slow` (m, F, L, K): ln density of m commits' readings at the good and at the bad level; `ends`:
    the same (F, L, K) of the two ends; `patterns` (S, m): which commits are slow; `prior` (S,): their
    probabilities, used for the most likely node only.
    """
    chosen = patterns.astype(np.float64)
    at_good = ends[0] + np.tensordot(1.0 - chosen, fast, axes=1)  # (S, F, L, K)
    at_bad = ends[1] + np.tensordot(chosen, slow, axes=1)
    good, bad = _log_sum(at_good, 2), _log_sum(at_bad, 2)  # (S, F, K)
    joint = good + bad
    evidence = _log_sum(joint.reshape(len(patterns), -1), 1)
    with np.errstate(divide="ignore"):
        best = int(np.argmax(evidence + np.log(prior)))
    freedom, scale = divmod(int(np.argmax(joint[best])), joint.shape[2])
    node = (
        freedom,
        int(np.argmax(at_good[best, freedom, :, scale])),
        int(np.argmax(at_bad[best, freedom, :, scale])),
        scale,
    )
    return Weighed(evidence, node)


def effective_spread(freedom: float, scale: float) -> float:
    """Standard deviation of the normal noise under which a level would be known equally well.

    The Fisher information of a t distribution's location is (ν + 1) / ((ν + 3) scale²).
    """
    return scale * math.sqrt((freedom + 3) / (freedom + 1))


def _log_sum(values: Floats, axis: int) -> Floats:
    top = values.max(axis=axis, keepdims=True)
    total: Floats = np.squeeze(top, axis) + np.log(np.exp(values - top).sum(axis=axis))
    return total


def _log_constants() -> Floats:
    nu = FREEDOMS
    return np.array([math.lgamma((v + 1) / 2) - math.lgamma(v / 2) - 0.5 * math.log(math.pi * v) for v in nu])


def _fit(good: Readings, bad: Readings) -> tuple[Floats, Floats, Floats, Floats]:
    """Levels of both ends (F, 2), their standard errors (F, 2), the common scale (F,) and its relative error (F,).

    Iteratively reweighted least squares: the EM algorithm of the t distribution (Lange, Little & Taylor 1989).
    """
    both = Readings.joined([good, bad])
    values, df = both.values, max(len(both) - 2, 1)
    side = np.zeros((len(both), 2))
    side[: len(good), 0] = side[len(good) :, 1] = 1.0
    nu = np.array(FREEDOMS)[:, None]
    centre = np.array([np.median(good.values), np.median(bad.values)])
    floor = LEAST_SCALE * abs(centre[1] - centre[0]) + RESOLUTION * float(np.abs(centre).max()) + TINY
    levels = np.tile(centre, (len(FREEDOMS), 1))
    scale = np.full((len(FREEDOMS), 1), max(MAD * float(np.median(np.abs(values - side @ centre))), floor))
    for _ in range(STEPS):
        variance = scale**2 * both.share + both.apart**2
        weights = (nu + 1) / (nu + (values - levels @ side.T) ** 2 / variance) / variance
        levels = (weights * values) @ side / (weights @ side)
        total = (weights * (values - levels @ side.T) ** 2).sum(axis=1, keepdims=True)
        scale = np.maximum(scale * np.sqrt(total / df), floor)
    errors = np.sqrt((nu + 3) / (nu + 1) / ((1.0 / variance) @ side))
    # The information that n residuals hold of ln of a t's scale: 2 n ν / (ν + 3).
    return levels, errors, scale[:, 0], np.sqrt((nu + 3) / (2 * nu * df))[:, 0]
