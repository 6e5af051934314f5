from __future__ import annotations

import numpy as np
import pytest

from perftrack.core.search import belief
from perftrack.core.search.belief import BAD, GOOD, Anchors, Belief
from perftrack.core.search.dag import CommitGraph
from perftrack.core.search.levels import Readings
from tests.core.search.builders import chain, graph

GRAPH = chain(8)
EVEN = np.full(8, 1 / 8)


def believe(within: CommitGraph, prior: np.ndarray, readings: dict[int, Readings]) -> Belief:
    return belief.believe(within, prior, readings, Anchors.of(readings))


def read(values: object) -> Readings:
    return Readings.of(np.asarray(values, dtype=float))


def ends(seed: int = 0, shift: float = 3.0) -> dict[int, Readings]:
    rng = np.random.default_rng(seed)
    return {GOOD: read(rng.normal(size=15)), BAD: read(rng.normal(size=15) + shift)}


def test_without_readings_of_the_range_the_prior_stays() -> None:
    prior = np.arange(1.0, 9.0) / 36
    assert believe(GRAPH, prior, ends()).culprit == pytest.approx(prior)


def test_without_ends_nothing_is_concluded() -> None:
    found = believe(GRAPH, EVEN, {3: read([3.0, 3.0]), GOOD: read([0.0])})
    assert found.culprit == pytest.approx(EVEN)


def test_a_fast_commit_clears_its_ancestors() -> None:
    found = believe(GRAPH, EVEN, ends() | {3: read([0.0] * 4)})
    assert found.culprit[:4].sum() < 1e-3
    assert found.culprit[4:] == pytest.approx(np.full(4, 0.25), abs=1e-3)
    assert found.slow[3] < 1e-3


def test_a_slow_commit_clears_what_does_not_lead_to_it() -> None:
    within = graph({"a": "good", "b": "good", "m": "a b", "bad": "m"})
    found = believe(within, np.full(4, 0.25), ends() | {within.places["a"]: read([3.0] * 4)})
    assert found.culprit[within.places["a"]] > 0.99


def test_two_fast_parents_leave_the_merge() -> None:
    within = graph({"a": "good", "b": "good", "m": "a b", "bad": "m"})
    readings = {within.places[c]: read([0.0] * 4) for c in ("a", "b")} | {within.places["m"]: read([3.0] * 4)}
    found = believe(within, np.full(4, 0.25), ends() | readings)
    assert found.culprit[within.places["m"]] > 0.99


def test_the_probability_of_being_slow_is_that_of_culprits_among_ancestors() -> None:
    within = graph({"a": "good", "b": "a", "c": "a", "m": "b c", "bad": "m"})
    prior = np.array([0.1, 0.2, 0.3, 0.15, 0.25])
    found = believe(within, prior, ends() | {1: read([1.0])})
    for place in range(len(within)):
        assert found.slow[place] == pytest.approx(found.culprit[within.ancestors(place)].sum(), abs=1e-6)


def test_the_answer_is_the_product_of_odds_where_levels_are_well_known() -> None:
    rng = np.random.default_rng(1)
    known = {GOOD: read(rng.normal(size=3000)), BAD: read(rng.normal(size=3000) + 1.0)}
    values = {2: [0.7, 0.2], 5: [1.4]}
    found = believe(GRAPH, EVEN, known | {p: read(v) for p, v in values.items()})
    odds = {p: np.exp(sum(x - 0.5 for x in v)) for p, v in values.items()}  # of slow, at a distance of one
    likelihood = np.array([np.prod([odds[p] if c <= p else 1.0 for p in values]) for c in range(8)])
    assert found.culprit == pytest.approx(likelihood / likelihood.sum(), abs=0.02)


def test_the_gap_is_in_standard_deviations() -> None:
    rng = np.random.default_rng(2)
    found = believe(GRAPH, EVEN, {GOOD: read(rng.normal(size=400) * 5), BAD: read(rng.normal(size=400) * 5 + 10)})
    assert found.gap == pytest.approx(2.0, abs=0.2)
    assert found.good == pytest.approx(0.0, abs=0.9)
    assert found.bad == pytest.approx(10.0, abs=0.9)


def test_more_than_forty_measured_commits_keep_their_patterns_apart() -> None:
    within = chain(130)
    readings = {place: read([3.0 if place >= 77 else 0.0] * 3) for place in range(129)}
    found = believe(within, np.full(130, 1 / 130), ends() | readings)
    assert found.culprit[77] > 0.999
