from __future__ import annotations

import numpy as np
import pytest

from perftrack.core.search.ranksum import rank_sum_p
from perftrack.core.search.reproduction import ENDS_MOST, LEAST, MOST, Reproduction, Standing


def looked(good: np.ndarray, bad: np.ndarray, start: Reproduction | None = None) -> Reproduction:
    """A look after each pair from the eighth on, until the standing is settled or all is seen."""
    state = start or Reproduction()
    for n in range(1, len(good) + 1):
        state = state.look(good[:n], bad[:n])
        if state.established or state.standing is Standing.ABSENT:
            break
    return state


def test_nothing_is_concluded_from_fewer_than_eight_a_side() -> None:
    seen = Reproduction().look(np.zeros(LEAST - 1), np.ones(LEAST - 1) * 9)
    assert seen.standing is Standing.OPEN
    assert seen.good == seen.bad == LEAST - 1


def test_a_plain_difference_begins_the_search_at_eight() -> None:
    seen = Reproduction().look(np.arange(8.0), np.arange(8.0) + 100)
    assert seen.standing is Standing.STARTED
    assert not seen.established


def test_a_plain_difference_is_established_a_few_processes_later() -> None:
    assert looked(np.arange(20.0), np.arange(20.0) + 100).good == 9


def test_the_p_value_is_that_of_all_the_readings_it_is_told_with() -> None:
    good = np.arange(30.0)
    seen = looked(good[:10], good[:10] + 100)
    later = seen.look(good, np.concatenate([good[:10] + 100, good[10:]]))
    assert later.established
    assert (later.good, later.bad) == (30, 30)
    assert later.p_value == rank_sum_p(good, np.concatenate([good[:10] + 100, good[10:]]))


def test_no_difference_ends_at_sixty_a_side() -> None:
    rng = np.random.default_rng(3)
    seen = looked(rng.normal(size=100), rng.normal(size=100))
    assert seen.standing is Standing.ABSENT
    assert seen.good == MOST


def test_a_better_bad_end_is_no_difference_to_search_for() -> None:
    seen = looked(np.arange(20.0) + 100, np.arange(20.0))
    assert seen.standing is Standing.ABSENT
    assert seen.good == LEAST
    assert seen.p_value > 0.999


def test_a_small_difference_is_suspected_at_sixty_and_not_yet_established() -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        good, bad = rng.normal(size=MOST), rng.normal(size=MOST) + 0.55
        state = Reproduction()
        for n in range(LEAST, MOST + 1):
            state = state.look(good[:n], bad[:n])
        if state.standing is Standing.SUSPECTED:
            assert not state.established
            assert 1e-4 <= state.p_value < 5e-3
            return
    raise AssertionError("never suspected")


def test_a_difference_that_fades_was_luck() -> None:
    rng = np.random.default_rng(0)
    started = Reproduction(Standing.STARTED)
    seen = looked(rng.normal(size=ENDS_MOST), rng.normal(size=ENDS_MOST), started)
    assert seen.standing is Standing.ABSENT


def test_a_difference_that_is_never_established_ends_all_the_same() -> None:
    good = np.arange(float(ENDS_MOST))
    state = Reproduction(Standing.STARTED)
    doubtful = next(s for k in range(60) if 1e-4 < (s := state.look(good, good + k + 0.5)).p_value < 1e-2)
    assert not doubtful.established
    assert doubtful.standing is Standing.ABSENT


def test_a_difference_once_established_stays_so() -> None:
    sure = Reproduction(Standing.STARTED, established=True)
    rng = np.random.default_rng(0)
    assert sure.look(rng.normal(size=99), rng.normal(size=99)).established


@pytest.mark.slow
def test_looking_after_every_pair_seldom_lets_noise_begin_a_search() -> None:
    begun = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        good, bad = rng.normal(size=MOST), rng.normal(size=MOST)
        state = Reproduction()
        for n in range(LEAST, MOST + 1):
            state = state.look(good[:n], bad[:n])
        begun += state.searching
        assert not state.established
    assert begun <= 8  # 0.6 % expected: 2.4
