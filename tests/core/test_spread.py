"""The coarse picture first."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.spread import spread


@given(st.integers(0, 400))
def test_every_place_is_visited_once(count: int) -> None:
    assert sorted(spread(count)) == list(range(count))


def test_the_ends_come_first_and_then_the_middle() -> None:
    assert spread(9)[:3] == (8, 0, 4)


@given(st.integers(5, 400), st.data())
def test_wherever_it_stops_the_gaps_left_are_alike(count: int, data: st.DataObject) -> None:
    stop = data.draw(st.integers(3, count))
    places = sorted(spread(count)[:stop])
    gaps = [b - a for a, b in pairwise(places)]
    assert max(gaps) <= 4 * min(gaps)
