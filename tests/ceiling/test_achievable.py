from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.ceiling.achievable import achieved, ranked
from perftrack.core.ceiling import Shape
from tests.ceiling.made import SQUARE, burst

RATES = st.lists(st.floats(1e13, 1e15), min_size=5, max_size=40)
OTHER = Shape(1536, 2816, 40960)


def test_the_headline_is_the_median_of_the_five_fastest() -> None:
    found = achieved([burst([1e14, 9e14, 7e14, 8e14, 6e14, 5e14, 2e14])], 1980.0, 0.97)
    assert found.value == pytest.approx(7e14)
    assert found.peak == pytest.approx(9e14)
    assert found.boost


def test_iterations_at_a_lower_clock_do_not_count() -> None:
    slow = [1900.0] * 3 + [1980.0] * 5  # 1900 is below 0.97 x 1980
    found = achieved([burst([9e14] * 3 + [7e14] * 5, clock=slow)], 1980.0, 0.97)
    assert found.value == pytest.approx(7e14)
    assert found.clock_mhz == 1980.0


def test_the_limit_itself_counts() -> None:
    assert achieved([burst([8e14] * 5, clock=0.97 * 2000.0)], 2000.0, 0.97).boost


def test_the_limit_is_by_the_highest_clock_of_the_run_and_not_of_the_shape() -> None:
    assert not achieved([burst([8e14] * 5, clock=1800.0)], 1980.0, 0.97).boost


def test_four_iterations_at_boost_are_too_few_and_all_iterations_are_taken_instead() -> None:
    found = achieved([burst([9e14] * 4 + [7e14] * 4, clock=[1980.0] * 4 + [1500.0] * 4)], 1980.0, 0.97)
    assert not found.boost
    assert found.value == pytest.approx(9e14)


def test_several_bursts_are_pooled() -> None:
    bursts = [burst([8e14, 5e14], clock=[1980.0, 1600.0]) for _ in range(5)]
    found = achieved(bursts, 1980.0, 0.97)
    assert found.boost
    assert found.value == pytest.approx(8e14)


def test_a_screen_may_be_content_with_fewer() -> None:
    found = achieved([burst([8e14, 9e14], clock=[1980.0, 1600.0])], 1980.0, 0.97, need=1)
    assert found.boost
    assert found.value == pytest.approx(8e14)


@pytest.mark.parametrize(("clock", "top"), [(None, None), (None, 1980.0), (1980.0, None)])
def test_without_clock_readings_nothing_is_shown_to_be_boost(clock: float | None, top: float | None) -> None:
    found = achieved([burst([8e14] * 8, clock=clock)], top, 0.97)
    assert not found.boost
    assert found.value == pytest.approx(8e14)


@given(RATES)
def test_the_headline_lies_among_the_five_fastest_and_below_the_peak(rates: list[float]) -> None:
    found = achieved([burst(rates)], 1980.0, 0.97)
    five = sorted(rates, reverse=True)[:5]
    assert five[-1] * (1 - 1e-9) <= found.value <= found.peak
    assert found.peak == pytest.approx(five[0])


@given(RATES, st.floats(1e12, 1e13))
def test_slower_iterations_change_nothing(rates: list[float], slow: float) -> None:
    assert achieved([burst([*rates, slow])], 1980.0, 0.97).value == achieved([burst(rates)], 1980.0, 0.97).value


def test_a_boost_burst_ranks_before_a_faster_one_that_is_none() -> None:
    boost = achieved([burst([7e14] * 5)], 1980.0, 0.97)
    other = achieved([burst([9e14] * 5, shape=OTHER, clock=1500.0)], 1980.0, 0.97)
    assert [a.shape for a in ranked([other, boost])] == [SQUARE, OTHER]
