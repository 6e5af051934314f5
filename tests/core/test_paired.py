"""Paired rounds: the order's effect cancels, and false alarms stay at the nominal rate."""

import random

import numpy as np
import pytest

from perftrack.core.paired import paired_effect
from perftrack.errors import InvalidValueError


def simulate(rng, rounds=20, effect=0.0, slot=0.0, sigma=0.01):
    second = [n % 2 == 0 for n in range(rounds)]
    rng.shuffle(second)
    noise = [rng.gauss(0, sigma) for _ in second]
    return [effect + (slot if s else -slot) + e for s, e in zip(second, noise, strict=True)], second


def test_effect_and_slot_are_told_apart():
    ratios, second = simulate(random.Random(1), effect=0.05, slot=0.03, sigma=1e-6)
    found = paired_effect(ratios, second)
    assert found.effect == pytest.approx(0.05, abs=1e-5)
    assert found.slot_effect == pytest.approx(0.03, abs=1e-5)


def test_a_large_slot_effect_does_not_move_the_effect():
    rng = random.Random(2)
    effects = [paired_effect(*simulate(rng, slot=0.2)).effect for _ in range(200)]
    assert abs(np.mean(effects)) < 0.001


def test_false_alarms_are_at_the_nominal_rate():
    rng = random.Random(3)
    alarms = sum(not paired_effect(*simulate(rng, slot=0.02)).interval.contains(0.0) for _ in range(2000))
    assert 0.03 < alarms / 2000 < 0.065


def test_correlated_rounds_widen_the_interval():
    rng = random.Random(4)
    steps = np.cumsum([rng.gauss(0, 0.01) for _ in range(40)])
    second = [n % 2 == 0 for n in range(40)]
    walk = paired_effect(list(steps), second)
    shuffled = list(steps)
    rng.shuffle(shuffled)
    calm = paired_effect(shuffled, second)
    assert walk.interval.hi - walk.interval.lo > 2 * (calm.interval.hi - calm.interval.lo)


def test_swapping_the_sides_mirrors_the_effect():
    ratios, second = simulate(random.Random(5), effect=0.03)
    one = paired_effect(ratios, second)
    other = paired_effect([-r for r in ratios], [not s for s in second])
    assert other.effect == pytest.approx(-one.effect)
    assert other.interval.lo == pytest.approx(-one.interval.hi)
    assert other.p_value == pytest.approx(one.p_value)


def test_one_order_only_still_gives_an_effect_and_no_slot():
    found = paired_effect([0.01, 0.012, 0.011, 0.009], [True] * 4)
    assert found.effect == pytest.approx(0.0105)
    assert found.slot_effect == 0.0


def test_identical_ratios_have_no_width():
    found = paired_effect([0.0] * 6, [True, False] * 3)
    assert (found.interval.lo, found.interval.hi, found.p_value) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_too_few_rounds_are_refused(rounds):
    with pytest.raises(InvalidValueError):
        paired_effect([0.0] * rounds, [True] * rounds)


def test_widening_multiplies_the_half_width_and_weakens_the_p_value():
    ratios, second = simulate(random.Random(6), effect=0.01)
    plain, wide = (paired_effect(ratios, second, widen=w) for w in (1.0, 1.2))
    assert wide.effect == plain.effect
    assert wide.interval.hi - wide.effect == pytest.approx(1.2 * (plain.interval.hi - plain.effect))
    assert wide.p_value > plain.p_value
