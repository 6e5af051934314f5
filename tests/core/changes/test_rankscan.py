from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perftrack.core.changes.rankscan import FAR, NEAR, PENALTY, SHORT, RankSums, arc_lengths, scores
from perftrack.core.stats import Floats

SERIES = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40)


def by_hand(values: Floats, start: int, end: int) -> float:
    """The statistic of values[start:end] against the rest, from its definition."""
    n = len(values)
    h = (end - start) * (n - end + start) / n
    ranks = [sum(w < v for w in values) for v in values]  # no ties
    chosen = scores(n, FAR if h < SHORT else NEAR)
    z = sum(chosen[ranks[i]] for i in range(start, end)) / math.sqrt(h)
    return float(z * z - PENALTY * math.log(n / (4 * h)))


def series(seed: int, n: int = 60) -> Floats:
    return np.random.default_rng(seed).standard_normal(n)


def test_scores_have_sum_zero_and_variance_one() -> None:
    assert scores(57, NEAR).sum() == pytest.approx(0.0, abs=1e-12)
    assert scores(57, NEAR).var(ddof=1) == pytest.approx(1.0)


def test_statistic_of_a_split_is_as_defined() -> None:
    values = series(1)
    sums = RankSums(values)
    for k in (1, 5, 20, 30, 59):
        assert sums.split_at(k) == pytest.approx(by_hand(values, k, 60))


def test_best_split_is_the_best_of_all() -> None:
    values = series(2)
    sums = RankSums(values)
    best = max(range(1, 60), key=lambda k: by_hand(values, k, 60))
    assert sums.best_split().start == best
    assert sums.best_split().statistic == pytest.approx(by_hand(values, best, 60))


def test_best_arc_is_the_best_of_the_lengths_looked_at() -> None:
    values = series(3)
    arcs = [(s, s + length) for length in arc_lengths(60) for s in range(60 - length + 1)]
    best = max(arcs, key=lambda arc: by_hand(values, *arc))
    found = RankSums(values).best_arc()
    assert (found.start, found.end) == best
    assert found.statistic == pytest.approx(by_hand(values, *best))


def test_finds_both_edges_of_a_bump() -> None:
    values = series(4)
    values[25:37] += 6.0
    found = RankSums(values).best_arc()
    assert (found.start, found.end) == (pytest.approx(25, abs=1), pytest.approx(37, abs=1))


def test_a_dip_counts_as_a_bump_does() -> None:
    values = series(4)
    values[25:37] += 6.0
    assert RankSums(-values).best_arc().statistic == pytest.approx(RankSums(values).best_arc().statistic)


def test_too_short_for_an_arc_has_none() -> None:
    assert RankSums(np.arange(5.0)).best_arc().statistic == -math.inf


def test_equal_values_show_nothing() -> None:
    sums = RankSums(np.ones(50))
    assert sums.best_split().statistic < 1e-9
    assert sums.best_arc().statistic < 1e-9


def test_a_rare_second_value_is_no_evidence() -> None:
    """Two neighbours that a coarse timer rounded up: scores of ties are kept small, not blown up to variance 1."""
    values = np.ones(100)
    values[[50, 51]] = 2.0
    assert RankSums(values).best_split().statistic < 5.0


@settings(max_examples=50)
@given(SERIES)
def test_only_the_order_of_values_counts(values: list[float]) -> None:
    ranks = np.unique(np.array(values), return_inverse=True)[1].astype(np.float64)
    assert RankSums(np.array(values)).best_split() == RankSums(ranks).best_split()
    assert RankSums(np.array(values)).best_arc() == RankSums(ranks).best_arc()
