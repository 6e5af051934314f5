from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from perftrack.core.search.belief import Belief
from perftrack.core.search.recheck import VISITS, processes_to_tell, to_check
from tests.core.search.builders import chain

GRAPH = chain(100)
EVERY = np.ones(100, dtype=bool)


def measured(nats: dict[int, float]) -> Belief:
    """With so much evidence of being slow at these places."""
    places = np.array(sorted(nats), dtype=np.int64)
    slow = np.array([nats[p] for p in sorted(nats)])
    return Belief(
        np.zeros(100), np.zeros(100), measured=places, fast_density=np.zeros(len(places)), slow_density=slow
    )


def test_the_middle_of_the_longest_stretch_comes_first() -> None:
    assert to_check(GRAPH, 20, measured({30: 5.0, 40: 5.0}), EVERY, Counter(), 2) == pytest.approx(69, abs=2)


def test_what_was_looked_at_and_looks_slow_is_done() -> None:
    assert to_check(GRAPH, 20, measured({30: 5.0, 70: 5.0}), EVERY, Counter([70]), 1) is None


def test_what_was_looked_at_and_does_not_look_slow_is_looked_at_again() -> None:
    assert to_check(GRAPH, 20, measured({30: 5.0, 70: -3.0}), EVERY, Counter([70]), 1) == 70


def test_a_strange_reading_from_the_search_is_looked_at() -> None:
    assert to_check(GRAPH, 20, measured({60: -4.0}), EVERY, Counter(), 0) == 60


def test_looking_again_has_an_end() -> None:
    assert to_check(GRAPH, 20, measured({60: -4.0}), EVERY, Counter({60: VISITS}), 1) is None


def test_nothing_is_looked_at_that_does_not_descend_from_the_culprit() -> None:
    assert to_check(GRAPH, 20, measured({10: -9.0}), EVERY, Counter(), 0) is None


def test_what_cannot_be_measured_is_not_looked_at() -> None:
    measurable = EVERY.copy()
    measurable[55:65] = False
    place = to_check(GRAPH, 20, measured({}), measurable, Counter(), 2)
    assert place is not None
    assert measurable[place]


def test_a_culprit_next_to_bad_leaves_nothing_to_look_at() -> None:
    assert to_check(GRAPH, 97, measured({}), EVERY, Counter(), 2) is None


def test_a_small_difference_takes_more_processes() -> None:
    assert [processes_to_tell(gap, 5) for gap in (8.0, 2.0, 1.5, 0.5)] == [1, 2, 3, 5]
