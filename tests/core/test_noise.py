from __future__ import annotations

import numpy as np
import pytest

from perftrack.core.noise import ASSUMED, MIN_RUNS, LaneNoise, lane_noise, with_pairs


def history(rng: np.random.Generator, runs: int, sigma: float) -> list[float]:
    return np.exp(rng.normal(0, sigma, runs)).tolist()


def test_finds_the_run_to_run_deviation() -> None:
    rng = np.random.default_rng(1)
    found = [lane_noise(history(rng, 400, 0.01), [0.0] * 400) for _ in range(20)]
    assert np.mean([n.sigma for n in found if n]) == pytest.approx(0.01, rel=0.05)


def test_is_not_optimistic_after_a_short_history() -> None:
    rng = np.random.default_rng(2)
    found = [lane_noise(history(rng, MIN_RUNS, 0.01), [0.0] * MIN_RUNS) for _ in range(2000)]
    assert 0.01 <= np.mean([n.sigma for n in found if n]) <= 0.0115


def test_leaves_out_what_the_processes_already_explain() -> None:
    rng = np.random.default_rng(3)
    values = history(rng, 4000, 0.01)
    noise = lane_noise(values, [0.0064**2] * 4000)
    assert noise is not None
    assert noise.sigma == pytest.approx(np.sqrt(0.01**2 - 0.0064**2), rel=0.1)


def test_is_zero_where_processes_explain_more_than_there_is() -> None:
    noise = lane_noise(history(np.random.default_rng(4), 50, 0.001), [1.0] * 50)
    assert noise is not None
    assert (noise.sigma, noise.runs) == (0.0, 50)


def test_steps_and_slow_trends_are_not_noise() -> None:
    rng = np.random.default_rng(5)
    values = np.exp(rng.normal(0, 0.003, 300) + np.repeat([0.0, 0.5, 0.2], 100) + np.linspace(0, 0.2, 300))
    noise = lane_noise(values.tolist(), [0.0] * 300)
    assert noise is not None
    assert noise.sigma == pytest.approx(0.003, rel=0.2)


def test_needs_enough_runs() -> None:
    assert lane_noise([1.0] * (MIN_RUNS - 1), [0.0] * (MIN_RUNS - 1)) is None
    assert lane_noise([1.0] * MIN_RUNS, [0.0] * MIN_RUNS) == LaneNoise(0.0, MIN_RUNS)


def test_needs_positive_values() -> None:
    assert lane_noise([1.0] * 9 + [0.0], [0.0] * 10) is None


def test_counts_fewer_degrees_of_freedom_than_runs() -> None:
    assert LaneNoise(0.01, 101).df == pytest.approx(37.0)
    assert LaneNoise(0.01, 2).df == 1.0


def test_without_pairs_noise_is_what_it_was():
    for noise in (None, LaneNoise(0.01, 20)):
        assert with_pairs(noise, [], []) is noise


def test_pairs_of_equal_code_measure_the_noise_of_a_lane():
    rng = np.random.default_rng(5)
    steps = rng.normal(0, 0.01 * 2**0.5, 2000).tolist()
    learnt = with_pairs(LaneNoise(0.03, 20), steps, [0.0] * 2000)
    assert learnt is not None
    assert learnt.sigma == pytest.approx(0.01, rel=0.1)
    assert (learnt.runs, learnt.pairs, learnt.df) == (20, 2000, 2000.0)


def test_a_large_step_of_equal_code_counts_where_history_shrugs_it_off():
    quiet = LaneNoise(0.001, 20)
    learnt = with_pairs(quiet, [0.1], [0.0])
    assert learnt is not None
    assert learnt.sigma > 0.02
    assert learnt.df == quiet.df


def test_a_lane_without_history_learns_from_its_pairs_and_what_is_assumed():
    few, many = (with_pairs(None, [0.001] * n, [0.0] * n) for n in (1, 100))
    assert few is not None
    assert many is not None
    assert ASSUMED.sigma > few.sigma > many.sigma > 0
    assert (few.runs, few.df) == (0, ASSUMED.df + 1)


def test_what_the_processes_explain_is_not_noise_of_the_lane():
    assert with_pairs(LaneNoise(0.0, 20), [0.01] * 5, [0.01**2] * 5) == LaneNoise(0.0, 20, 5)


def test_the_reach_covers_what_steps_do_now_and_then():
    rng = np.random.default_rng(9)
    spiky = np.exp(rng.normal(0, 0.001, 200) + (rng.random(200) < 0.03) * 0.1)
    noise = lane_noise(spiky.tolist(), [0.0] * 200)
    assert noise is not None
    assert noise.sigma < 0.002
    assert noise.reach > 0.05


def test_the_reach_of_gaussian_noise_is_that_of_two_runs():
    rng = np.random.default_rng(10)
    found = [lane_noise(history(rng, 300, 0.01), [0.0] * 300) for _ in range(20)]
    assert np.mean([n.reach for n in found if n]) == pytest.approx(1.96 * 0.01 * 2**0.5, rel=0.1)


@pytest.mark.parametrize("runs", [9, 12, 39, 120])
def test_a_change_and_its_undoing_are_not_in_the_reach(runs: int):
    rng = np.random.default_rng(runs)
    values = np.exp(rng.normal(0, 0.001, runs) + np.resize(np.repeat([0.0, 0.5, 0.0], runs // 3), runs))
    noise = lane_noise(values.tolist(), [0.0] * runs)
    assert noise is not None
    assert noise.reach < 0.01
