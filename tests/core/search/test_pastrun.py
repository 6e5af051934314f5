"""Runs recorded before a search: evidence of its own lane, a prior of others, never both."""

from __future__ import annotations

import numpy as np
import pytest

from perftrack.core.model import Direction
from perftrack.core.noise import ASSUMED
from perftrack.core.search.bisection import Search
from perftrack.core.search.pastrun import PastRun, evidence, prior_weights
from tests.core.search.builders import chain, graph


def run(sha: str, value: float, *, lane: str = "here", code: str = "h", at: float = 0.0) -> PastRun:
    return PastRun(f"r{sha}{at}", sha, lane, code, at, value, 1e-6, (value, value * 1.01))


def test_runs_of_the_lane_and_the_benchmark_as_it_is_are_evidence() -> None:
    runs = [
        run("c2", 1.0),
        run("good", 1.0),
        run("c3", 1.0, lane="elsewhere"),
        run("c4", 1.0, code="older"),
        run("stranger", 1.0),
    ]
    found = evidence(chain(6), runs, "here", "h")
    assert [r.commit for r in found] == ["c2", "good"]
    assert found[0].values == (1.0, 1.01)
    assert found[0].apart == ASSUMED.sigma


def test_how_far_runs_lie_apart_is_learnt_from_the_lane() -> None:
    rng = np.random.default_rng(1)
    runs = [run(f"old{n}", float(np.exp(0.004 * rng.standard_normal())), at=n) for n in range(40)]
    (found,) = evidence(chain(6), [*runs, run("c1", 1.0, at=99)], "here", "h")
    assert 0.002 < found.apart < 0.008


def history(step: int, *, change: float = 1.2, lane: str = "elsewhere") -> tuple[list[str], list[PastRun]]:
    """Twenty commits before the range and the twenty of it, slower from `step` of the range on."""
    rng = np.random.default_rng(2)
    order = [*(f"old{n}" for n in range(20)), "good", *(f"c{n}" for n in range(20))]
    runs = []
    for n, sha in enumerate(order):
        level = change if n >= 21 + step else 1.0
        runs.append(run(sha, level * float(np.exp(0.003 * rng.standard_normal())), lane=lane, at=n))
    return order, runs


def test_a_change_for_the_worse_in_another_lane_points_at_its_commits() -> None:
    order, runs = history(9)
    weights = prior_weights(chain(20), runs, order, Direction.LOWER)
    assert weights is not None
    assert sum(weights.values()) == pytest.approx(1.0)
    assert weights["c9"] == max(weights.values())
    search = Search.begin(chain(20), prior=weights)
    assert search.posterior()["c9"] > 0.3


def test_commits_without_a_run_share_the_blame_of_the_next_that_has_one() -> None:
    order, runs = history(9)
    kept = [r for r in runs if r.sha not in {"c7", "c8", "c9"}]
    weights = prior_weights(chain(20), kept, order, Direction.LOWER)
    assert weights is not None
    assert weights["c7"] == weights["c8"] == weights["c9"] > 0.1


@pytest.mark.parametrize(
    ("change", "direction", "points"),
    [
        (1.2, Direction.LOWER, True),
        (1.2, Direction.HIGHER, False),
        (0.8, Direction.HIGHER, True),
        (0.8, Direction.LOWER, False),
        (1.0, Direction.LOWER, False),
    ],
)
def test_only_changes_for_the_worse_count(change: float, direction: Direction, points: bool) -> None:
    order, runs = history(9, change=change)
    assert (prior_weights(chain(20), runs, order, direction) is not None) is points


def test_a_change_before_the_range_points_nowhere() -> None:
    order, runs = history(-5)
    assert prior_weights(chain(20), runs, order, Direction.LOWER) is None


def test_each_lane_has_as_much_to_say() -> None:
    order, one = history(4, lane="a")
    _, other = history(14, lane="b")
    weights = prior_weights(chain(20), [*one, *other], order, Direction.LOWER)
    assert weights is not None
    assert weights["c4"] == pytest.approx(weights["c14"], rel=0.3)


def test_a_merged_branch_is_suspected_with_its_merge() -> None:
    merged = graph({"a": "good", "s1": "good", "s2": "s1", "m": "a s2", "bad": "m"})
    rng = np.random.default_rng(3)
    order = [*(f"old{n}" for n in range(15)), "good", "s1", "s2", "a", "m", "bad"]
    measured = dict.fromkeys(order, 1.0) | {"m": 1.3, "bad": 1.3}
    runs = [
        run(sha, level * float(np.exp(0.002 * rng.standard_normal())), lane="x", at=n)
        for n, (sha, level) in enumerate(measured.items())
        if sha not in {"s1", "s2"}
    ] + [run("bad", 1.3 + 0.001 * n, lane="x", at=50 + n) for n in range(8)]
    weights = prior_weights(merged, runs, order, Direction.LOWER)
    assert weights is None or "a" not in weights or weights["a"] < weights["m"]


def test_without_runs_there_is_no_prior() -> None:
    assert prior_weights(chain(4), [], ["good", "c0"], Direction.LOWER) is None
