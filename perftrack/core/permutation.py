"""A permutation test of the process values of two runs: nothing is assumed but that processes are alike.

Under no change every split of the pooled processes into two sides was as likely as the one seen, so the share
of splits that differ at least as much is the p-value (Fisher 1935, Pitman 1937). The interval holds the shifts
that the same test does not reject, so that the two never disagree. Bootstrap intervals of a handful of values
cover too little (tests/bench/gate.py prints how much).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from perftrack.core.model import Interval
from perftrack.errors import InvalidValueError

MIN_SIDE = 4  # below it no split is rare enough for a p-value under 0.05
ALL_SPLITS = 20_000  # looked at one by one up to here; above, as many are drawn
SEED = 20_240_229
TIE = 1e-9

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Permuted:
    """`effect`: difference of means, candidate minus baseline, with its 95 % interval and two-sided p-value."""

    effect: float
    interval: Interval
    p_value: float


def permutation_test(baseline: Sequence[float], candidate: Sequence[float], alpha: float = 0.05) -> Permuted:
    """Test and interval of the difference of two sides' means (of logarithms, for ratios).

    True to its level whatever the distribution; with four values a side the least p-value is 2/70. Raises
    InvalidValueError for a side of fewer than four values.
    """
    b, c = np.asarray(baseline, dtype=np.float64), np.asarray(candidate, dtype=np.float64)
    if min(len(b), len(c)) < MIN_SIDE:
        raise InvalidValueError(f"a permutation test needs at least {MIN_SIDE} values a side")
    pooled = np.concatenate([b, c])
    pooled -= pooled.mean()
    masks = _splits(len(b), len(c))
    # Difference of means of each split; the whole sums to zero, so the other side's sum is the negative.
    differences = (masks @ pooled) * (1 / len(c) + 1 / len(b))
    effect = float(differences[0])
    p_value = float((np.abs(differences) >= abs(effect) * (1 - TIE)).mean())
    # By how much a split's difference moves when the candidate's values move by one.
    slopes = masks[:, len(b) :].sum(axis=1) * (1 / len(c) + 1 / len(b)) - len(c) / len(b)
    rest = differences - effect * slopes
    return Permuted(
        effect,
        Interval(effect - _reach(-rest, slopes, alpha), effect + _reach(rest, slopes, alpha)),
        p_value,
    )


def _reach(rest: Floats, slopes: Floats, alpha: float) -> float:
    """How far above the effect a shift is not rejected.

    Moved by u from the effect, the seen split differs by u and another by |rest - u · slope|. No slope is steeper
    than 1, so that is the larger up to one root; a shift is kept while `alpha` of the roots are beyond it.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        roots = np.fmax(rest / (1 + slopes), -rest / (1 - slopes))
    roots[np.abs(slopes) > 1 - TIE] = np.inf  # the split seen, and its mirror
    descending = np.sort(roots)[::-1]
    # A hair wider, so that a shift at which two splits tie, as in the test, is kept whichever way it rounds.
    return max(0.0, float(descending[math.ceil(alpha * len(roots)) - 1])) * (1 + TIE)


@lru_cache(maxsize=16)
def _splits(nb: int, nc: int) -> NDArray[np.bool_]:
    """(s, nb + nc): which of the pooled values a split calls the candidate's; the one seen comes first."""
    n = nb + nc
    own = np.arange(n) >= nb
    if math.comb(n, nc) <= ALL_SPLITS:
        chosen = np.array(list(combinations(range(n), nc)))
        masks = np.zeros((len(chosen), n), dtype=bool)
        np.put_along_axis(masks, chosen, True, axis=1)
        return np.concatenate([own[None], masks[(masks != own).any(axis=1)]])
    drawn = np.random.default_rng(SEED).random((ALL_SPLITS - 1, n)).argsort(axis=1) < nc
    return np.concatenate([own[None], drawn])
