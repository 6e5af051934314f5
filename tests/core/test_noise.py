from __future__ import annotations

import numpy as np
import pytest

from perftrack.core.noise import MIN_RUNS, LaneNoise, lane_noise


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
    assert noise == LaneNoise(0.0, 50)


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
