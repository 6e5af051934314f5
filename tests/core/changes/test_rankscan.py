from __future__ import annotations

import math
from itertools import pairwise

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


def shaped(seed: int, n: int) -> Floats:
    """Noise with a step, a bump, a drift or nothing, and every fourth with many ties."""
    rng = np.random.default_rng(seed)
    values, (a, b) = rng.standard_normal(n), sorted(rng.integers(0, n, 2))
    values[a:b] += rng.choice([0.0, 1.0, 4.0])
    values[b:] += rng.choice([0.0, -2.0, 30.0])
    values += rng.choice([0.0, 3.0]) * np.arange(n) / n
    return np.round(values) if seed % 4 == 0 else values


def sums_by_hand(values: Floats, limit: float) -> Floats:
    ranked = values.argsort(kind="stable")
    by_rank = scores(len(values), limit)
    assigned = {v: by_rank[values[ranked] == v].mean() for v in np.unique(values)}
    return np.concatenate(([0.0], np.cumsum([assigned[v] for v in values])))


def arcs_by_hand(values: Floats) -> float:
    n = len(values)
    far, near = sums_by_hand(values, FAR), sums_by_hand(values, NEAR)
    best = -math.inf
    for length in arc_lengths(n):
        h = length * (n - length) / n
        sums = far if h < SHORT else near
        z = np.abs(sums[length:] - sums[:-length]).max() / math.sqrt(h)
        best = max(best, z * z - PENALTY * math.log(n / (4 * h)))
    return best


@pytest.mark.parametrize("n", [7, 26, 47, 49, 90, 170, 400])
def test_arcs_that_are_left_out_are_not_the_best(n: int) -> None:
    for seed in range(12):
        values = shaped(seed, n)
        assert RankSums(values).best_arc().statistic == pytest.approx(arcs_by_hand(values), abs=1e-9)


@pytest.mark.parametrize("n", [26, 90, 400])
def test_an_arc_that_matters_is_found_whatever_the_least_is(n: int) -> None:
    for seed in range(20):
        values = shaped(seed, n)
        best = RankSums(values).best_arc()
        for less in (0.0, 0.5, 5.0, 50.0):
            assert RankSums(values).best_arc(best.statistic - less) == best
        assert RankSums(values).best_arc(best.statistic + 1e-6).statistic < best.statistic + 1e-6


@pytest.mark.parametrize("n", [26, 47, 49, 90, 400])
def test_a_split_at_either_end_is_found_beside_any_other(n: int) -> None:
    for seed in range(12):
        values = shaped(seed, n)
        values[-(seed % 12) - 1 :] += 100.0
        h = np.arange(1, n) * (n - np.arange(1, n)) / n
        far, near = sums_by_hand(values, FAR)[1:-1], sums_by_hand(values, NEAR)[1:-1]
        statistics = np.where(h < SHORT, far, near) ** 2 / h - PENALTY * np.log(n / (4 * h))
        assert RankSums(values).best_split().statistic == pytest.approx(statistics.max(), abs=1e-9)


def test_lengths_of_arcs_are_those_of_their_definition() -> None:
    assert arc_lengths(5) == ()
    assert arc_lengths(25) == (3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
    for n in (63, 64, 65, 1000):
        lengths = arc_lengths(n)
        assert lengths[-1] <= n // 2 < max(lengths[-1] + 1, int(1.1 * lengths[-1]))
        assert all(b == max(a + 1, int(1.1 * a)) for a, b in pairwise(lengths))
