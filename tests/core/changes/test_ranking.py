from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.changes.ranking import Ranking

SHORT = st.lists(st.integers(-3, 3), min_size=1, max_size=30)


def test_gives_each_value_the_score_of_its_rank() -> None:
    assert Ranking(np.array([30.0, 10.0, 20.0])).assign(np.array([1.0, 2.0, 3.0])).tolist() == [3.0, 1.0, 2.0]


def test_equal_values_share_the_mean_of_their_scores() -> None:
    assert Ranking(np.array([5.0, 1.0, 5.0])).assign(np.array([0.0, 10.0, 20.0])).tolist() == [15.0, 0.0, 15.0]


@given(SHORT)
def test_scores_are_shared_out_and_none_is_lost(values: list[int]) -> None:
    scores = np.arange(len(values), dtype=np.float64) ** 2
    assert np.isclose(Ranking(np.array(values, dtype=np.float64)).assign(scores).sum(), scores.sum())


@given(SHORT)
def test_a_larger_value_never_scores_less(values: list[int]) -> None:
    given_out = Ranking(np.array(values, dtype=np.float64)).assign(np.arange(len(values), dtype=np.float64))
    for a, x in zip(values, given_out, strict=True):
        assert all(x < y for b, y in zip(values, given_out, strict=True) if a < b)
