from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.changes.changepoint import ChangeKind, ChangePoint, Shift
from perftrack.core.changes.event import PlacedChange, blamable, discovered, events, placed
from perftrack.errors import InvalidValueError

CHANGE = ChangePoint(3, 5, 4, 0.95, Shift.UP, 1.0, 1.1, 1.1, None, 1e-6, ChangeKind.STEP)
RANGES = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12)), min_size=1, max_size=25)


def at(lane: str, first: int, last: int, kind: ChangeKind = ChangeKind.STEP) -> PlacedChange:
    return PlacedChange(lane, replace(CHANGE, kind=kind), first, last, (first + last) // 2)


def test_unmeasured_commits_before_the_first_are_in_the_range() -> None:
    found = placed("gemm", CHANGE, [0, 10, 20, 30, 40, 50, 60])
    assert (found.first, found.most_likely, found.last) == (21, 40, 50)


def test_a_change_at_every_commit_measured_keeps_its_range() -> None:
    found = placed("gemm", CHANGE, list(range(10)))
    assert (found.first, found.most_likely, found.last) == (3, 4, 5)


@pytest.mark.parametrize("positions", [[0, 1, 2], [0, 1, 2, 2, 4, 5], [5, 4, 3, 2, 1, 0]])
def test_positions_that_do_not_fit_are_refused(positions: list[int]) -> None:
    with pytest.raises(InvalidValueError):
        placed("gemm", CHANGE, positions)


def test_lanes_without_a_change_count_against_those_with_one() -> None:
    weak = (replace(CHANGE, p_value=8e-4),)
    assert discovered([weak, (), ()]) == (weak, (), ())
    assert discovered([weak, *[()] * 200]) == ((),) * 201


def test_changes_of_a_lane_are_judged_one_by_one() -> None:
    strong, weak = replace(CHANGE, p_value=1e-12), replace(CHANGE, p_value=8e-4)
    assert discovered([(strong, weak), *[()] * 200])[0] == (strong,)


def test_ranges_that_share_a_commit_are_one_event() -> None:
    (event,) = events([at("a", 10, 20), at("b", 15, 25), at("c", 18, 19)])
    assert (event.first, event.last) == (18, 19)
    assert len(event.changes) == 3


def test_a_chain_without_a_common_commit_is_two_events() -> None:
    found = events([at("a", 10, 14), at("b", 13, 17), at("c", 16, 20)])
    assert [len(event.changes) for event in found] == [2, 1]
    assert found[0].last < found[1].first


def test_the_commit_that_most_call_most_likely_is_that_of_the_event() -> None:
    (event,) = events([at("a", 30, 30), at("b", 20, 40), at("c", 10, 50), at("d", 26, 32)])
    assert event.most_likely == 30


def test_drifts_are_not_put_down_to_a_step_on_the_way() -> None:
    found = events([at("a", 10, 90, ChangeKind.GRADUAL), at("b", 50, 51), at("c", 20, 80, ChangeKind.GRADUAL)])
    assert sorted(len(event.changes) for event in found) == [1, 2]


def test_no_changes_are_no_events() -> None:
    assert events([]) == ()


@given(RANGES)
def test_every_change_is_in_one_event_that_it_can_be_of(ranges: list[tuple[int, int]]) -> None:
    changes = [at(str(i), first, first + length) for i, (first, length) in enumerate(ranges)]
    found = events(changes)
    assert sorted(c.lane for event in found for c in event.changes) == sorted(c.lane for c in changes)
    for event in found:
        assert event.first <= event.most_likely <= event.last
        assert all(c.first <= event.first and event.last <= c.last for c in event.changes)


@given(RANGES, st.randoms())
def test_the_order_of_changes_does_not_matter(ranges: list[tuple[int, int]], random: object) -> None:
    changes = [at(str(i), first, first + length) for i, (first, length) in enumerate(ranges)]
    shuffled = list(changes)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert events(shuffled) == events(changes)


def test_events_are_in_the_order_of_commits() -> None:
    found = events([at("c", 70, 75), at("a", 10, 12), at("b", 40, 45)])
    assert all(a.most_likely < b.most_likely for a, b in pairwise(found))


def test_commits_that_left_the_code_alone_are_not_blamed() -> None:
    codes = ["x", "x", "y", "y", "y", "z"]
    assert blamable(at("a", 1, 4), codes) == (2,)
    assert blamable(at("a", 3, 4), codes) == ()
    assert blamable(at("a", 0, 5), codes) == (0, 2, 5)


def test_unknown_code_can_be_to_blame() -> None:
    assert blamable(at("a", 1, 3), ["x", None, None, "x"]) == (1, 2, 3)


def test_codes_that_do_not_reach_the_range_are_refused() -> None:
    with pytest.raises(InvalidValueError):
        blamable(at("a", 1, 3), ["x", "y", "z"])


def test_a_thousand_lanes_are_grouped_in_no_time() -> None:
    changes = [at(str(i), (i * 37) % 5000, (i * 37) % 5000 + i % 23) for i in range(3000)]
    assert sum(len(event.changes) for event in events(changes)) == 3000
