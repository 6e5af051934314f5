from __future__ import annotations

import numpy as np

from perftrack.core.search.enddrift import EndDrift

TIMES = np.concatenate([np.arange(40.0), np.arange(40.0, 200.0, 4.0)])


def readings(rng: np.random.Generator, drift: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    at_bad = np.arange(len(TIMES)) % 2 == 1
    return drift + 3.0 * at_bad + rng.normal(size=len(TIMES)), at_bad


def test_steady_ends_are_left_as_they_are() -> None:
    shifts = []
    for seed in range(20):
        values, at_bad = readings(np.random.default_rng(seed), np.zeros(len(TIMES)))
        shifts.append(np.abs(EndDrift.of(TIMES, values, at_bad).at(TIMES)).max())
    assert np.median(shifts) < 0.1


def test_a_slow_drift_is_followed() -> None:
    truth = TIMES / 50.0
    values, at_bad = readings(np.random.default_rng(1), truth)
    found = EndDrift.of(TIMES, values, at_bad)
    assert found.probability > 0.9
    late = TIMES > 60
    assert np.abs(found.at(TIMES) - (truth - truth[:40].mean()))[late].mean() < 0.5


def test_the_last_shift_holds_after_the_last_visit() -> None:
    values, at_bad = readings(np.random.default_rng(2), TIMES / 40.0)
    found = EndDrift.of(TIMES, values, at_bad)
    assert found.at(np.array([500.0])) == found.at(TIMES[-1:])


def test_a_difference_between_the_ends_is_no_drift() -> None:
    values, at_bad = readings(np.random.default_rng(3), np.zeros(len(TIMES)))
    one, two = EndDrift.of(TIMES, values, at_bad), EndDrift.of(TIMES, values + 50.0 * at_bad, at_bad)
    np.testing.assert_allclose(one.at(TIMES), two.at(TIMES), atol=1e-9)


def test_a_few_readings_or_one_end_say_nothing() -> None:
    values, at_bad = readings(np.random.default_rng(4), TIMES)
    assert not EndDrift.of(TIMES[:7], values[:7], at_bad[:7]).at(TIMES).any()
    assert not EndDrift.of(TIMES, values, np.ones(len(TIMES), dtype=bool)).at(TIMES).any()


def test_values_that_never_vary_do_not_drift() -> None:
    at_bad = np.arange(len(TIMES)) % 2 == 1
    assert not EndDrift.of(TIMES, 1.0 * at_bad, at_bad).at(TIMES).any()
