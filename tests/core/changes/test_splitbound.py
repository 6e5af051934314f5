from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perftrack.core.changes.nulltable import split_p
from perftrack.core.changes.rankscan import FAR, NEAR, RankSums, scores
from perftrack.core.changes.splitbound import least_statistic, seen, surely
from perftrack.core.stats import Floats

# Few different values, so that many tie, and what two sides of them have apart.
SIDES = st.tuples(
    st.lists(st.integers(0, 6), min_size=1, max_size=60),
    st.lists(st.integers(0, 6), min_size=1, max_size=60),
    st.sampled_from([-50, -3, 0, 2, 5, 50]),
)


def joined(left: list[int], right: list[int], apart: int) -> Floats:
    return np.array([*left, *(value + apart for value in right)], dtype=np.float64)


def stepped(seed: int, height: float, k: int, n: int = 200) -> Floats:
    values = np.random.default_rng(seed).standard_normal(n)
    values[k:] += height
    return values


@settings(max_examples=300, deadline=None)
@given(SIDES)
def test_no_split_has_less_than_its_bound(sides: tuple[list[int], list[int], int]) -> None:
    values, k = joined(*sides), len(sides[0])
    assert least_statistic(values, k) <= RankSums(values).split_at(k) + 1e-9


@pytest.mark.parametrize("height", [-6.0, -1.5, 1.0, 3.0, 8.0])
@pytest.mark.parametrize("k", [3, 13, 60, 100, 187, 198])
def test_no_split_of_noise_has_less_than_its_bound(height: float, k: int) -> None:
    for seed in range(30):
        values = stepped(seed, height, k)
        assert least_statistic(values, k) <= RankSums(values).split_at(k)


@pytest.mark.parametrize("n", [2, 3, 5, 8, 13, 30, 77, 200, 1000, 20_000])
def test_scores_are_as_far_out_as_the_bound_takes_them_to_be(n: int) -> None:
    shares = (np.arange(n // 2) + 0.5) / n
    for limit in (FAR, NEAR):
        assert (-scores(n, limit)[: n // 2] >= 1 - 2 * shares).all()
        assert np.abs(scores(n, limit)).max() >= min(limit, abs(scores(n, limit)[0]))


@pytest.mark.parametrize("height", [-5.0, 5.0])
def test_sides_far_apart_are_surely_so(height: float) -> None:
    assert surely(stepped(1, height, 80), 80, 1e-6)


def test_sides_alike_are_not() -> None:
    values = stepped(2, 0.0, 80)
    assert least_statistic(np.zeros(50), 20) == -math.inf
    assert not surely(values, 80, 0.01)
    assert not seen(values, 80, 0.01)


def test_seen_is_by_the_probability_itself_where_counts_do_not_tell() -> None:
    told = 0
    for seed in range(200):
        values = stepped(seed, 0.8, 60, n=100)
        p = split_p(RankSums(values).split_at(60), 100)
        assert seen(values, 60, 0.001) == (p <= 0.001)
        told += p <= 0.001 and not surely(values, 60, 0.001)
    assert told > 0


@pytest.mark.parametrize("k", [8, 14])
def test_a_stray_may_be_the_farthest_of_all(k: int) -> None:
    """Of a short side it then counts for more than all but a few of the others."""
    short = np.append(np.linspace(40.0, 41.0, k - 1), 1e6)
    values = np.concatenate((short, np.linspace(0.0, 39.0, 10), np.linspace(50.0, 100.0, 200)))
    assert least_statistic(values, k) <= RankSums(values).split_at(k)
