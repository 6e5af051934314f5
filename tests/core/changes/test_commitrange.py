from __future__ import annotations

import numpy as np
import pytest

from perftrack.core.changes import commitrange, studentnoise
from perftrack.core.changes.commitrange import Place, place, quick_place
from perftrack.core.changes.studentnoise import Spread, centre, deviations, spread
from perftrack.core.stats import Floats

NORMAL = Spread(40.0, 1.0)


def stepped(seed: int, height: float, at: int = 100, n: int = 200) -> Floats:
    values = np.random.default_rng(seed).standard_normal(n)
    values[at:] += height
    return values


def test_deviations_are_from_the_median_of_each_segment() -> None:
    assert deviations(np.array([1.0, 2.0, 9.0, 10.0, 20.0]), [3]).tolist() == [-1.0, 0.0, 7.0, -5.0, 5.0]


def test_spread_tells_heavy_tails_from_normal_noise() -> None:
    rng = np.random.default_rng(1)
    assert spread(rng.standard_t(2.5, 2000), 1).df <= 3.0
    assert spread(rng.standard_normal(2000), 1).df >= 10.0


def test_spread_finds_the_scale_whatever_the_tails() -> None:
    rng = np.random.default_rng(2)
    assert spread(3.0 * rng.standard_t(3, 4000), 1).scale == pytest.approx(3.0, rel=0.06)


def test_spread_of_values_mostly_equal_is_zero() -> None:
    assert spread(np.array([0.0, 0.0, 0.0, 5.0]), 1).scale == 0.0


def test_centre_shrugs_off_spikes() -> None:
    values = np.append(np.random.default_rng(3).standard_normal(99), 1e6)
    assert centre(values, Spread(3.0, 1.0)) == pytest.approx(0.0, abs=0.3)


@pytest.mark.parametrize("noise", [Spread(3.0, 1.0), Spread(40.0, 0.5)])
def test_centre_counts_values_by_their_distance(noise: Spread) -> None:
    values = np.random.default_rng(4).standard_t(2, 101)
    level = np.median(values)
    for _ in range(4):
        weights = 1 / (noise.df + ((values - level) / noise.scale) ** 2)
        level = np.average(values, weights=weights)
    assert centre(values, noise) == pytest.approx(level)


def test_a_large_step_is_one_commit() -> None:
    found = place(stepped(4, 12.0), 95, NORMAL)
    assert (found.first, found.most_likely, found.last) == (100, 100, 100)
    assert found.probability > 0.999


def test_a_small_step_has_a_wide_range_that_holds_it() -> None:
    found = place(stepped(5, 1.0), 100, NORMAL)
    assert found.first <= found.most_likely <= found.last
    assert 4 <= found.last - found.first + 1 <= 40
    assert 0.6 < found.probability <= 1.0


@pytest.mark.parametrize("height", [1.0, 1.5, 3.0])
def test_ranges_hold_the_step_in_95_of_100(height: float) -> None:
    found = [place(stepped(seed, height), 100, NORMAL) for seed in range(300)]
    assert np.mean([f.first <= 100 <= f.last for f in found]) >= 0.93


def test_autocorrelation_widens_the_range() -> None:
    values = stepped(7, 1.5)
    plain, widened = place(values, 100, NORMAL), place(values, 100, NORMAL, phi=0.6)
    assert widened.last - widened.first > plain.last - plain.first


def test_noise_without_a_scale_leaves_no_doubt() -> None:
    values = np.repeat([1.0, 2.0], 20)
    found = place(values, 20, Spread(40.0, 0.0))
    assert (found.first, found.last, found.probability) == (20, 20, 1.0)


def test_quick_place_moves_a_cut_to_where_the_step_is() -> None:
    assert quick_place(stepped(8, 6.0), (0.0, 6.0), NORMAL) == pytest.approx(100, abs=1)


def test_a_step_at_either_end_is_found() -> None:
    assert place(stepped(9, 8.0, at=1, n=30), 2, NORMAL).most_likely == 1
    assert place(stepped(9, 8.0, at=29, n=30), 28, NORMAL).most_likely == 29


def test_quick_place_is_exact_however_sure_the_step_is() -> None:
    """Most places are then less likely than floats can tell."""
    for at in (1, 2, 40, 100, 198, 199):
        assert quick_place(stepped(10, 1e4, at), (0.0, 1e4), NORMAL) == at


def test_quick_place_has_the_least_expected_miss_of_all() -> None:
    """Not always at the likeliest place: a miss by up to five commits costs less than any other."""
    kernel = 1 + 0.3 * (1 - np.abs(np.arange(-5, 6)) / 6)
    elsewhere = 0
    for seed in range(60):
        values = stepped(seed, 1.0)
        left, right = (np.log1p((values - level) ** 2 / 40.0) for level in (0.0, 1.0))
        log_odds = 41.0 / 2 * np.cumsum(right - left)[:-1]
        gains = np.convolve(np.exp(log_odds - log_odds.max()), kernel)[5:-5]
        found = quick_place(values, (0.0, 1.0), NORMAL)
        assert found == gains.argmax() + 1
        elsewhere += found != log_odds.argmax() + 1
    assert elsewhere > 10


def test_the_only_likely_place_is_certain() -> None:
    assert place(stepped(11, 60.0), 100, NORMAL) == Place(100, 100, 100, 1.0)


def test_many_places_at_once_are_as_likely_as_each_by_itself() -> None:
    values, splits = stepped(12, 1.0), np.arange(60, 141)
    together = commitrange._likelihood(values, (0.0, 1.0), NORMAL, 1.0, splits)
    alone = [
        float(commitrange._likelihood(values, (0.0, 1.0), NORMAL, 1.0, splits[i : i + 1])[0]) for i in range(81)
    ]
    assert together.tolist() == pytest.approx(alone)


@pytest.mark.parametrize("n", [1, 7, 200])
def test_spread_is_the_same_in_whatever_portions_it_is_reckoned(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(13).standard_t(3, n)
    found = spread(values, 1)
    monkeypatch.setattr(studentnoise, "IN_CACHE", 0)
    assert spread(values, 1) == found
