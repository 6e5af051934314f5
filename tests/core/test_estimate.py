from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perftrack.core.estimate import Estimate, Level, estimate
from perftrack.core.model import Interval
from perftrack.core.stats import bootstrap_ci, t_quantile
from perftrack.errors import InvalidValueError
from tests.core.builders import process, processes

positive = st.floats(1e-9, 1e3)
windows = st.lists(st.lists(positive, min_size=1, max_size=4), min_size=1, max_size=3)


def codes(result: Estimate) -> tuple[str, ...]:
    return tuple(r.code for r in result.limitations)


def interval(result: Estimate) -> Interval:
    assert result.interval is not None
    return result.interval


class TestProcesses:
    def test_value_is_the_geometric_mean_of_the_process_values(self) -> None:
        assert estimate(processes(1.0, 10.0, 100.0)).value == pytest.approx(10.0)

    def test_interval_is_the_t_prediction_interval_on_logarithms(self) -> None:
        values = [1.0, 1.1, 1.3, 1.2]
        logs = [math.log(v) for v in values]
        half = t_quantile(3, 0.975) * statistics.stdev(logs) * math.sqrt(1 + 1 / 4)
        got = interval(estimate(processes(*values)))
        centre = statistics.fmean(logs)
        assert (got.lo, got.hi) == pytest.approx((math.exp(centre - half), math.exp(centre + half)))

    def test_level_is_the_process_and_nothing_is_missing(self) -> None:
        result = estimate(processes(1.0, 1.1))
        assert (result.level, result.limitations) == (Level.PROCESS, ())

    def test_more_samples_in_the_same_processes_narrow_nothing(self) -> None:
        few = estimate([process([1.0]), process([1.2])])
        many = estimate([process([1.0] * 500), process([1.2] * 500)])
        assert many.interval == few.interval

    @given(st.lists(windows, min_size=2, max_size=4), st.sampled_from([2.0**-20, 2.0**10]))
    @settings(max_examples=60)
    def test_scales_with_the_samples(self, given_: list[list[list[float]]], scale: float) -> None:
        plain = estimate([process(*p) for p in given_])
        scaled = estimate([process(*[[scale * s for s in w] for w in p]) for p in given_])
        assert scaled.value == pytest.approx(scale * plain.value, rel=1e-9)
        assert interval(scaled).hi / scale == pytest.approx(interval(plain).hi, rel=1e-6)

    @given(st.lists(windows, min_size=1, max_size=4))
    @settings(max_examples=60)
    def test_interval_holds_the_value(self, given_: list[list[list[float]]]) -> None:
        result = estimate([process(*p) for p in given_])
        if result.interval is not None:
            assert result.interval.lo * (1 - 1e-9) <= result.value <= result.interval.hi * (1 + 1e-9)

    def test_a_spread_beyond_all_bounds_stays_finite(self) -> None:
        got = interval(estimate(processes(1e-200, 1e200)))
        assert math.isfinite(got.hi)

    def test_processes_without_windows_do_not_count(self) -> None:
        assert estimate([process([1.0]), process(index=1), process([2.0])]) == estimate(processes(1.0, 2.0))


class TestCoverage:
    """How often the interval holds what the next process reads. 3000 draws: one standard error is 0.4 %."""

    DRAWS = 3000

    @pytest.mark.parametrize(("count", "between", "within"), [(3, 0.02, 0.002), (5, 0.01, 0.01)])
    def test_of_the_next_process_is_as_stated(self, count: int, between: float, within: float) -> None:
        assert 0.93 <= self.coverage(count, between, within) <= 0.97

    def test_is_not_less_where_processes_do_not_differ(self) -> None:
        assert self.coverage(3, 0.0, 0.01) >= 0.94

    def coverage(self, count: int, between: float, within: float) -> float:
        rng = np.random.default_rng(count)
        hits = 0
        for _ in range(self.DRAWS):
            levels = between * rng.normal(size=(count + 1, 1)) + within * rng.normal(size=(count + 1, 3))
            read = np.exp(levels)
            got = interval(estimate([process(*[[w] for w in p]) for p in read[:-1].tolist()]))
            hits += got.contains(float(np.median(read[-1])))
        return hits / self.DRAWS


class TestFloors:
    def test_processes_that_agree_by_luck_keep_the_noise_of_their_windows(self) -> None:
        lucky = estimate([process([0.9], [1.0], [1.1]), process([1.1], [1.0], [0.9])])
        # Two-way residuals: 2 processes × 3 windows, one degree of freedom less for each process and position.
        residual = [(math.log(a) - math.log(b)) / 2 for a, b in ((0.9, 1.1), (1.0, 1.0), (1.1, 0.9))]
        variance = 2 * sum(r * r for r in residual) / 2 / 3
        half = t_quantile(1, 0.975) * math.sqrt(variance * 1.5)
        assert interval(lucky).hi == pytest.approx(math.exp(half))

    def test_a_drift_that_every_process_repeats_is_no_noise(self) -> None:
        drifting = estimate([process([0.9], [1.0], [1.1])] * 3)
        assert drifting.relative_half_width == pytest.approx(0.0, abs=1e-12)

    def test_windows_do_not_widen_what_processes_already_show(self) -> None:
        with_windows = interval(estimate([process([1.0], [1.01]), process([2.0], [2.02])]))
        without = interval(estimate(processes(1.005, 2.01)))
        assert (with_windows.lo, with_windows.hi) == pytest.approx((without.lo, without.hi))

    def test_equal_readings_of_a_coarse_timer_keep_its_step(self) -> None:
        got = interval(estimate([process([4.0], resolution_s=0.12), process([4.0], resolution_s=0.04)]))
        half = t_quantile(1, 0.975) * math.sqrt(0.03**2 / 12 * 1.5)
        assert got.hi == pytest.approx(4.0 * math.exp(half))

    def test_step_counts_as_it_is_where_there_is_no_logarithm(self) -> None:
        got = interval(estimate([process([0.0], resolution_s=0.12), process([0.0], resolution_s=0.12)]))
        assert got.hi == pytest.approx(t_quantile(1, 0.975) * math.sqrt(0.12**2 / 12 * 1.5))

    def test_equal_readings_of_a_perfect_timer_have_no_width(self) -> None:
        assert estimate(processes(2.0, 2.0, 2.0)).relative_half_width == pytest.approx(0.0, abs=1e-12)

    def test_step_also_holds_within_one_process(self) -> None:
        assert estimate([process([1.0], [1.0], resolution_s=0.1)]).relative_half_width > 0.1


class TestFallbacks:
    def test_one_process_takes_its_windows_and_says_so(self) -> None:
        result = estimate([process([1.0, 1.0], [1.2, 1.2], [1.1, 1.1])])
        assert (result.level, codes(result)) == (Level.WINDOW, ("one-process",))
        assert result.value == pytest.approx(1.1)
        spread = statistics.stdev(map(math.log, (1.0, 1.1, 1.2)))
        half = t_quantile(2, 0.975) * spread * math.sqrt(1 + 1 / 3)
        assert interval(result).hi == pytest.approx(1.1 * math.exp(half))

    def test_one_window_takes_its_samples_and_says_so(self) -> None:
        result = estimate([process([1.0, 1.1, 1.2, 1.3])])
        assert (result.level, codes(result)) == (Level.SAMPLE, ("one-process", "one-window"))
        assert (interval(result).lo, interval(result).hi) == bootstrap_ci([1.0, 1.1, 1.2, 1.3])

    def test_one_sample_has_no_interval(self) -> None:
        result = estimate([process([1.5])])
        assert (result.value, result.interval, result.level) == (1.5, None, Level.NONE)
        assert codes(result) == ("one-process", "one-window", "one-sample")
        assert result.relative_half_width == math.inf

    def test_values_that_have_no_logarithm_are_averaged_as_they_are(self) -> None:
        result = estimate(processes(-1.0, 0.0, 4.0))
        half = t_quantile(2, 0.975) * statistics.stdev([-1.0, 0.0, 4.0]) * math.sqrt(4 / 3)
        assert result.value == pytest.approx(1.0)
        assert (interval(result).lo, interval(result).hi) == pytest.approx((1 - half, 1 + half))

    def test_windows_that_have_no_logarithm_too(self) -> None:
        result = estimate([process([-1.0], [0.0], [1.0])])
        assert result.value == 0.0
        assert interval(result).lo == -interval(result).hi < 0

    def test_a_window_of_zero_among_positive_processes_is_left_out_of_the_floor(self) -> None:
        assert estimate([process([0.0], [1.0], [1.0]), process([1.0], [1.0], [1.0])]).value == 1.0

    @pytest.mark.parametrize("nothing", [[], [process()], [process([])], [process([1.0]), process([1.0], [])]])
    def test_nothing_measured_is_an_error(self, nothing: list[object]) -> None:
        with pytest.raises(InvalidValueError, match="nothing to estimate"):
            estimate(nothing)  # type: ignore[arg-type]


class TestRelativeHalfWidth:
    def test_is_half_the_width_over_the_size_of_the_value(self) -> None:
        assert Estimate(-2.0, Interval(-2.2, -1.8), Level.PROCESS, ()).relative_half_width == pytest.approx(0.1)

    def test_of_zero_is_infinite_unless_it_is_certain(self) -> None:
        assert Estimate(0.0, Interval(-1.0, 1.0), Level.PROCESS, ()).relative_half_width == math.inf
        assert Estimate(0.0, Interval(0.0, 0.0), Level.PROCESS, ()).relative_half_width == 0.0
