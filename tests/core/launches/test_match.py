from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.launches.launch import Launch, LaunchSummary
from perftrack.core.launches.match import LaunchMatch, Likeness, match_launches


def one(kernel: str, grid: int = 1, occurrence: int = 0, nvtx: str = "") -> Launch:
    return Launch(LaunchSummary(kernel, (grid, 1, 1), (32, 1, 1), occurrence, nvtx))


def told(match: LaunchMatch) -> list[tuple[str, int, str, int, str]]:
    return [
        (b.kernel, b.grid[0], c.kernel, c.grid[0], p.likeness.value)  # type: ignore[index]
        for p in match.pairs
        for b, c in [(p.baseline.summary, p.candidate.summary)]
    ]


def test_equal_launches_pair_by_identity_in_any_order() -> None:
    match = match_launches(
        [one("f"), one("g"), one("f", occurrence=1)], [one("f", occurrence=1), one("f"), one("g")]
    )
    assert [p.likeness for p in match.pairs] == [Likeness.IDENTITY] * 3
    assert [p.baseline.summary.identity == p.candidate.summary.identity for p in match.pairs] == [True] * 3


def test_a_kernel_in_another_shape_pairs_by_its_name() -> None:
    assert told(match_launches([one("f", 8)], [one("f", 16)])) == [("f", 8, "f", 16, "kernel")]


def test_a_launch_that_kept_its_shape_goes_before_one_that_changed_it() -> None:
    match = match_launches([one("f", 8), one("f", 4)], [one("f", 4), one("f", 16)])
    assert told(match) == [("f", 4, "f", 4, "identity"), ("f", 8, "f", 16, "kernel")]


def test_of_changed_shapes_the_same_ranges_pair() -> None:
    before = [one("f", 1, nvtx="a"), one("f", 2, nvtx="b")]
    after = [one("f", 30, nvtx="b"), one("f", 40, nvtx="a")]
    assert told(match_launches(before, after)) == [("f", 2, "f", 30, "kernel"), ("f", 1, "f", 40, "kernel")]


def test_ranges_that_one_side_lacks_do_not_part_launches() -> None:
    match = match_launches([one("f", 4, nvtx="step"), one("f", 8, nvtx="step")], [one("f", 8), one("f", 4)])
    assert told(match) == [("f", 8, "f", 8, "kernel"), ("f", 4, "f", 4, "kernel")]


def test_what_is_left_is_added_or_removed() -> None:
    match = match_launches([one("f"), one("f", occurrence=1), one("old")], [one("f"), one("new")])
    assert [launch.summary.kernel for launch in match.added] == ["new"]
    assert [launch.summary.kernel for launch in match.removed] == ["f", "old"]


def test_one_kernel_with_other_template_arguments_pairs_at_last() -> None:
    match = match_launches([one("void f<float, 128>(T1)")], [one("void f<float, 256>(T1)")])
    assert [p.likeness for p in match.pairs] == [Likeness.TEMPLATE]


def test_several_with_other_template_arguments_do_not() -> None:
    match = match_launches([one("f<1>()"), one("f<2>()")], [one("f<3>()")])
    assert (len(match.pairs), len(match.added), len(match.removed)) == (0, 1, 2)


def test_pairs_are_in_the_candidates_order() -> None:
    match = match_launches([one("a"), one("b"), one("c")], [one("c"), one("b", 5), one("a")])
    assert [p.candidate.summary.kernel for p in match.pairs] == ["c", "b", "a"]


LAUNCHES = st.lists(st.builds(one, st.sampled_from("fg"), st.integers(1, 3), st.integers(0, 2)), max_size=8)


@given(LAUNCHES, LAUNCHES)
def test_every_launch_is_in_exactly_one_place(before: list[Launch], after: list[Launch]) -> None:
    match = match_launches(before, after)
    placed = [id(p.baseline) for p in match.pairs] + [id(launch) for launch in match.removed]
    assert sorted(placed) == sorted(map(id, before))
    placed = [id(p.candidate) for p in match.pairs] + [id(launch) for launch in match.added]
    assert sorted(placed) == sorted(map(id, after))
