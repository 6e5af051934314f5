from __future__ import annotations

import numpy as np
import pytest

from perftrack.core.changes.autocorrelation import MOST, lag_one, whitened
from perftrack.core.stats import Floats


def autoregressive(seed: int, n: int, phi: float) -> Floats:
    rng = np.random.default_rng(seed)
    out = np.empty(n)
    out[0] = rng.standard_normal()
    for t in range(1, n):
        out[t] = phi * out[t - 1] + np.sqrt(1 - phi * phi) * rng.standard_normal()
    return out


@pytest.mark.parametrize("phi", [0.3, 0.5, 0.7])
def test_finds_the_autocorrelation(phi: float) -> None:
    found = [lag_one(autoregressive(seed, 400, phi)) for seed in range(100)]
    assert np.mean(found) == pytest.approx(phi, abs=0.04)


def test_independent_noise_has_hardly_any() -> None:
    assert np.mean([lag_one(autoregressive(seed, 200, 0.0)) for seed in range(200)]) < 0.04


def test_steps_are_not_autocorrelation() -> None:
    levels = np.repeat([0.0, 8.0, 3.0, 12.0], 50)
    found = [lag_one(autoregressive(seed, 200, 0.0) + levels) for seed in range(100)]
    assert np.mean(found) < 0.08


def test_one_spike_is_not_autocorrelation() -> None:
    values = autoregressive(3, 200, 0.0)
    before = lag_one(values)
    values[[100, 101]] += 1e6
    assert lag_one(values) == pytest.approx(before, abs=0.1)


def test_is_never_negative_nor_more_than_the_most() -> None:
    assert lag_one(np.tile([0.0, 1.0], 50) + autoregressive(4, 100, 0.0) * 0.01) == 0.0
    assert lag_one(np.arange(100.0) ** 2) <= MOST


def test_few_or_equal_values_show_none() -> None:
    assert lag_one(np.arange(7.0) ** 2) == 0.0
    assert lag_one(np.ones(100)) == 0.0


def test_whitening_leaves_independent_noise_of_the_same_level() -> None:
    values = autoregressive(5, 4000, 0.6) + 10.0
    white = whitened(values, 0.6)
    assert np.corrcoef(white[1:], white[:-1])[0, 1] == pytest.approx(0.0, abs=0.05)
    assert white[0] == pytest.approx(4.0, abs=4.0)  # (1 - φ) · 10, as the others
    assert np.median(white) == pytest.approx(4.0, abs=0.1)


def test_whitening_without_autocorrelation_changes_nothing() -> None:
    values = autoregressive(6, 20, 0.0)
    assert whitened(values, 0.0).tolist() == values.tolist()
