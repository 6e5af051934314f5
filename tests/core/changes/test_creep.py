from __future__ import annotations

import math

import numpy as np
import pytest

from perftrack.core.changes.creep import FEWEST, Creep, creep
from perftrack.errors import InvalidValueError


def crept(seed: int, total: float, n: int = 200, cv: float = 0.01) -> list[float]:
    """Seconds that rise by ln ratio `total` from value 50 to the end."""
    rise = total * np.clip((np.arange(n) - 50) / (n - 50), 0, 1)
    return np.exp(cv * np.random.default_rng(seed).standard_normal(n) + rise).tolist()


def found(values: list[float], pinned: int = 50, threshold: float = 0.02, after: int = 0) -> Creep:
    got = creep(values, pinned, threshold, after=after)
    assert got is not None
    return got


def test_a_creep_of_five_percent_is_alarmed_with_its_size() -> None:
    got = found(crept(1, 0.05))
    assert got.alarm
    assert got.ratio == pytest.approx(math.exp(0.05 * 0.93), abs=0.01)
    assert got.interval.contains(got.ratio)


def test_nothing_changed_is_not_alarmed() -> None:
    assert sum(found(crept(seed, 0.0, cv=0.05), threshold=0.0).alarm for seed in range(500)) <= 2


def test_a_real_creep_below_the_threshold_is_not_alarmed() -> None:
    got = found(crept(2, 0.05), threshold=0.10)
    assert got.p_value < 1e-6
    assert not got.alarm


def test_the_interval_holds_the_ratio_in_95_of_100() -> None:
    held = [found(crept(seed, 0.0)).interval.contains(1.0) for seed in range(400)]
    assert 0.92 <= np.mean(held) <= 0.98


def test_autocorrelated_noise_is_allowed_for() -> None:
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(200):
        noise = np.zeros(200)
        for t in range(1, 200):
            noise[t] = 0.5 * noise[t - 1] + rng.standard_normal()
        alarms += found(np.exp(0.01 * noise).tolist(), threshold=0.0).alarm
    assert alarms <= 3


def test_values_of_an_older_level_can_be_left_out() -> None:
    values = crept(4, 0.0)
    values[:45] = [v * 1.2 for v in values[:45]]
    assert found(values, pinned=60).ratio == pytest.approx(1.0, abs=0.02)
    assert found(values, pinned=54, after=45).ratio == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(("n", "pinned"), [(30, FEWEST - 2), (30, 29 - FEWEST + 1), (5, 2)])
def test_too_few_values_on_a_side_say_nothing(n: int, pinned: int) -> None:
    assert creep([1.0] * n, pinned, 0.02) is None


def test_the_release_is_not_part_of_what_came_after() -> None:
    assert creep([1.0] * 30, 21, 0.02) is not None
    assert creep([1.0] * 30, 22, 0.02) is None


def test_values_without_noise_have_an_exact_ratio() -> None:
    got = found([2.0] * 30 + [3.0] * 30, pinned=29)
    assert got.ratio == pytest.approx(1.5)
    assert got.alarm


def test_values_of_zero_have_no_ratio() -> None:
    assert creep([0.0] * 60, 30, 0.02) is None


def test_an_index_outside_the_series_is_refused() -> None:
    with pytest.raises(InvalidValueError):
        creep([1.0] * 30, 30, 0.02)


def test_values_that_are_not_finite_are_refused() -> None:
    with pytest.raises(InvalidValueError):
        creep([1.0] * 29 + [math.nan], 10, 0.02)
