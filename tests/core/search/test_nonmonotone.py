from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from perftrack.core.search.nonmonotone import ALPHA, CHANGES, free_log_odds, slow_again

STEPS = np.array([[n > place for place in range(6)][::-1] for n in range(7)])  # how many of the last are slow
EVEN = np.full(7, 1 / 7)


def by_enumeration(fast: np.ndarray, slow: np.ndarray) -> tuple[float, np.ndarray]:
    """Density summed over all sequences, and the probability of being slow of each commit."""
    total, at_slow = 0.0, np.zeros(len(fast))
    for states in itertools.product((0, 1), repeat=len(fast)):
        changes = sum(a != b for a, b in itertools.pairwise(states))
        chance = 0.5 * CHANGES**changes * (1 - CHANGES) ** (len(states) - 1 - changes)
        density = chance * math.exp(sum(s if state else f for state, f, s in zip(states, fast, slow, strict=True)))
        total += density
        at_slow += density * np.array(states)
    return total, at_slow / total


def test_odds_and_states_are_those_of_the_enumeration() -> None:
    rng = np.random.default_rng(0)
    fast, slow = rng.normal(size=6) * 3, rng.normal(size=6) * 3
    total, at_slow = by_enumeration(fast, slow)
    single = sum(p * math.exp(np.where(s, slow, fast).sum()) for p, s in zip(EVEN, STEPS, strict=True))
    assert free_log_odds(fast, slow, STEPS, EVEN) == pytest.approx(math.log(total / single))
    assert slow_again(fast, slow) == pytest.approx(at_slow)


def test_slow_fast_and_slow_again_is_found_out() -> None:
    lean = np.array([-6.0, 6.0, 6.0, -6.0, -6.0, 6.0])
    assert free_log_odds(-lean / 2, lean / 2, STEPS, EVEN) > -math.log(ALPHA)
    assert (slow_again(-lean / 2, lean / 2) > 0.5).tolist() == [False, True, True, False, False, True]


def test_one_change_speaks_against_more() -> None:
    lean = np.array([-6.0, -6.0, -6.0, 6.0, 6.0, 6.0])
    assert free_log_odds(-lean / 2, lean / 2, STEPS, EVEN) < 0.0


def test_a_single_culprit_is_seldom_taken_for_more() -> None:
    rng = np.random.default_rng(1)
    wrong = 0
    for _ in range(3000):
        truth = STEPS[rng.integers(7)]
        values = rng.normal(size=6) * 1.0 + 2.0 * truth
        fast, slow = -0.5 * values**2, -0.5 * (values - 2.0) ** 2
        wrong += free_log_odds(fast, slow, STEPS, EVEN) > math.log(20)
    assert wrong / 3000 <= 0.05


def test_overwhelming_evidence_stays_finite() -> None:
    lean = np.array([-2e5, 2e5, -2e5])
    patterns = np.array([[False, False, False], [False, False, True], [False, True, True], [True, True, True]])
    assert np.isfinite(free_log_odds(-lean, lean, patterns, np.full(4, 0.25)))
    assert np.isfinite(slow_again(-lean, lean)).all()


def test_one_commit_cannot_contradict_itself() -> None:
    assert free_log_odds(np.zeros(1), np.ones(1), np.ones((1, 1), dtype=bool), np.ones(1)) == 0.0
