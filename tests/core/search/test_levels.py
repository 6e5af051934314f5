from __future__ import annotations

import numpy as np
import pytest

from perftrack.core.search.levels import LEVEL_NODES, LevelGrid, Readings, effective_spread, weigh


def grid_of(rng: np.random.Generator, count: int = 20, shift: float = 2.0) -> tuple[LevelGrid, tuple, tuple]:
    good, bad = Readings.of(rng.normal(size=count)), Readings.of(rng.normal(size=count) + shift)
    grid = LevelGrid.around(good, bad)
    ends = grid.log_density(good, grid.good).sum(axis=0), grid.log_density(bad, grid.bad).sum(axis=0)
    return grid, ends, (good, bad)


def odds_of_slow(values: list[float], rng: np.random.Generator, **options: float) -> float:
    """ln of the odds that one commit with these values is slow."""
    grid, ends, _ = grid_of(rng, **options)  # type: ignore[arg-type]
    readings = Readings.of(values)
    fast = grid.sum_by_commit(readings, [0], grid.good)
    slow = grid.sum_by_commit(readings, [0], grid.bad)
    patterns = np.array([[False], [True]])
    evidence = weigh(fast, slow, ends, patterns, np.array([0.5, 0.5])).evidence
    return float(evidence[1] - evidence[0])


def test_a_value_at_a_level_speaks_for_it() -> None:
    rng = np.random.default_rng(1)
    assert odds_of_slow([2.0], rng) > 1.0
    assert odds_of_slow([0.0], rng) < -1.0


def test_many_ends_give_nearly_the_odds_of_known_levels() -> None:
    rng = np.random.default_rng(2)
    values = [1.3, 0.4, 1.9]
    known = sum(-0.5 * (v - 2.0) ** 2 + 0.5 * v**2 for v in values)
    assert odds_of_slow(values, rng, count=4000) == pytest.approx(known, rel=0.12)


def test_few_ends_give_weaker_odds_than_known_levels() -> None:
    values = [2.0] * 6
    few = np.mean([odds_of_slow(values, np.random.default_rng(s), count=4) for s in range(30)])
    many = np.mean([odds_of_slow(values, np.random.default_rng(s), count=400) for s in range(30)])
    assert few < 0.8 * many


def test_a_stray_value_does_not_outweigh_the_rest() -> None:
    rng = np.random.default_rng(3)
    assert odds_of_slow([0.0, 0.1, -0.1, 40.0], rng) < 0.0


def test_scaling_and_shifting_all_values_changes_no_odds() -> None:
    def odds(scale: float, shift: float) -> float:
        rng = np.random.default_rng(4)
        good, bad = (Readings.of(scale * v + shift) for v in (rng.normal(size=12), rng.normal(size=12) + 2))
        grid = LevelGrid.around(good, bad)
        ends = grid.log_density(good, grid.good).sum(axis=0), grid.log_density(bad, grid.bad).sum(axis=0)
        one = Readings.of([scale * 1.6 + shift])
        evidence = weigh(
            grid.sum_by_commit(one, [0], grid.good),
            grid.sum_by_commit(one, [0], grid.bad),
            ends,
            np.array([[False], [True]]),
            np.array([0.5, 0.5]),
        ).evidence
        return float(evidence[1] - evidence[0])

    assert odds(1e-9, 3.0) == pytest.approx(odds(1.0, 0.0), rel=1e-3)


def test_the_grid_is_centred_on_the_ends() -> None:
    grid, _, (good, bad) = grid_of(np.random.default_rng(5), count=60)
    middle = len(LEVEL_NODES) // 2
    assert grid.good[1, middle] == pytest.approx(good.values.mean(), abs=0.1)
    assert grid.bad[1, middle] == pytest.approx(bad.values.mean(), abs=0.1)


def test_values_that_never_vary_have_a_grid_all_the_same() -> None:
    grid = LevelGrid.around(Readings.of([3.0] * 8), Readings.of([4.0] * 8))
    density = grid.log_density(Readings.of([3.0, 4.0]), grid.good)
    assert np.isfinite(density).all()
    assert density[0].max() > density[1].max() + 10


def test_a_mean_of_many_processes_weighs_more_than_one() -> None:
    grid, _, _ = grid_of(np.random.default_rng(6))
    one = grid.log_density(Readings.of([2.0]), grid.bad) - grid.log_density(Readings.of([2.0]), grid.good)
    nine = Readings(np.array([2.0]), np.array([1 / 9]), np.zeros(1))
    mean = grid.log_density(nine, grid.bad) - grid.log_density(nine, grid.good)
    assert mean.mean() > 1.5 * one.mean()


def test_a_spread_between_runs_weakens_what_a_run_says() -> None:
    grid, _, _ = grid_of(np.random.default_rng(7))

    def strength(apart: float) -> float:
        run = Readings(np.array([2.0]), np.array([0.2]), np.array([apart]))
        return float((grid.log_density(run, grid.bad) - grid.log_density(run, grid.good)).mean())

    assert strength(3.0) < 0.3 * strength(0.0)


def test_more_degrees_of_freedom_tend_to_the_standard_deviation() -> None:
    assert effective_spread(1e9, 2.0) == pytest.approx(2.0)
    assert effective_spread(4.0, 2.0) > 2.0
