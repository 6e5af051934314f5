from __future__ import annotations

import numpy as np
import pytest

from perftrack.core.changes import drift
from perftrack.core.changes.drift import SHORTEST_RAMP, ramp
from perftrack.core.stats import Floats


def noise(seed: int, n: int = 200) -> Floats:
    return np.random.default_rng(seed).standard_normal(n)


def risen(start: int, end: int, n: int = 200) -> Floats:
    return np.clip((np.arange(n) - start) / (end - start), 0.0, 1.0)


def test_a_drift_is_a_ramp_with_its_ends_and_levels() -> None:
    found = ramp(noise(1) + 6.0 * risen(50, 150), [85, 115], 1.0)
    assert found is not None
    assert found.start == pytest.approx(50, abs=15)
    assert found.end == pytest.approx(150, abs=15)
    assert (found.before, found.after) == (pytest.approx(0.0, abs=0.6), pytest.approx(6.0, abs=0.6))


def test_steps_are_not_ramps() -> None:
    assert sum(ramp(noise(s) + 3.0 * (np.arange(200) >= 90), [90], 1.0) is not None for s in range(100)) <= 2


def test_two_steps_in_one_direction_are_not_a_ramp() -> None:
    stairs = 3.0 * (np.arange(200) >= 60) + 3.0 * (np.arange(200) >= 140)
    assert sum(ramp(noise(s) + stairs, [60, 140], 1.0) is not None for s in range(50)) == 0


def test_a_slow_drift_of_two_spreads_is_seen_as_one() -> None:
    assert sum(ramp(noise(s) + 2.0 * risen(0, 200), [100], 1.0) is not None for s in range(100)) >= 80


def test_spikes_do_not_make_a_ramp() -> None:
    values = noise(3) + 3.0 * (np.arange(200) >= 100)
    values[[20, 60, 101, 105, 150]] += 50.0
    assert ramp(values, [100], 1.0) is None


def test_autocorrelated_values_need_more_to_be_a_drift() -> None:
    seeds = range(60)
    values = [noise(s) + 2.0 * risen(0, 200) for s in seeds]
    plain = sum(ramp(v, [100], 1.0) is not None for v in values)
    doubted = sum(ramp(v, [100], 1.0, phi=0.6) is not None for v in values)
    assert doubted < plain


def test_a_short_series_has_no_ramp() -> None:
    assert ramp(np.arange(float(SHORTEST_RAMP)), [10], 1.0) is None


def test_values_without_noise_have_no_ramp() -> None:
    assert ramp(np.repeat([0.0, 1.0], 50), [50], 0.0) is None
    assert ramp(np.repeat([0.0, 1.0], 50), [50], 1e-9) is None


def test_what_is_told_from_the_best_places_alone_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = [3.0 * (np.arange(200) >= 90), 2.0 * risen(40, 140), 4.0 * risen(85, 105), np.zeros(200)]
    cases = [(noise(seed) + shape, cuts) for seed in range(25) for shape in shapes for cuts in ([90], [70, 110])]
    found = [ramp(values, cuts, 1.0) for values, cuts in cases]
    monkeypatch.setattr(drift._Fits, "at_most", lambda self, precision: np.inf)
    assert [ramp(values, cuts, 1.0) for values, cuts in cases] == found
    assert 25 <= sum(f is not None for f in found) <= 175


def test_a_spike_is_cut_off_at_the_median_around_it() -> None:
    values = noise(4, 60)
    values[[0, 30, 59]] += 100.0
    padded = np.pad(values, 7, mode="edge")
    middle = np.array([np.median(padded[i : i + 15]) for i in range(60)])
    assert drift._limited(values, 1.0).tolist() == np.clip(values, middle - 2.5, middle + 2.5).tolist()


def test_the_mean_likelihood_of_places_lies_within_its_bounds() -> None:
    rng = np.random.default_rng(6)
    for count in (1, 2, 30, 253):
        for spread in (0.01, 1.0, 100.0):
            fits = drift._Fits(100.0 + spread * rng.random(count), 1.0 + 50.0 * rng.random(count))
            found = fits.log_mean(1.3)
            assert fits.at_least(1.3, 0.0) - 1e-9 <= found <= fits.at_most(1.3) + 1e-9
            assert fits.log_mean(1.3, 40.0) == pytest.approx(found + 26.0)
            assert fits.at_least(1.3, 40.0) == pytest.approx(fits.at_least(1.3, 0.0) + 26.0)
    alone = drift._Fits(np.array([2.0]), np.array([9.0]))
    assert (
        alone.at_least(1.3, 0.0) == alone.log_mean(1.3) == alone.at_most(1.3) == pytest.approx(-1.3 - np.log(3.0))
    )
