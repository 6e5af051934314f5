from __future__ import annotations

import math

import pytest

from perftrack.core.search.cost import Spent
from perftrack.core.search.settings import BUILD_COST, SearchSettings
from perftrack.core.search.visits import Failure, FailureKind, Phase, Side, Visit

VISITS = (
    Visit(Phase.SEARCH, (Side("a", (1.0, 1.0)), Side("good", (1.0,))), seconds=13.0, build_seconds=10.0),
    Visit(Phase.SEARCH, (Side("b", (), Failure(FailureKind.BUILD)),), seconds=4.0, build_seconds=4.0),
    Visit(Phase.SEARCH, (Side("a", (1.0,)),), seconds=1.0),
)


def test_processes_seconds_and_commits_add_up() -> None:
    spent = Spent.on(VISITS)
    assert (spent.measurements, spent.seconds, spent.commits) == (4, 18.0, {"a", "b", "good"})


def test_a_build_costs_what_the_builds_so_far_took() -> None:
    assert Spent.on(VISITS).process_seconds == 1.0
    assert Spent.on(VISITS).build_cost(SearchSettings()) == 7.0


def test_a_build_cost_that_is_given_is_taken() -> None:
    assert Spent.on(VISITS).build_cost(SearchSettings(build_cost=2.0)) == 2.0


def test_a_build_cost_is_assumed_where_nobody_counts_seconds() -> None:
    assert Spent().build_cost(SearchSettings()) == BUILD_COST


@pytest.mark.parametrize(
    ("settings", "left"),
    [
        (SearchSettings(), math.inf),
        (SearchSettings(measurements=10), 6.0),
        (SearchSettings(measurements=3), -1.0),
        (SearchSettings(seconds=20.0), 2.0),
        (SearchSettings(seconds=18.0), 0.0),
        (SearchSettings(seconds=20.0, measurements=5), 1.0),
    ],
)
def test_the_tighter_budget_says_what_is_left(settings: SearchSettings, left: float) -> None:
    assert Spent.on(VISITS).left(settings) == left


def test_time_without_a_process_yet_is_no_limit_until_it_is_over() -> None:
    assert Spent().left(SearchSettings(seconds=5.0)) == math.inf
    assert Spent(seconds=6.0).left(SearchSettings(seconds=5.0)) == 0.0
