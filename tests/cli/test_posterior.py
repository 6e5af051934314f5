"""The bar of commits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perftrack.cli.posterior import WIDTH, candidates, posterior_bar

weights = st.lists(st.floats(0, 1), min_size=1, max_size=300).filter(lambda w: sum(w) > 0)


def test_the_likely_commit_stands_out_where_it_is() -> None:
    assert posterior_bar([0.0, 0.0, 0.98, 0.02]) == "|  █ |"
    assert posterior_bar([0.25] * 4) == "|▅▅▅▅|"
    assert posterior_bar([]) == "||"


@given(weights)
def test_the_bar_is_as_wide_as_the_range_up_to_a_limit(weights: list[float]) -> None:
    total = sum(weights)
    bar = posterior_bar([w / total for w in weights])
    assert len(bar) == min(len(weights), WIDTH) + 2
    assert bar.strip("| ")


@given(weights, st.floats(0.01, 0.999))
def test_candidates_are_the_fewest_that_hold_the_share(weights: list[float], share: float) -> None:
    total = sum(weights)
    chances = sorted((w / total for w in weights), reverse=True)
    count = candidates(chances, share)
    assert sum(chances[:count]) >= share - 1e-9
    assert sum(chances[: count - 1]) < share
