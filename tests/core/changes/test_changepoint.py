from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perftrack.core.changes.changepoint import FALSE_ALARMS, ChangeKind, ChangePoint, Shift, detect
from perftrack.errors import InvalidValueError


def lane(seed: int, n: int = 200, cv: float = 0.01) -> np.ndarray:
    """Seconds without a change."""
    return 1e-3 * np.exp(cv * np.random.default_rng(seed).standard_normal(n))


def stepped(seed: int, at: int = 120, ratio: float = 1.03, n: int = 200, cv: float = 0.01) -> list[float]:
    values = lane(seed, n, cv)
    values[at:] *= ratio
    return values.tolist()


def only(changes: tuple[ChangePoint, ...]) -> ChangePoint:
    assert len(changes) == 1
    return changes[0]


def test_a_step_is_found_with_its_place_size_and_direction() -> None:
    found = only(detect(stepped(1)))
    assert found.first <= 120 <= found.last
    assert found.last - found.first <= 4
    assert found.direction is Shift.UP
    assert found.kind is ChangeKind.STEP
    assert found.ratio == pytest.approx(1.03, abs=0.005)
    assert found.interval is not None
    assert found.interval.contains(1.03)
    assert found.after / found.before == pytest.approx(found.ratio)
    assert found.p_value < 1e-9


def test_a_step_down_is_found_as_such() -> None:
    found = only(detect(stepped(2, ratio=1 / 1.05)))
    assert found.direction is Shift.DOWN
    assert found.ratio == pytest.approx(1 / 1.05, abs=0.005)


def test_nothing_changed_shows_nothing() -> None:
    assert sum(bool(detect(lane(seed).tolist())) for seed in range(300)) <= 2


@pytest.mark.slow
def test_a_growing_lane_is_rarely_ever_alarmed() -> None:
    ever = 0
    for seed in range(150):
        values = lane(20_000 + seed, 260).tolist()
        ever += any(detect(values[:n]) for n in range(60, 261, 2))
    assert ever / 150 <= 2.5 * FALSE_ALARMS


def test_spikes_are_not_changes() -> None:
    values = lane(3)
    values[[20, 21, 90, 150]] *= 10.0
    assert detect(values.tolist()) == ()


def test_a_bump_has_two_edges() -> None:
    values = lane(4)
    values[90:105] *= 1.05
    up, down = detect(values.tolist())
    assert (up.kind, up.direction) == (ChangeKind.BUMP, Shift.UP)
    assert (down.kind, down.direction) == (ChangeKind.BUMP, Shift.DOWN)
    assert up.most_likely == pytest.approx(90, abs=1)
    assert down.most_likely == pytest.approx(105, abs=1)


def test_up_and_half_down_again_is_no_bump() -> None:
    values = lane(5)
    values[80:130] *= 1.10
    values[130:] *= 1.05
    assert [change.kind for change in detect(values.tolist())] == [ChangeKind.STEP, ChangeKind.STEP]


def test_a_drift_is_gradual_from_its_start_to_its_end() -> None:
    values = lane(6) * np.exp(0.06 * np.clip((np.arange(200) - 60) / 80, 0, 1))
    found = only(detect(values.tolist()))
    assert found.kind is ChangeKind.GRADUAL
    assert (found.first, found.last) == (pytest.approx(60, abs=15), pytest.approx(140, abs=15))
    assert found.first <= found.most_likely <= found.last
    assert found.ratio == pytest.approx(math.exp(0.06), abs=0.01)


def test_a_step_after_a_drift_the_other_way_stays_a_step() -> None:
    values = lane(7, 300) * np.exp(0.08 * np.clip(np.arange(300) / 150, 0, 1))
    values[220:] *= 0.9
    assert [c.kind for c in detect(values.tolist())] == [ChangeKind.GRADUAL, ChangeKind.STEP]


def test_autocorrelated_noise_is_not_alarmed_for() -> None:
    rng = np.random.default_rng(8)
    alarms = 0
    for _ in range(100):
        noise = np.zeros(200)
        for t in range(1, 200):
            noise[t] = 0.5 * noise[t - 1] + rng.standard_normal()
        alarms += bool(detect(np.exp(0.01 * noise).tolist()))
    assert alarms <= 4


def test_a_count_that_changes_is_a_change_at_once() -> None:
    found = only(detect([48.0] * 20 + [64.0]))
    assert (found.first, found.most_likely, found.last) == (20, 20, 20)
    assert (found.before, found.after, found.ratio, found.p_value) == (48.0, 64.0, 64 / 48, 0.0)


def test_a_short_count_that_held_before_and_after_changed() -> None:
    assert only(detect([48.0] * 4 + [40.0] * 4)).direction is Shift.DOWN


def test_whole_numbers_with_noise_are_no_counts() -> None:
    noisy = np.random.default_rng(9).poisson(1.0, 200).astype(float).tolist()
    assert detect(noisy) == ()
    assert len(detect(noisy, exact=True)) > 50


def test_exactness_can_be_denied() -> None:
    assert detect([48.0] * 20 + [64.0], exact=False) == ()


def test_one_odd_value_of_a_constant_series_is_no_change() -> None:
    assert detect([0.5] * 50 + [0.6]) == ()


def test_a_series_without_noise_is_a_change_once_it_lasts() -> None:
    found = only(detect([1.5] * 30 + [1.7] * 30))
    assert (found.first, found.last, found.ratio) == (30, 30, pytest.approx(1.7 / 1.5))


def test_a_count_that_falls_to_zero_has_no_ratio() -> None:
    found = only(detect([3.0] * 10 + [0.0] * 10))
    assert (found.ratio, found.interval, found.after) == (None, None, 0.0)


def test_values_below_zero_have_levels_and_no_ratio() -> None:
    values = np.random.default_rng(10).standard_normal(100)
    values[50:] += 6.0
    found = only(detect(values.tolist()))
    assert (found.ratio, found.interval) == (None, None)
    assert found.before == pytest.approx(0.0, abs=0.5)
    assert found.after == pytest.approx(6.0, abs=0.5)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [0.0] * 9, [7.0] * 200])
def test_too_little_to_tell_shows_nothing(values: list[float]) -> None:
    assert detect(values) == ()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_refused_by_index(bad: float) -> None:
    with pytest.raises(InvalidValueError, match="value 2 is"):
        detect([1.0, 1.0, bad, 1.0])


@pytest.mark.parametrize("bad", [["a", "b"], [[1.0], [2.0]], [10**400, 1]])
def test_what_is_no_list_of_numbers_is_refused(bad: list[float]) -> None:
    with pytest.raises(InvalidValueError):
        detect(bad)


def test_equal_values_give_equal_answers() -> None:
    assert detect(stepped(11, cv=0.03)) == detect(stepped(11, cv=0.03))


@pytest.mark.parametrize("unit", [1e-12, 1e9, 1e290])
def test_the_unit_does_not_matter(unit: float) -> None:
    plain, scaled = only(detect(stepped(12))), only(detect([unit * v for v in stepped(12)]))
    assert (scaled.first, scaled.last, scaled.kind) == (plain.first, plain.last, plain.kind)
    assert scaled.ratio == pytest.approx(plain.ratio)


def test_a_longer_history_does_not_change_what_is_certain() -> None:
    values = stepped(13, at=60, ratio=1.05, n=400)
    places = {only(detect(values[:n])).most_likely for n in range(80, 401, 40)}
    assert places == {60}


def test_values_at_both_ends_of_the_range_of_floats_have_a_ratio() -> None:
    found = only(detect([1e-300, 1.1e-300] * 15 + [1e300, 1.1e300] * 15))
    assert found.ratio is not None
    assert math.isfinite(found.ratio)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([0.0, -1.0, 1.0, 2.0, 1e-300, 1e300, -1e308, 0.1, 3.5]), max_size=60))
def test_any_finite_values_have_an_answer_within_them(values: list[float]) -> None:
    for change in detect(values):
        assert 1 <= change.first <= change.most_likely <= change.last < len(values)
        assert 0.0 <= change.p_value <= 1.0
        assert 0.0 < change.probability <= 1.0
        assert math.isfinite(change.before)
        assert math.isfinite(change.after)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(20, 120), st.floats(0.5, 2.0))
def test_upside_down_is_the_same_change_the_other_way(seed: int, at: int, ratio: float) -> None:
    values = stepped(seed, at, ratio, n=140)
    up, down = detect(values), detect([1 / v for v in values])
    assert [(c.first, c.last, c.kind) for c in up] == [(c.first, c.last, c.kind) for c in down]
    assert all(a.direction is not b.direction for a, b in zip(up, down, strict=True))
