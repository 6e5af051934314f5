from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.search import dag
from perftrack.core.search.dag import CommitGraph
from perftrack.errors import InvalidValueError
from tests.commit_graphs import SHAPES
from tests.core.search.builders import chain, graph


@st.composite
def graphs(draw: st.DrawFn) -> CommitGraph:
    """Up to 20 commits with up to three parents each, all of which lead to BAD."""
    count = draw(st.integers(1, 20))
    parents: dict[str, tuple[str, ...]] = {}
    for n in range(count):
        above = draw(st.lists(st.integers(-1, n - 1), min_size=1, max_size=3, unique=True)) if n else [-1]
        parents[f"c{n}"] = tuple(f"c{a}" if a >= 0 else "good" for a in above)
    parents["bad"] = tuple(f"c{n}" for n in range(count))
    return CommitGraph.between(parents, "good", "bad")


def by_walking(within: CommitGraph, sha: str) -> set[str]:
    """A commit and its ancestors in the range, the slow way."""
    found, waiting = set(), [sha]
    while waiting:
        current = waiting.pop()
        if current in within.places and current not in found:
            found.add(current)
            waiting += within.parents[within.places[current]]
    return found


def named(within: CommitGraph, mask: np.ndarray) -> set[str]:
    return {sha for sha, inside in zip(within.shas, mask, strict=True) if inside}


@given(graphs())
def test_ancestors_and_descendants_are_those_that_walking_finds(within: CommitGraph) -> None:
    above = {sha: by_walking(within, sha) for sha in within.shas}
    for place, sha in enumerate(within.shas):
        assert named(within, within.ancestors(place)) == above[sha]
        assert named(within, within.descendants(place)) == {s for s in within.shas if sha in above[s]}


@given(graphs())
def test_parents_come_before_children_and_bad_is_last(within: CommitGraph) -> None:
    for place, above in enumerate(within.parents):
        assert all(within.places[p] < place for p in above if p in within.places)
    assert within.shas[-1] == "bad"


@given(graphs(), st.randoms(use_true_random=False))
def test_slow_sums_the_weights_of_ancestors(within: CommitGraph, random: object) -> None:
    weights = np.array([random.random() for _ in within.shas])  # type: ignore[attr-defined]
    expected = [weights[within.ancestors(place)].sum() for place in range(len(within))]
    assert within.slow(weights) == pytest.approx(expected, abs=1e-7)


@given(graphs(), st.data())
def test_blocks_join_what_no_measurable_commit_tells_apart(within: CommitGraph, data: st.DataObject) -> None:
    measurable = np.array(data.draw(st.lists(st.booleans(), min_size=len(within), max_size=len(within))))
    labels = within.blocks(measurable)
    below = [tuple(within.descendants(place)[measurable]) for place in range(len(within))]
    for one in range(len(within)):
        for other in range(len(within)):
            assert (labels[one] == labels[other]) == (below[one] == below[other])


def test_a_commit_alone_is_a_block_where_all_can_be_measured() -> None:
    assert chain(9).blocks(np.ones(9, dtype=bool)).tolist() == list(range(9))


def test_a_broken_run_joins_the_commit_after_it() -> None:
    measurable = np.array([True, False, False, True, True])
    assert chain(5).blocks(measurable).tolist() == [0, 1, 1, 1, 4]


def test_history_of_good_is_left_out_even_where_a_branch_started_in_it() -> None:
    within = graph({"old": "root", "good": "old", "b": "old", "m": "good b", "bad": "m"})
    assert set(within.shas) == {"b", "m", "bad"}
    assert within.parents[within.places["b"]] == ("old",)


def test_history_that_is_not_given_counts_as_history_of_good() -> None:
    assert set(graph({"m": "good elsewhere", "bad": "m"}).shas) == {"m", "bad"}


def test_the_line_of_first_parents_leaves_branches_out() -> None:
    edges = {"a": "good", "b1": "good", "b2": "b1", "m": "a b2", "bad": "m"}
    assert graph(edges, first_parent=True).shas == ("a", "m", "bad")
    assert set(graph(edges).shas) == {"a", "b1", "b2", "m", "bad"}


def test_good_may_be_merged_from_the_side() -> None:
    edges = {"root": "", "good": "root", "a": "root", "m": "a good", "bad": "m"}
    assert graph(edges, first_parent=True).shas == ("a", "m", "bad")


def test_a_base_comes_before_everything_and_leads_to_all_of_it() -> None:
    edges = {"fork": "root", "good": "fork", "old": "root", "x": "fork", "bad": "x old"}
    within = graph(edges, base="fork")
    assert within.shas[0] == "fork"
    assert within.descendants(0).all()


def test_ends_that_are_not_in_line_need_a_base() -> None:
    with pytest.raises(InvalidValueError, match="no ancestor") as caught:
        graph({"good": "fork", "bad": "fork"})
    assert "merge base" in str(caught.value.hint)


def test_a_base_is_of_no_use_where_good_is_an_ancestor() -> None:
    assert graph({"bad": "good"}, base="good").base is None


@pytest.mark.parametrize("bad", ["good", "older"])
def test_ends_in_the_wrong_order_are_refused(bad: str) -> None:
    with pytest.raises(InvalidValueError, match="nothing lies between"):
        graph({"good": "older", "older": ""}, bad=bad)


def test_a_bad_end_without_history_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="not given"):
        graph({"good": "older"})


def test_a_cycle_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="cycle"):
        graph({"a": "b", "b": "a good", "bad": "a"})


def test_too_many_commits_are_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dag, "MOST", 5)
    with pytest.raises(InvalidValueError, match="most are 5") as caught:
        chain(6)
    assert "--first-parent" in str(caught.value.hint)


def test_a_long_line_needs_no_recursion() -> None:
    assert len(chain(5_000)) == 5_000


@pytest.mark.parametrize(
    ("shas", "parents"),
    [
        (["b", "a"], [("a",), ("good",)]),
        (["a", "a"], [("good",), ("good",)]),
        (["a", "b"], [("good",)]),
        ([], []),
    ],
)
def test_fields_that_do_not_fit_together_are_refused(shas: list[str], parents: list[tuple[str, ...]]) -> None:
    with pytest.raises(InvalidValueError, match="a range needs"):
        CommitGraph.of("good", shas[-1] if shas else "bad", None, shas, parents)


def test_beyond_leaves_what_leads_to_the_new_good_end_out() -> None:
    within = graph({"a": "good", "b": "a", "s": "good", "m": "b s", "bad": "m"})
    part = within.beyond("b")
    assert part.good == "b"
    assert set(part.shas) == {"s", "m", "bad"}


@pytest.mark.parametrize("shape", SHAPES)
def test_generated_graphs_have_the_size_asked_for(shape: str) -> None:
    made = SHAPES[shape](np.random.default_rng(0), 300)
    assert 290 <= len(made) <= 450
