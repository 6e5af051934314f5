from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from perftrack.core.search.ranksum import rank_sum_p
from perftrack.errors import InvalidValueError

distinct = st.lists(st.integers(-1000, 1000), min_size=2, max_size=24, unique=True)


@given(distinct, st.data())
def test_is_the_exact_test_without_ties(values: list[int], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(values) - 1))
    one, two = np.array(values[:cut], dtype=float), np.array(values[cut:], dtype=float)
    expected = mannwhitneyu(two, one, alternative="greater", method="exact").pvalue
    assert rank_sum_p(one, two) == pytest.approx(expected, rel=1e-9)


@given(st.lists(st.integers(0, 5), min_size=8, max_size=40), st.lists(st.integers(0, 5), min_size=8, max_size=40))
def test_is_the_corrected_normal_approximation_with_ties(one: list[int], two: list[int]) -> None:
    if len(set(one + two)) in {1, len(one + two)}:
        return
    expected = mannwhitneyu(two, one, alternative="greater", method="asymptotic").pvalue
    assert rank_sum_p(np.array(one, dtype=float), np.array(two, dtype=float)) == pytest.approx(expected, rel=1e-9)


def test_many_values_differ_little_from_the_exact_test() -> None:
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=61), rng.normal(size=60) + 0.6
    assert rank_sum_p(one, two) == pytest.approx(
        mannwhitneyu(two, one, alternative="greater", method="exact").pvalue, rel=0.15
    )


def test_eight_a_side_apart_are_below_one_in_ten_thousand() -> None:
    assert rank_sum_p(np.arange(8.0), np.arange(8.0) + 10) == pytest.approx(1 / 12870)


def test_values_that_are_all_one_say_nothing() -> None:
    assert rank_sum_p(np.ones(9), np.ones(8)) == 1.0


def test_an_empty_side_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="both sides"):
        rank_sum_p(np.ones(3), np.ones(0))
