from __future__ import annotations

import itertools
import math
import statistics
import tracemalloc
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perftrack.core import stats
from perftrack.errors import InvalidValueError
from tests.core.builders import process

numbers = st.floats(-1e12, 1e12, allow_subnormal=False)
few_ints = st.lists(st.integers(1, 9), min_size=2, max_size=5)
confidences = st.sampled_from([0.8, 0.9, 0.95, 0.99])


def median_distribution(samples: Sequence[float]) -> Counter[float]:
    """By enumeration: how many of the n^n resamples have which median."""
    return Counter(statistics.median(r) for r in itertools.product(samples, repeat=len(samples)))


def quantiles(counts: Counter[float], confidence: float) -> tuple[float, float]:
    """Where at most alpha/2 of the mass is outside, on either side; in exact arithmetic."""
    tail = (1 - Fraction(str(confidence))) / 2 * counts.total()
    below, above = 0, 0
    lo = next(v for v in sorted(counts) if (below := below + counts[v]) > tail)
    hi = next(v for v in sorted(counts, reverse=True) if (above := above + counts[v]) > tail)
    return lo, hi


def assert_quantile(drawn: np.ndarray, value: float, p: float) -> None:
    """`value` is the p-quantile of `drawn`, within four standard errors of the resampling itself."""
    error = 4 * math.sqrt(p * (1 - p) / len(drawn))
    slack = 1e-12 * abs(value)
    assert (drawn < value - slack).mean() <= p + error
    assert (drawn <= value + slack).mean() >= p - error


class TestPercentile:
    @given(st.lists(numbers, min_size=2, max_size=40), st.integers(1, 99))
    def test_is_the_inclusive_quantile_of_the_standard_library(self, samples: list[float], k: int) -> None:
        expected = statistics.quantiles(samples, n=100, method="inclusive")[k - 1]
        assert stats.percentile(samples, k / 100) == pytest.approx(expected, rel=1e-9, abs=1e-3)

    @given(st.lists(numbers, min_size=1, max_size=40), st.floats(0, 1))
    def test_agrees_with_numpy(self, samples: list[float], p: float) -> None:
        assert stats.percentile(samples, p) == float(np.percentile(samples, 100 * p)) or math.isclose(
            stats.percentile(samples, p), float(np.percentile(samples, 100 * p)), rel_tol=1e-9, abs_tol=1e-3
        )

    @given(st.lists(numbers, min_size=1, max_size=40))
    def test_runs_from_the_least_to_the_greatest(self, samples: list[float]) -> None:
        assert stats.percentile(samples, 0.0) == min(samples)
        assert stats.percentile(samples, 1.0) == max(samples)

    @given(st.lists(numbers, min_size=1, max_size=40))
    def test_median_is_the_middle(self, samples: list[float]) -> None:
        assert stats.median(samples) == pytest.approx(statistics.median(samples), rel=1e-12, abs=1e-3)

    def test_interpolates_between_order_statistics(self) -> None:
        assert stats.percentile([1.0, 2.0, 4.0], 0.75) == 3.0

    def test_needs_a_sample(self) -> None:
        with pytest.raises(InvalidValueError, match="no samples"):
            stats.percentile([], 0.5)

    @pytest.mark.parametrize("p", [-0.01, 1.01, 50])
    def test_p_is_a_share_not_a_percentage(self, p: float) -> None:
        with pytest.raises(InvalidValueError, match=r"\[0, 1\]"):
            stats.percentile([1.0], p)

    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
    def test_refuses_what_is_not_finite(self, bad: float) -> None:
        with pytest.raises(InvalidValueError, match="finite"):
            stats.percentile([1.0, bad], 0.5)


class TestCvPercent:
    @given(st.lists(st.floats(0.1, 10), min_size=2, max_size=30))
    def test_is_the_population_deviation_over_the_mean(self, samples: list[float]) -> None:
        expected = 100 * statistics.pstdev(samples) / statistics.fmean(samples)
        assert stats.cv_percent(samples) == pytest.approx(expected, rel=1e-9, abs=1e-9)

    @given(st.lists(st.floats(0.1, 10), min_size=2, max_size=30), st.sampled_from([2.0**-30, 2.0**20]))
    def test_has_no_unit(self, samples: list[float], scale: float) -> None:
        assert stats.cv_percent([scale * s for s in samples]) == pytest.approx(stats.cv_percent(samples))

    def test_of_a_negative_mean_is_positive(self) -> None:
        assert stats.cv_percent([-1.0, -3.0]) == 50.0

    @pytest.mark.parametrize("samples", [[5.0], [-1.0, 1.0], [2.0, 2.0]])
    def test_is_zero_where_nothing_varies_or_the_mean_is_zero(self, samples: list[float]) -> None:
        assert stats.cv_percent(samples) == 0.0

    def test_needs_a_sample(self) -> None:
        with pytest.raises(InvalidValueError, match="no samples"):
            stats.cv_percent([])


class TestBootstrapCi:
    @given(few_ints, confidences)
    @settings(max_examples=60)
    def test_equals_the_enumeration_of_all_resamples(self, samples: list[int], confidence: float) -> None:
        assert stats.bootstrap_ci(samples, confidence) == quantiles(median_distribution(samples), confidence)

    @pytest.mark.parametrize("n", [6, 17, 40, 100, 101])
    def test_agrees_with_resampling_within_its_error(self, n: int) -> None:
        rng = np.random.default_rng(n)
        samples = rng.lognormal(0, 0.05, n)
        drawn = np.median(rng.choice(samples, (20_000, n)), axis=1)
        lo, hi = stats.bootstrap_ci(samples)
        assert_quantile(drawn, lo, 0.025)
        assert_quantile(drawn, hi, 0.975)

    @given(
        st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=60),
        st.sampled_from([2.0**-20, 0.5, 8.0, 2.0**30]),
    )
    def test_scales_with_the_samples(self, samples: list[float], scale: float) -> None:
        lo, hi = stats.bootstrap_ci(samples)
        assert stats.bootstrap_ci([scale * s for s in samples]) == (scale * lo, scale * hi)

    @given(st.lists(st.integers(-50, 50), min_size=2, max_size=60))
    def test_mirrors_with_the_samples(self, samples: list[int]) -> None:
        lo, hi = stats.bootstrap_ci(samples)
        assert stats.bootstrap_ci([-s for s in samples]) == (-hi, -lo)

    @given(st.lists(st.integers(-50, 50), min_size=2, max_size=60), st.randoms())
    def test_does_not_depend_on_the_order(self, samples: list[int], random: object) -> None:
        shuffled = list(samples)
        random.shuffle(shuffled)  # type: ignore[attr-defined]
        assert stats.bootstrap_ci(shuffled) == stats.bootstrap_ci(samples)

    @given(st.lists(numbers, min_size=2, max_size=80))
    def test_holds_the_median_and_lies_within_the_samples(self, samples: list[float]) -> None:
        lo, hi = stats.bootstrap_ci(samples)
        assert min(samples) <= lo <= stats.median(samples) <= hi <= max(samples)

    @given(st.lists(numbers, min_size=2, max_size=80))
    def test_is_wider_at_a_higher_confidence(self, samples: list[float]) -> None:
        lo, hi = stats.bootstrap_ci(samples, 0.8)
        wider_lo, wider_hi = stats.bootstrap_ci(samples, 0.99)
        assert wider_lo <= lo
        assert hi <= wider_hi

    def test_covers_the_true_median_as_often_as_it_says(self) -> None:
        rng = np.random.default_rng(11)
        hits = sum(lo <= 0.0 <= hi for lo, hi in (stats.bootstrap_ci(rng.normal(size=60)) for _ in range(2000)))
        assert 0.93 <= hits / 2000 <= 0.975

    def test_is_symmetric_where_a_tail_is_hit_exactly(self) -> None:
        assert stats.bootstrap_ci([0.0, 2.0], confidence=0.5) == (1.0, 1.0)

    def test_of_a_constant_is_that_constant(self) -> None:
        assert stats.bootstrap_ci([3.0] * 7) == (3.0, 3.0)

    def test_needs_memory_in_proportion_to_the_samples(self) -> None:
        samples = np.random.default_rng(0).normal(size=6000)
        stats.bootstrap_ci(samples[:10])
        tracemalloc.start()
        stats.bootstrap_ci(samples)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 30e6

    def test_needs_two_samples(self) -> None:
        with pytest.raises(InvalidValueError, match="at least 2"):
            stats.bootstrap_ci([1.0])

    @pytest.mark.parametrize("confidence", [0.0, 1.0, 95])
    def test_refuses_a_confidence_outside_its_range(self, confidence: float) -> None:
        with pytest.raises(InvalidValueError, match="confidence"):
            stats.bootstrap_ci([1.0, 2.0], confidence)


class TestResamplingArguments:
    """Of callers who are used to resampling: nothing is drawn, so they change nothing."""

    def test_they_are_taken_and_change_nothing(self) -> None:
        a, b = [1.0, 1.1, 1.2, 1.4], [2.0, 2.1, 2.5]
        assert stats.bootstrap_ci(a, 0.9, 50, 1) == stats.bootstrap_ci(a, 0.9, n_resamples=2000, seed=0xC0FFEE)
        assert stats.ratio_ci(a, b, 0.9, 50, 1) == stats.ratio_ci(a, b, confidence=0.9)

    def test_no_resamples_at_all_are_refused(self) -> None:
        with pytest.raises(InvalidValueError, match="n_resamples"):
            stats.bootstrap_ci([1.0, 2.0], n_resamples=0)
        with pytest.raises(InvalidValueError, match="n_resamples"):
            stats.ratio_ci([1.0, 2.0], [1.0, 2.0], n_resamples=0)


class TestRatioCi:
    @given(few_ints.filter(lambda s: len(s) < 5), few_ints, confidences)
    @settings(max_examples=60)
    def test_equals_the_enumeration_of_all_resamples(
        self, candidate: list[int], baseline: list[int], confidence: float
    ) -> None:
        counts: Counter[Fraction] = Counter()
        for (b, nb), (c, nc) in itertools.product(
            median_distribution(baseline).items(), median_distribution(candidate).items()
        ):
            counts[Fraction(b) / Fraction(c)] += nb * nc
        lo, hi = quantiles(counts, confidence)  # type: ignore[arg-type]
        assert stats.ratio_ci(candidate, baseline, confidence) == pytest.approx((lo, hi), rel=1e-12)

    @pytest.mark.parametrize(("n", "digits"), [(6, 9), (40, 9), (41, 2), (100, 9), (100, 2), (300, 3)])
    def test_agrees_with_resampling_within_its_error(self, n: int, digits: int) -> None:
        rng = np.random.default_rng(n + digits)
        baseline = rng.lognormal(0, 0.05, n).round(digits)
        candidate = rng.lognormal(0.03, 0.04, n + 3).round(digits)
        drawn = np.median(rng.choice(baseline, (10_000, n)), axis=1) / np.median(
            rng.choice(candidate, (10_000, n + 3)), axis=1
        )
        lo, hi = stats.ratio_ci(candidate, baseline)
        assert_quantile(drawn, lo, 0.025)
        assert_quantile(drawn, hi, 0.975)

    @given(
        st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=40),
        st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=40),
        st.sampled_from([2.0**-20, 2.0**-1, 2.0**12]),
    )
    @settings(max_examples=50)
    def test_scales_with_the_baseline_and_inversely_with_the_candidate(
        self, candidate: list[float], baseline: list[float], scale: float
    ) -> None:
        lo, hi = stats.ratio_ci(candidate, baseline)
        scaled = pytest.approx((scale * lo, scale * hi), rel=1e-12)
        assert stats.ratio_ci(candidate, [scale * b for b in baseline]) == scaled
        assert stats.ratio_ci([c / scale for c in candidate], baseline) == scaled

    def test_of_swapped_sides_is_the_reciprocal(self) -> None:
        rng = np.random.default_rng(5)
        a, b = rng.lognormal(0, 0.1, 51), rng.lognormal(0.1, 0.1, 40)
        lo, hi = stats.ratio_ci(a, b)
        assert stats.ratio_ci(b, a) == pytest.approx((1 / hi, 1 / lo), rel=1e-6)

    def test_is_above_one_where_the_candidate_takes_less_time(self) -> None:
        assert stats.ratio_ci([1.0, 1.1, 0.9], [2.0, 2.1, 1.9])[0] > 1.0

    def test_of_constant_sides_is_their_exact_ratio(self) -> None:
        assert stats.ratio_ci([2.0] * 9, [3.0] * 8) == (1.5, 1.5)

    def test_of_samples_that_differ_in_the_last_bit_ends(self) -> None:
        one_up = math.nextafter(1.0, 2.0)
        lo, hi = stats.ratio_ci([1.0, one_up] * 100, [1.0, one_up] * 100)
        assert (lo, hi) == pytest.approx((1.0, 1.0), rel=1e-15)

    def test_resolves_samples_that_agree_to_nine_digits(self) -> None:
        rng = np.random.default_rng(6)
        noise = rng.normal(size=(2, 100)) * 1e-9
        lo, hi = stats.ratio_ci(1 + noise[0], 1 + noise[1])
        drawn_lo, drawn_hi = stats.ratio_ci(np.exp(1e9 * noise[0] / 100), np.exp(1e9 * noise[1] / 100))
        assert (1e7 * math.log(lo), 1e7 * math.log(hi)) == pytest.approx(
            (math.log(drawn_lo), math.log(drawn_hi)), rel=1e-3
        )

    def test_allows_a_baseline_of_any_sign(self) -> None:
        assert stats.ratio_ci([1.0, 2.0], [-4.0, -2.0]) == (-4.0, -1.0)
        assert stats.ratio_ci([1.0, 2.0], [-4.0, 6.0]) == (-4.0, 6.0)

    @pytest.mark.parametrize("candidate", [[1.0, 0.0], [1.0, -1.0]])
    def test_refuses_a_candidate_of_zero_or_below(self, candidate: list[float]) -> None:
        with pytest.raises(InvalidValueError, match="zero or below"):
            stats.ratio_ci(candidate, [1.0, 2.0])

    @pytest.mark.parametrize(("candidate", "baseline"), [([1.0], [1.0, 2.0]), ([1.0, 2.0], [1.0])])
    def test_needs_two_samples_on_each_side(self, candidate: list[float], baseline: list[float]) -> None:
        with pytest.raises(InvalidValueError, match="at least 2"):
            stats.ratio_ci(candidate, baseline)

    def test_refuses_a_confidence_outside_its_range(self) -> None:
        with pytest.raises(InvalidValueError, match="confidence"):
            stats.ratio_ci([1.0, 2.0], [1.0, 2.0], 95)


class TestStudentsT:
    @pytest.mark.parametrize("p", [0.6, 0.9, 0.975])
    def test_quantile_with_one_degree_of_freedom_is_cauchy(self, p: float) -> None:
        assert stats.t_quantile(1, p) == pytest.approx(math.tan(math.pi * (p - 0.5)), rel=1e-9)

    def test_quantile_of_many_degrees_of_freedom_is_normal(self) -> None:
        assert stats.t_quantile(1e9, 0.975) == pytest.approx(statistics.NormalDist().inv_cdf(0.975), rel=1e-6)

    @given(st.floats(0.5, 200), st.floats(0.51, 0.999))
    def test_p_value_is_the_inverse_of_the_quantile(self, df: float, p: float) -> None:
        assert stats.t_two_sided_p(df, stats.t_quantile(df, p)) == pytest.approx(2 * (1 - p), rel=1e-6)

    def test_p_value_ignores_the_sign(self) -> None:
        assert stats.t_two_sided_p(3, -2.0) == stats.t_two_sided_p(3, 2.0)


def test_process_value_is_the_median_of_window_medians() -> None:
    assert stats.process_value(process([1.0, 1.0, 9.0], [2.0], [3.0, 3.0, 3.0, 3.0])) == 2.0
