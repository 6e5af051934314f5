"""What a culprit does not explain of the difference between the ends, and where that lies."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from perftrack.core.search.bisection import Search
from perftrack.core.search.dag import CommitGraph
from perftrack.core.search.remainder import Remainder, remainder_of
from perftrack.core.search.visits import Outcome
from tests.core.search.builders import QUICK, UNIT, World, below, chain, graph

BRANCHES = graph(
    {
        **{f"{b}{n}": f"{b}{n - 1}" if n else "good" for b in "ab" for n in range(5)},
        "m": "a4 b4",
        "bad": "m",
    }
)


class Steps(World):
    """Each of several commits makes what descends from it slower, by so many standard deviations."""

    def __init__(self, within: CommitGraph, steps: Mapping[str, float], seed: int = 0) -> None:
        super().__init__([], seed=seed)
        self.sizes = [(set(below(within, sha)), size) for sha, size in steps.items()]

    def values(self, commit: str, count: int) -> list[float]:
        level = sum(size for slower, size in self.sizes if commit in slower)
        self.taken += count
        return [2.0 * math.exp(UNIT * (float(self.rng.standard_normal()) + level)) for _ in range(count)]


def searched(within: CommitGraph, steps: Mapping[str, float], seed: int = 0) -> Search:
    search = Steps(within, steps, seed).carry_out(Search.begin(within, QUICK))
    assert search.outcome is Outcome.FOUND
    return search


def rest(search: Search) -> Remainder:
    found = remainder_of(search)
    assert found is not None
    return found


def ranges(search: Search) -> list[tuple[str, str]]:
    return [(part.good, part.bad) for part in rest(search).parts]


@pytest.mark.parametrize("size", [1.5, 3.0, 6.0])
def test_a_single_culprit_explains_everything(size: float) -> None:
    for seed in range(3):
        found = rest(searched(chain(12), {"c5": size}, seed))
        assert found.parts == ()
        assert found.interval.lo < 1.0 < found.interval.hi


def test_of_two_on_branches_the_other_is_to_be_looked_for_where_it_is() -> None:
    search = searched(BRANCHES, {"a2": 8.0, "b3": 4.0})
    assert search.block.commits == ("a2",)
    found = rest(search)
    assert found.interval.lo < 8 / 12 < found.interval.hi < 1.0
    ((good, bad),) = ranges(search)
    part = graph({c: " ".join(p) for c, p in zip(BRANCHES.shas, BRANCHES.parents, strict=True)}, good, bad)
    assert "b3" in part.shas


def test_of_two_in_a_line_the_earlier_one_is_before_the_one_that_was_found() -> None:
    search = searched(chain(20), {"c4": 4.0, "c15": 8.0})
    assert search.block.commits == ("c15",)
    assert ranges(search) == [("good", "c14")]
    assert rest(search).parts[0].share == pytest.approx(1 / 3, abs=0.15)


def test_a_merge_that_is_named_for_what_each_side_brought_says_to_look_in_both() -> None:
    for seed in range(12):
        search = searched(BRANCHES, {"a2": 6.0, "b3": 6.0}, seed)
        if search.block.merge:
            break
    assert search.block.commits == ("m",)
    assert ranges(search) == [("good", "a4"), ("a4", "m")]


def test_before_the_culprit_is_confirmed_there_is_nothing_to_tell() -> None:
    assert remainder_of(Search.begin(chain(4), QUICK)) is None
