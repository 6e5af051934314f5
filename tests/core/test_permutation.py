"""The permutation test keeps its level, and its interval never disagrees with it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.permutation import permutation_test
from perftrack.errors import InvalidValueError

sides = st.lists(st.floats(-10, 10).map(lambda x: round(x, 3)), min_size=4, max_size=7)


def test_four_against_four_apart_is_the_least_p_value() -> None:
    assert permutation_test([1, 2, 3, 4], [11, 12, 13, 14]).p_value == pytest.approx(2 / 70)


def test_equal_sides_are_no_difference() -> None:
    tested = permutation_test([1, 2, 3, 4], [1, 2, 3, 4])
    assert (tested.effect, tested.p_value) == (0.0, 1.0)


@given(sides, sides)
def test_the_interval_holds_what_the_test_does_not_reject(b: list[float], c: list[float]) -> None:
    tested = permutation_test(b, c)
    step = 1e-6
    for end, outward in ((tested.interval.lo, -step), (tested.interval.hi, step)):
        if math.isfinite(end) and abs(end - tested.effect) > 2 * step:
            assert permutation_test(b, [v - (end - outward) for v in c]).p_value >= 0.05
            assert permutation_test(b, [v - (end + outward) for v in c]).p_value < 0.05


@given(sides, sides)
def test_swapping_the_sides_mirrors_everything(b: list[float], c: list[float]) -> None:
    one, other = permutation_test(b, c), permutation_test(c, b)
    assert other.p_value == pytest.approx(one.p_value)
    assert (-other.interval.hi, -other.interval.lo) == pytest.approx((one.interval.lo, one.interval.hi))


def test_nothing_changed_is_called_a_change_one_time_in_twenty_at_most() -> None:
    rng = np.random.default_rng(5)
    alarms = sum(permutation_test(rng.standard_t(3, 5), rng.standard_t(3, 5)).p_value < 0.05 for _ in range(1000))
    assert alarms <= 70


def test_many_processes_are_tested_by_draws_that_repeat() -> None:
    rng = np.random.default_rng(6)
    b, c = rng.normal(size=20), rng.normal(3.0, size=20)
    assert permutation_test(b, c) == permutation_test(b, c)
    assert permutation_test(b, c).p_value < 0.05


def test_three_processes_are_too_few() -> None:
    with pytest.raises(InvalidValueError, match="at least 4"):
        permutation_test([1, 2, 3], [4, 5, 6, 7])
