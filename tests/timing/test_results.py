"""Results put together by hand, with no more than what a plain timing tool knows."""

from __future__ import annotations

import pytest

import perftrack as pt


def timing(*samples: float, tier: pt.MeasurementTier = pt.MeasurementTier.B) -> pt.TimingResult:
    return pt.TimingResult(
        samples_ms=list(samples),
        median_ms=1.0,
        p10_ms=0.9,
        p90_ms=1.1,
        ci95_lo_ms=0.95,
        ci95_hi_ms=1.05,
        n=len(samples),
        tier=tier,
        warmup=200,
    )


def test_what_only_a_measurement_knows_may_be_left_out() -> None:
    result = timing(1.0, 1.1)
    assert (result.samples_ms, result.inner_reps, result.throttle_fired) == ((1.0, 1.1), 1, False)
    assert (result.clock_cv_pct, result.clock_range_mhz, result.process, result.protocol) == (None,) * 4


@pytest.mark.parametrize("samples", [(), (1.0,)])
def test_fewer_than_two_samples_are_no_result(samples: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="at least 2 samples"):
        timing(*samples)


@pytest.mark.parametrize(("tier", "valid"), [("A", True), ("B", True), ("C", False)])
def test_only_tier_c_is_not_valid(tier: str, valid: bool) -> None:
    assert timing(1.0, 1.1, tier=pt.MeasurementTier(tier)).is_performance_valid is valid


@pytest.mark.parametrize(("candidate", "baseline", "worse"), [("A", "B", "B"), ("C", "A", "C"), ("A", "A", "A")])
def test_a_comparison_is_as_good_as_its_worse_side(candidate: str, baseline: str, worse: str) -> None:
    sides = (timing(1.0, 1.1, tier=pt.MeasurementTier(t)) for t in (candidate, baseline))
    found = pt.ComparisonResult(*sides, speedup=1.5, speedup_ci_lo=1.4, speedup_ci_hi=1.6)
    assert found.tier is pt.MeasurementTier(worse)
    assert found.is_performance_valid is (worse != "C")
