from __future__ import annotations

import ast
import inspect
import math
from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perftrack.core import comparability, discoveries, exact, verdict
from perftrack.core.discoveries import benjamini_hochberg, control_false_discoveries
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.model import (
    Cache,
    Direction,
    Interval,
    Measurement,
    MeasurementTier,
    Protocol,
    Reason,
    Status,
    Timer,
)
from perftrack.core.noise import ASSUMED, LaneNoise, lane_noise, with_pairs
from perftrack.core.paired import paired_effect
from perftrack.core.stats import t_quantile
from perftrack.core.verdict import DEFAULT_THRESHOLD
from perftrack.errors import InvalidValueError
from tests.core.builders import HERE, HOST, VALUE, failed, measured, process

V = Verdict
QUIET = LaneNoise(0.0, 100)  # of a lane whose runs differ by no more than their processes do


def judge(
    baseline: Measurement | None, candidate: Measurement | None, noise: LaneNoise | None = QUIET, **given: object
) -> Judgement:
    return verdict.judge(baseline, candidate, noise=noise, **given)  # type: ignore[arg-type]


MIRRORED = {V.REGRESSION: V.IMPROVEMENT, V.IMPROVEMENT: V.REGRESSION}
values = st.lists(st.floats(0.5, 2.0), min_size=1, max_size=5)


def skipped() -> Measurement:
    return measured(status=Status.SKIPPED, reasons=(Reason("benchmark-skipped", "needs a GPU"),))


def counted(*read: float) -> Measurement:
    return measured(*read, metric="size", unit="B", protocol=VALUE)


def exactly(*read: float, threshold: float = 0.0) -> Measurement:
    return replace(counted(*read), protocol=Protocol(Timer.EXACT, Cache.NONE), threshold=threshold)


# Pairs of sides with the verdict and reason codes of each: one line for every way a judgement can end.
DECISIONS: dict[str, tuple[Measurement | None, Measurement | None, V, list[str]]] = {
    "slower beyond doubt": (
        measured(1.0, 1.001, 0.999), measured(1.1, 1.101, 1.099),
        V.REGRESSION, ["effect-above-threshold", "lane-noise"],
    ),
    "faster beyond doubt": (
        measured(1.1, 1.101, 1.099), measured(1.0, 1.001, 0.999),
        V.IMPROVEMENT, ["effect-below-minus-threshold", "lane-noise"],
    ),
    "the same within the threshold": (
        measured(1.0, 1.001, 0.999), measured(1.001, 1.0, 1.002),
        V.UNCHANGED, ["within-threshold", "lane-noise"],
    ),
    "slower by less than matters, not surely less": (
        measured(1.0, 1.004, 0.996), measured(1.014, 1.018, 1.010),
        V.INCONCLUSIVE, ["effect-below-threshold", "lane-noise"],
    ),
    "slower by more than matters, not surely slower": (
        measured(1.0, 1.1, 0.9), measured(1.05, 1.15, 0.95),
        V.INCONCLUSIVE, ["interval-too-wide", "lane-noise"],
    ),
    "the same, known too loosely": (
        measured(1.0, 1.1, 0.9), measured(1.0, 1.1, 0.9),
        V.INCONCLUSIVE, ["interval-too-wide", "lane-noise"],
    ),
    "one process in both of a lane that never varied": (
        measured(1.0), measured(9.0), V.INCONCLUSIVE, ["noise-unknown"],
    ),
    "one process in each of a count": (counted(1.0), counted(2.0), V.INCONCLUSIVE, ["noise-unknown"]),
    "a count that varies": (
        counted(100.0, 101.0), counted(150.0, 151.0),
        V.REGRESSION, ["effect-above-threshold", "lane-noise"],
    ),
    "values whose logarithms round": (
        counted(*[2542.0] * 3), counted(*[2542.1] * 3), V.UNCHANGED, ["effect-below-threshold"],
    ),
    "values that differ in the last bit": (
        measured(1e300, math.nextafter(1e300, 2e300)), measured(1e300, 1e300), V.UNCHANGED, ["exact-equal"],
    ),
    "no process at all": (
        measured(), measured(1.0, 1.0), V.INCONCLUSIVE, ["noise-unknown"],
    ),
    "a count that is equal": (counted(7.0), counted(7.0), V.UNCHANGED, ["exact-equal"]),
    "a count of zero that is equal": (counted(0.0), counted(0.0), V.UNCHANGED, ["exact-equal"]),
    "a count that grew": (counted(100.0, 100.0), counted(103.0, 103.0), V.REGRESSION, ["exact-change"]),
    "a count that shrank": (counted(103.0, 103.0), counted(100.0, 100.0), V.IMPROVEMENT, ["exact-change"]),
    "a count that grew by too little": (
        counted(1000.0, 1000.0), counted(1001.0, 1001.0), V.UNCHANGED, ["effect-below-threshold"],
    ),
    "times that all read the same": (measured(1.0, 1.0), measured(1.0, 1.0), V.UNCHANGED, ["exact-equal"]),
    "a count that was zero": (counted(0.0, 0.0), counted(1.0, 1.0), V.REGRESSION, ["exact-change"]),
    "a count that is zero now": (counted(1.0, 1.0), counted(0.0, 0.0), V.IMPROVEMENT, ["exact-change"]),
    "a varying value that was zero": (counted(0.0, 0.1), counted(1.0, 1.0), V.INCONCLUSIVE, ["zero-value"]),
    "another benchmark under the same name": (
        measured(1.0, 1.1, code_hash="a"),
        measured(1.0, 1.1, code_hash="b"),
        V.NOT_COMPARABLE,
        ["benchmark-changed"],
    ),
    "a negative candidate": (counted(1.0, 1.0), counted(-1.0, 1.0), V.INCONCLUSIVE, ["zero-value"]),
    "tier C in the baseline": (
        measured(1.0, 1.0, tier=MeasurementTier.C), measured(2.0, 2.0), V.INCONCLUSIVE, ["tier-c"],
    ),
    "tier C in both": (
        measured(1.0, 1.0, tier=MeasurementTier.C), measured(2.0, 2.0, tier=MeasurementTier.C),
        V.INCONCLUSIVE, ["tier-c", "tier-c"],
    ),
    "another environment": (
        measured(1.0, 1.0), measured(1.0, 1.0, fingerprint=replace(HERE, cpu_model="other")),
        V.NOT_COMPARABLE, ["fingerprint-mismatch"],
    ),
    "another protocol": (
        measured(1.0, 1.0), measured(1.0, 1.0, protocol=replace(HOST, version=2)),
        V.NOT_COMPARABLE, ["protocol-mismatch"],
    ),
    "another unit": (
        measured(1.0, 1.0), measured(1.0, 1.0, unit="B"), V.NOT_COMPARABLE, ["unit-mismatch"],
    ),
    "a sample that is no number": (
        measured(1.0, math.nan), measured(1.0, 1.0), V.INCONCLUSIVE, ["not-finite"],
    ),
    "samples without end in both": (
        measured(1.0, math.inf), measured(-math.inf, 1.0), V.INCONCLUSIVE, ["not-finite", "not-finite"],
    ),
    "an exact count that is equal": (exactly(7.0), exactly(7.0, 7.0), V.UNCHANGED, ["exact-equal"]),
    "an exact count that grew by one, once a side": (
        exactly(2.0**52), exactly(2.0**52 + 1), V.REGRESSION, ["exact-change"],
    ),
    "an exact count that is within its tolerance": (
        exactly(1000.0, threshold=0.01), exactly(1009.0, threshold=0.01), V.UNCHANGED, ["effect-below-threshold"],
    ),
    "an exact count that is above its tolerance": (
        exactly(1000.0, threshold=0.01), exactly(1011.0, threshold=0.01), V.REGRESSION, ["exact-change"],
    ),
    "an exact count that was zero": (exactly(0.0), exactly(1.0), V.REGRESSION, ["exact-change"]),
    "an exact count that varies": (exactly(7.0, 8.0), exactly(7.0), V.INCONCLUSIVE, ["not-exact"]),
    "an exact count without a process": (exactly(), exactly(7.0), V.INCONCLUSIVE, ["not-exact"]),
    "a count that became exact": (
        counted(7.0, 7.0), exactly(7.0), V.NOT_COMPARABLE, ["protocol-mismatch"],
    ),
    "new": (None, measured(1.0, 1.0), V.NOT_COMPARABLE, ["missing-side"]),
    "gone": (measured(1.0, 1.0), None, V.NOT_COMPARABLE, ["missing-side"]),
    "skipped": (measured(1.0, 1.0), skipped(), V.NOT_COMPARABLE, ["skipped-side"]),
    "skipped on both sides": (skipped(), skipped(), V.NOT_COMPARABLE, ["skipped-side", "skipped-side"]),
}  # fmt: skip
# Of lanes whose noise is not known.
UNLEARNT: dict[str, tuple[Measurement | None, Measurement | None, V, list[str]]] = {
    "slower in four processes of four": (
        measured(1.0, 1.003, 1.001, 0.999), measured(1.1, 1.103, 1.101, 1.099),
        V.REGRESSION, ["effect-above-threshold", "permutation"],
    ),
    "slower in three processes of four": (
        measured(1.0, 1.003, 1.001, 1.2), measured(1.1, 1.103, 1.101, 1.099),
        V.INCONCLUSIVE, ["interval-too-wide", "permutation"],
    ),
    "three processes a side": (
        measured(1.0, 1.001, 0.999), measured(2.0, 2.001, 1.999), V.INCONCLUSIVE, ["noise-unknown"],
    ),
    "three processes in the baseline": (
        measured(1.0, 1.001, 0.999), measured(2.0, 2.001, 1.999, 2.0, 2.1), V.INCONCLUSIVE, ["noise-unknown"],
    ),
    "a count that varies, once a side": (counted(1.0), counted(2.0), V.INCONCLUSIVE, ["noise-unknown"]),
}  # fmt: skip
# A failure is not mirrored: the candidate's is a failure, the baseline's alone leaves nothing to compare with.
FAILURES: dict[str, tuple[Measurement | None, Measurement | None, V, list[str]]] = {
    "candidate failed": (measured(1.0, 1.0), failed(), V.FAILED, ["failed-side"]),
    "baseline failed": (failed(), measured(1.0, 1.0), V.NOT_COMPARABLE, ["failed-side"]),
    "both failed": (failed(), failed(), V.FAILED, ["failed-side"]),
    "baseline failed and candidate gone": (failed(), None, V.NOT_COMPARABLE, ["failed-side", "missing-side"]),
    "failed and missing": (None, failed(), V.FAILED, ["failed-side"]),
    "failed with no reason stored": (measured(1.0), replace(failed(), reasons=()), V.FAILED, ["failed-side"]),
}  # fmt: skip


def codes(judged: Judgement) -> list[str]:
    return [r.code for r in judged.reasons]


def noise_of(name: str) -> LaneNoise | None:
    return None if name in UNLEARNT else QUIET


@pytest.mark.parametrize("name", DECISIONS | UNLEARNT | FAILURES)
def test_decision(name: str) -> None:
    baseline, candidate, expected, reasons = (DECISIONS | UNLEARNT | FAILURES)[name]
    judged = judge(baseline, candidate, noise_of(name))
    assert (judged.verdict, codes(judged)) == (expected, reasons)


@pytest.mark.parametrize("name", DECISIONS | UNLEARNT)
def test_decision_mirrors_when_the_sides_are_swapped(name: str) -> None:
    baseline, candidate, expected, reasons = (DECISIONS | UNLEARNT)[name]
    judged = judge(candidate, baseline, noise_of(name))
    assert judged.verdict is MIRRORED.get(expected, expected)
    swap = {
        "effect-above-threshold": "effect-below-minus-threshold",
        "effect-below-minus-threshold": "effect-above-threshold",
    }
    assert codes(judged) == [swap.get(c, c) for c in reasons]


@pytest.mark.parametrize("name", DECISIONS | UNLEARNT)
def test_decision_is_mirrored_for_a_metric_where_higher_is_better(name: str) -> None:
    baseline, candidate, expected, _ = (DECISIONS | UNLEARNT)[name]
    sides = [m and replace(m, direction=Direction.HIGHER) for m in (baseline, candidate)]
    assert judge(*sides, noise_of(name)).verdict is MIRRORED.get(expected, expected)


def test_every_reason_code_of_the_module_is_reached() -> None:
    written = {
        node.args[0].value
        for module in (verdict, exact, comparability, discoveries)
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "reason"
        if isinstance(node.args[0], ast.Constant)
    }
    quiet = judge(measured(1.0, 1.001), measured(1.5, 1.501), noise=LaneNoise(0.001, 20))
    loud = control_false_discoveries([replace(quiet, p_value=0.9)])
    live = judge(measured(1.0, 1.1), measured(1.5, 1.6), paired=paired_effect([0.4, 0.41] * 3, [True, False] * 3))
    turned = judge(measured(1.0), measured(1.0, direction=Direction.HIGHER))
    pairs = judge(measured(1.0, 1.001), measured(1.5, 1.501), noise=LaneNoise(0.001, 20, 3))
    reached = {c for *_, reasons in (DECISIONS | UNLEARNT | FAILURES).values() for c in reasons}
    assert reached | {c for j in (quiet, loud[0], live, turned, pairs) for c in codes(j)} == written


class TestUnknownNoise:
    def test_the_sentence_says_what_to_run(self) -> None:
        (why,) = judge(measured(1.0, 1.0), measured(2.0, 2.0, 2.0), None).reasons
        assert why.message.startswith("2 against 3 process(es), and fewer than 6 runs")
        assert "--processes 4" in why.message
        assert "compare --live" in why.message

    def test_the_difference_is_told_without_an_interval(self) -> None:
        judged = judge(measured(1.0, 1.0), measured(2.0, 2.0), None)
        assert judged.effect == pytest.approx(math.log(2))
        assert (judged.interval, judged.p_value, judged.mde) == (None, None, None)

    def test_pairs_of_equal_code_are_a_history(self) -> None:
        sides = measured(1.0, 1.001), measured(1.5, 1.501)
        assert judge(*sides, noise=with_pairs(None, [0.001], [0.0])).verdict is V.REGRESSION
        assert judge(*sides, noise=ASSUMED).verdict is V.INCONCLUSIVE


class TestOneProcess:
    """What one process cannot show of how processes differ, its lane has shown."""

    NOISE = LaneNoise(0.001, 50, process_sigma=0.02)

    def test_a_difference_that_processes_show_anyway_is_no_verdict(self) -> None:
        assert judge(measured(1.0), measured(1.04), self.NOISE).verdict is V.INCONCLUSIVE
        assert judge(measured(1.0), measured(1.04), replace(self.NOISE, process_sigma=0.0)).verdict is V.REGRESSION

    def test_false_alarms_keep_to_their_level(self) -> None:
        rng = np.random.default_rng(3)
        read = np.exp(rng.normal(0, 0.02, (4000, 2)))
        judged = [judge(measured(b), measured(c), self.NOISE, threshold=0.0) for b, c in read]
        assert 0.02 <= sum(j.verdict in MIRRORED for j in judged) / 4000 <= 0.06


class TestPaired:
    ROUNDS = ([0.051, 0.049, 0.05, 0.052, 0.048, 0.05], [True, False, True, False, True, False])

    def test_effect_and_interval_are_the_rounds(self) -> None:
        effect = paired_effect(*self.ROUNDS)
        judged = judge(measured(1.0, 1.2), measured(3.0, 3.1), paired=effect)
        assert (judged.verdict, judged.effect, judged.p_value) == (V.REGRESSION, effect.effect, effect.p_value)
        assert (judged.interval.lo, judged.interval.hi) == (effect.interval.lo, effect.interval.hi)

    def test_it_is_mirrored_where_higher_is_better(self) -> None:
        sides = [replace(measured(1.0, 1.2), direction=Direction.HIGHER) for _ in range(2)]
        judged = judge(*sides, paired=paired_effect(*self.ROUNDS))
        assert judged.verdict is V.IMPROVEMENT
        assert judged.effect == pytest.approx(-0.05)
        assert judged.interval.lo < judged.effect < judged.interval.hi

    def test_sides_that_cannot_be_compared_are_still_refused(self) -> None:
        judged = judge(measured(1.0, 1.1), failed(), paired=paired_effect(*self.ROUNDS))
        assert judged.verdict is V.FAILED


def test_one_measurement_is_equal_to_itself() -> None:
    only = measured(1.0, 1.5)
    assert (judge(only, only).verdict, codes(judge(only, only))) == (V.UNCHANGED, ["exact-equal"])
    assert judge(only, replace(only)).verdict is V.INCONCLUSIVE


@pytest.mark.parametrize(("count", "noise"), [(3, QUIET), (5, None)])
def test_equal_readings_of_a_coarse_timer_are_not_taken_for_exact(count: int, noise: LaneNoise | None) -> None:
    coarse = [process([1.0], index=i, resolution_s=0.1) for i in range(count)]
    sides = [replace(measured(1.0), processes=tuple(coarse)) for _ in range(2)]
    judged = judge(*sides, noise)
    assert judged.interval is not None
    assert judged.interval.hi > 0.03
    assert judged.verdict is V.INCONCLUSIVE


class TestStatistics:
    def test_effect_is_the_log_ratio_of_geometric_means(self) -> None:
        judged = judge(measured(1.0, 4.0), measured(9.0, 4.0))
        assert judged.effect == pytest.approx(math.log(6 / 2))
        assert judged.speedup == pytest.approx(1 / 3)

    def test_interval_is_welchs(self) -> None:
        b, c = [1.0, 1.02, 1.05], [1.1, 1.2, 1.15, 1.11]
        judged = judge(measured(*b), measured(*c))
        vb, vc = (np.var(np.log(v), ddof=1) / len(v) for v in (b, c))
        df = (vb + vc) ** 2 / (vb**2 / 2 + vc**2 / 3)
        half = t_quantile(df, 0.975) * math.sqrt(vb + vc)
        assert judged.interval is not None
        assert judged.interval.hi - judged.interval.lo == pytest.approx(2 * half)
        assert judged.interval.hi + judged.interval.lo == pytest.approx(2 * (judged.effect or 0))

    @given(values, values)
    @settings(max_examples=80)
    def test_p_value_is_below_five_percent_where_the_interval_excludes_zero(
        self, b: list[float], c: list[float]
    ) -> None:
        judged = judge(measured(*b), measured(*c))
        if judged.interval is not None and judged.p_value is not None:
            assert (judged.p_value < 0.05) is not judged.interval.contains(0.0)

    @given(values, values, st.sampled_from([2.0**-20, 3.0, 1e9]))
    @settings(max_examples=60)
    def test_does_not_depend_on_the_unit(self, b: list[float], c: list[float], scale: float) -> None:
        plain = judge(measured(*b), measured(*c))
        scaled = judge(measured(*(scale * v for v in b)), measured(*(scale * v for v in c)))
        assert scaled.effect == pytest.approx(plain.effect, abs=1e-9)

    @given(values, values)
    @settings(max_examples=80)
    def test_swapping_the_sides_turns_the_sign(self, b: list[float], c: list[float]) -> None:
        there, back = judge(measured(*b), measured(*c)), judge(measured(*c), measured(*b))
        assert back.verdict is MIRRORED.get(there.verdict, there.verdict)
        assert back.effect == pytest.approx(-(there.effect or 0), abs=1e-12)
        assert back.p_value == pytest.approx(there.p_value)

    def test_minimum_detectable_effect_adds_the_power_to_the_interval(self) -> None:
        judged = judge(measured(1.0, 1.1, 1.2), measured(1.0, 1.1, 1.2))
        error = math.sqrt(2 * np.var(np.log([1.0, 1.1, 1.2]), ddof=1) / 3)
        assert judged.mde == pytest.approx(error * (t_quantile(4, 0.975) + t_quantile(4, 0.8)))

    def test_what_is_exact_has_a_sure_p_value_and_an_interval_of_no_width(self) -> None:
        same, grown = judge(counted(7.0), counted(7.0)), judge(counted(7.0, 7.0), counted(14.0, 14.0))
        assert (same.p_value, same.effect, same.interval) == (1.0, 0.0, Interval(0.0, 0.0))
        assert grown.effect == pytest.approx(math.log(2))
        assert (grown.p_value, grown.mde, grown.interval) == (0.0, 0.0, Interval(grown.effect, grown.effect))
        equal = judge(measured(1.0, 1.0), measured(1.0, 1.0))
        assert (equal.p_value, equal.effect) == (1.0, 0.0)

    def test_minimum_detectable_effect_is_found_four_times_in_five(self) -> None:
        rng = np.random.default_rng(8)
        mde = 0.01 * math.sqrt(2 / 5) * (t_quantile(8, 0.975) + t_quantile(8, 0.8))
        found = 0
        for _ in range(1000):
            b, c = np.exp(rng.normal(0, 0.01, 5)), np.exp(rng.normal(mde, 0.01, 5))
            judged = judge(measured(*b), measured(*c), threshold=0.0)
            found += judged.verdict is V.REGRESSION
        assert 0.75 <= found / 1000 <= 0.86

    def test_threshold_is_the_argument_then_the_declared_then_the_default(self) -> None:
        b, c = measured(1.0, 1.0001), measured(1.05, 1.0501)
        assert judge(b, c).threshold == DEFAULT_THRESHOLD
        declared = judge(b, replace(c, threshold=0.1))
        assert (declared.threshold, declared.verdict) == (0.1, V.UNCHANGED)
        assert judge(b, replace(c, threshold=0.1), threshold=0.01).verdict is V.REGRESSION

    def test_an_effect_at_the_threshold_counts(self) -> None:
        judged = judge(counted(1.0, 1.0), counted(2.0, 2.0), threshold=math.log(2.0))
        assert judged.verdict is V.REGRESSION

    def test_tier_is_the_worse_of_the_two(self) -> None:
        a, b = measured(1.0, 1.1, tier=MeasurementTier.A), measured(1.0, 1.1)
        assert (judge(a, a).tier, judge(a, b).tier, judge(b, a).tier) == ("A", "B", "B")

    def test_sentences_give_percentages(self) -> None:
        slow, small = (
            judge(measured(1.0, 1.001), measured(1.5, 1.501)),
            judge(counted(1e3, 1e3), counted(1001, 1001)),
        )
        assert slow.reasons[0].message == "worse by 50 %, interval excludes 0, threshold 2 %"
        assert (
            small.reasons[0].message == "a difference of 0.10 % is established but is below the threshold of 2 %"
        )
        noisy = judge(measured(1.0, 1.0), measured(1.5, 1.5), noise=LaneNoise(0.03, 20))
        assert noisy.reasons[1].message == "includes the lane's run-to-run standard deviation of 3 % (20 runs)"
        doubled = judge(counted(7.0, 7.0), counted(14.0, 14.0))
        assert doubled.reasons[0].message.endswith("differ by 100 %")

    def test_a_failure_names_the_side_and_what_was_stored(self) -> None:
        assert judge(measured(1.0), failed("out of memory")).reasons[0].message == (
            "failed in candidate: out of memory"
        )

    def test_subject_is_the_side_that_exists(self) -> None:
        only = measured(1.0)
        assert judge(only, None).subject is only
        assert judge(None, only).subject is only

    def test_speedup_of_no_effect_is_none(self) -> None:
        assert judge(None, measured(1.0)).speedup is None

    def test_neither_side_is_an_error(self) -> None:
        with pytest.raises(InvalidValueError, match="at least one side"):
            judge(None, None)


class TestLaneNoise:
    def test_turns_a_difference_that_runs_show_anyway_into_no_verdict(self) -> None:
        b, c = measured(1.0, 1.001, 0.999), measured(1.05, 1.051, 1.049)
        assert judge(b, c).verdict is V.REGRESSION
        noisy = judge(b, c, noise=LaneNoise(0.05, 30))
        assert (noisy.verdict, codes(noisy)) == (V.INCONCLUSIVE, ["interval-too-wide", "lane-noise"])

    def test_says_what_of_it_was_learnt_from_equal_code(self) -> None:
        for noise, rest in (
            (LaneNoise(0.05, 30, 4), "30 runs of the lane"),
            (LaneNoise(0.05, 0, 4), "is assumed"),
        ):
            why = judge(measured(1.0, 1.0), measured(1.05, 1.05), noise=noise).reasons[-1]
            assert why.code == "equal-code-noise"
            assert "4 pair(s) of runs of equal code" in why.message
            assert rest in why.message

    def test_applies_to_values_that_do_not_vary_within_a_run(self) -> None:
        judged = judge(measured(1.0, 1.0), measured(1.05, 1.05), noise=LaneNoise(0.05, 30))
        assert judged.verdict is V.INCONCLUSIVE

    def test_does_not_apply_to_counts_whose_history_is_of_real_changes(self) -> None:
        judged = judge(counted(100.0, 100.0), counted(110.0, 110.0), noise=LaneNoise(0.05, 30))
        assert (judged.verdict, codes(judged)) == (V.REGRESSION, ["exact-change"])

    def test_of_zero_adds_nothing(self) -> None:
        b, c = measured(1.0, 1.01), measured(1.5, 1.51)
        assert judge(b, c, noise=LaneNoise(0.0, 30)).interval == judge(b, c).interval

    @pytest.mark.parametrize("runs", [6, 12])
    def test_from_a_short_history_keeps_false_alarms_near_their_level(self, runs: int) -> None:
        rng, alarms = np.random.default_rng(runs), 0
        for _ in range(1500):
            read = np.exp(rng.normal(0, 0.01, (runs + 2, 1)) + rng.normal(0, 0.005, (runs + 2, 3)))
            logs = np.log(read[:runs])
            noise = lane_noise(np.exp(logs.mean(axis=1)).tolist(), (logs.var(axis=1, ddof=1) / 3).tolist())
            judged = judge(measured(*read[-2]), measured(*read[-1]), threshold=0.0, noise=noise)
            alarms += judged.verdict in MIRRORED
        assert alarms / 1500 <= 0.08


TRIALS = 3000


@pytest.fixture(scope="module")
def alarms() -> Counter[Verdict]:
    rng = np.random.default_rng(2024)
    seen: Counter[Verdict] = Counter()
    for _ in range(TRIALS):
        b, c = np.exp(rng.normal(0, 0.02, (2, 5)))
        seen[judge(measured(*b), measured(*c), threshold=0.0).verdict] += 1
    return seen


class TestFalseAlarms:
    """The same code on both sides. Each alarm is wrong, and neither kind may be the more frequent."""

    def test_are_as_many_as_stated(self, alarms: Counter[Verdict]) -> None:
        assert 0.035 <= (alarms[V.REGRESSION] + alarms[V.IMPROVEMENT]) / TRIALS <= 0.06

    def test_balance(self, alarms: Counter[Verdict]) -> None:
        total = alarms[V.REGRESSION] + alarms[V.IMPROVEMENT]
        assert abs(alarms[V.REGRESSION] - alarms[V.IMPROVEMENT]) <= 3 * math.sqrt(total)

    def test_never_follow_from_few_processes_in_excess(self) -> None:
        rng, wrong = np.random.default_rng(7), 0
        for _ in range(1500):
            b, c = np.exp(rng.normal(0, 0.02, (2, 2)))
            wrong += judge(measured(*b), measured(*c), threshold=0.0).verdict in MIRRORED
        assert wrong / 1500 <= 0.06


class TestFalseDiscoveries:
    p_values = st.lists(st.sampled_from([0.0, 0.001, 0.004, 0.01, 0.02, 0.03, 0.05, 0.3, 1.0]), max_size=9)

    @given(p_values, st.sampled_from([0.01, 0.05, 0.2]))
    def test_cutoff_is_that_of_the_definition(self, p_values: list[float], q: float) -> None:
        m = len(p_values)
        passing = [p for p in p_values if p <= q * sum(o <= p for o in p_values) / m * (1 + 1e-12)]
        assert benjamini_hochberg(p_values, q) == max(passing, default=-1.0)

    @given(p_values)
    def test_verdicts_that_survive_are_those_at_or_below_the_cutoff(self, p_values: list[float]) -> None:
        sure = judge(counted(1.0, 1.0), counted(2.0, 2.0))
        out = control_false_discoveries([replace(sure, p_value=p) for p in p_values])
        cutoff = benjamini_hochberg(p_values, 0.05)
        assert [o.verdict is V.REGRESSION for o in out] == [p <= cutoff for p in p_values]

    def test_a_doubtful_one_becomes_inconclusive_and_keeps_its_reasons(self) -> None:
        doubtful = replace(judge(counted(1.0, 1.0), counted(2.0, 2.0)), p_value=0.04)
        same = judge(counted(1.0, 1.0), counted(1.0, 1.0))
        first, *_ = control_false_discoveries([doubtful, same, same])
        assert (first.verdict, codes(first)) == (V.INCONCLUSIVE, ["fdr", "exact-change"])
        assert first.effect == doubtful.effect

    def test_what_was_never_tested_does_not_count(self) -> None:
        doubtful = replace(judge(counted(1.0, 1.0), counted(2.0, 2.0)), p_value=0.04)
        untested = [judge(None, counted(1.0)), judge(failed(), counted(1.0))]
        assert control_false_discoveries([doubtful, *untested]) == (doubtful, *untested)

    @pytest.mark.parametrize(("verdict_", "p"), list(product([V.UNCHANGED, V.INCONCLUSIVE], [0.0, 1.0])))
    def test_nothing_is_upgraded(self, verdict_: Verdict, p: float) -> None:
        judged = replace(judge(counted(1.0), counted(1.0)), verdict=verdict_, p_value=p)
        assert control_false_discoveries([judged]) == (judged,)

    def test_among_many_equal_pairs_hardly_any_is_called_changed(self) -> None:
        rng = np.random.default_rng(3)
        pairs = [
            judge(measured(*np.exp(b)), measured(*np.exp(c)), threshold=0.0)
            for b, c in rng.normal(0, 0.02, (300, 2, 4))
        ]
        assert sum(j.verdict in MIRRORED for j in pairs) >= 5
        assert sum(j.verdict in MIRRORED for j in control_false_discoveries(pairs)) <= 1
