"""Did the range get slow more than once? The odds of any sequence of slow and fast against a single culprit.

Both are mixtures of the same densities, so the ratio is an e-value: with a single culprit drawn from the prior it
ever exceeds 1 / α with probability α at most, however the commits were chosen and however often it is looked
at (Ville 1939; Grünwald, de Heide & Koolen 2024).
"""

from __future__ import annotations

import math

import numpy as np

from perftrack.core.search.dag import Mask
from perftrack.core.stats import Floats

CHANGES = 0.2  # chance that a measured commit differs in speed from the one measured before it in the range
ALPHA = 1e-3


def free_log_odds(fast: Floats, slow: Floats, patterns: Mask, prior: Floats) -> float:
    """ln of the odds of any sequence of states against a single culprit.

    `fast`, `slow` (m,): ln density of m commits' readings at either level, parents before children; `patterns`
    (S, m), `prior` (S,): which of them are slow under a single culprit, and how likely that is beforehand.
    """
    if len(fast) < 2:
        return 0.0
    chosen = patterns.astype(np.float64)
    with np.errstate(divide="ignore"):
        single = np.log(prior) + (1.0 - chosen) @ fast + chosen @ slow
    return _any_sequence(fast, slow) - float(np.logaddexp.reduce(single))


def slow_again(fast: Floats, slow: Floats) -> Floats:
    """(m,): probability of being slow where the speed may change any number of times (forward-backward)."""
    forward = _forward(fast, slow)
    backward = _forward(fast[::-1], slow[::-1])[::-1]
    # Both passes count the commit's own readings.
    joint = forward + backward - np.column_stack([fast, slow])
    joint -= joint.max(axis=1, keepdims=True)
    odds = np.exp(joint)
    share: Floats = odds[:, 1] / odds.sum(axis=1)
    return share


def _any_sequence(fast: Floats, slow: Floats) -> float:
    """ln of the readings' density, summed over all sequences of a two-state chain (Rabiner 1989)."""
    return float(np.logaddexp.reduce(_forward(fast, slow)[-1]))


def _forward(fast: Floats, slow: Floats) -> Floats:
    """(m, 2): ln of the density of the readings up to each commit, with that commit fast and slow."""
    top = np.maximum(fast, slow)
    at_fast, at_slow = np.exp(fast - top).tolist(), np.exp(slow - top).tolist()
    f = s = 0.5
    shares, sums = [], []
    for place, (a, b) in enumerate(zip(at_fast, at_slow, strict=True)):
        if place:
            f, s = f * (1 - CHANGES) + s * CHANGES, s * (1 - CHANGES) + f * CHANGES
        f, s = f * a, s * b
        total = f + s
        f, s = f / total, s / total
        shares.append((f, s))
        sums.append(math.log(total))
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(np.array(shares)) + np.cumsum(np.array(sums) + top)[:, None]
    return logs
