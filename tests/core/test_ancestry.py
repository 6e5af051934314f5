"""The baseline is the nearest measured ancestor that is not the candidate's own."""

from __future__ import annotations

from perftrack.core.ancestry import Nearest, nearest_measured


def test_the_nearest_measured_one_with_the_unmeasured_counted() -> None:
    assert nearest_measured("dcba", {"b", "a"}) == Nearest("b", 2)


def test_none_where_nothing_is_measured() -> None:
    assert nearest_measured("cba", set()) is None


def test_a_branch_is_no_baseline_of_itself() -> None:
    assert nearest_measured("dcba", {"d", "c", "a"}, own={"d", "c"}) == Nearest("a", 1)
