"""A branch that left the history of GOOD while that was slow: its first commit is slow and did nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perftrack.core.model import Direction
from perftrack.core.search.bisection import Search
from perftrack.core.search.blame import Blame
from perftrack.core.search.dag import CommitGraph
from perftrack.core.search.settings import SearchSettings
from perftrack.core.search.visits import Outcome, Phase
from tests.core.search.builders import QUICK, World, found, graph

# A was slow, GOOD made it fast; the branch of b1 left at A, and the merge lost what GOOD had won.
EDGES = {"b1": "A", "b2": "b1", "m": "good b2", "x": "m", "bad": "x"}
LOST = ["A", "b1", "b2", "m", "x", "bad"]


def searched(slow: list[str], shift: float = 4.0, seed: int = 0, options: SearchSettings = QUICK) -> Search:
    higher = options.direction is Direction.HIGHER
    world = World(slow, shift=shift, seed=seed, higher_is_better=higher)
    return world.carry_out(Search.begin(graph(EDGES), options, seed=seed))


@pytest.mark.parametrize("direction", Direction)
def test_a_commit_whose_parent_outside_of_the_range_is_slow_too_is_not_to_blame(direction: Direction) -> None:
    search = searched(LOST, options=replace(QUICK, direction=direction))
    assert search.outcome is Outcome.BASE
    blame = Blame.of(search, "case", "time", "s")
    assert (blame.commits, blame.culprit, blame.merge) == (("A",), None, False)
    assert (blame.before, blame.after) == ("A", "b1")


def test_a_commit_whose_parent_outside_of_the_range_is_fast_is_to_blame() -> None:
    search = searched(LOST[1:])
    assert found(search) == ("b1",)
    assert Blame.of(search, "case", "time", "s").culprit == "b1"


@pytest.mark.parametrize("slow", [LOST, LOST[1:]], ids=["slow before", "fast before"])
def test_near_levels_take_more_processes_to_tell_them_apart(slow: list[str]) -> None:
    right = 0
    for seed in range(20):
        search = searched(slow, shift=1.5, seed=seed)
        confirmed = [v for v in search.visits if v.phase is Phase.CONFIRM]
        assert max(len(v.sides[0].values) for v in confirmed) > QUICK.confirm
        right += search.outcome is (Outcome.BASE if slow is LOST else Outcome.FOUND)
    assert right >= 19


def test_a_budget_that_allows_a_plain_confirmation_only_is_spent_on_that() -> None:
    free = searched(LOST[1:], shift=1.5)
    before = sum(v.processes for v in free.visits if v.phase is not Phase.CONFIRM)
    search = searched(LOST[1:], shift=1.5, options=replace(QUICK, measurements=before + 10))
    assert search.outcome is Outcome.FOUND
    assert [len(s.values) for s in search.visits[-1].sides] == [5, 5]


def test_a_parent_inside_the_range_takes_no_more() -> None:
    within: CommitGraph = graph({"a": "good", "b": "a", "bad": "b"})
    search = World(["b", "bad"], shift=1.5).carry_out(Search.begin(within, QUICK))
    assert [len(s.values) for s in search.visits[-1].sides] == [5, 5]
