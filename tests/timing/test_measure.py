"""`measure` and `compare` as people call them."""

from __future__ import annotations

import math
import random

import pytest

import perftrack as pt
from perftrack.core.model import Cache, Timer
from perftrack.core.paired import STOPPED
from perftrack.errors import ClockLockError, InvalidValueError
from perftrack.timing.devices.base import Timed


@pytest.fixture(autouse=True)
def _short_warm_up(monkeypatch):
    for module in ("measure", "compare"):
        monkeypatch.setattr(f"perftrack.timing.{module}.WARMUP_CAP_S", 0.2)


def scripted():
    """Windows of 1 ms, a little more or less in a fixed pattern."""
    draw = random.Random(1)

    def time_window(self, work, samples, inner_reps, *, cold):
        return Timed(tuple(1e-3 * draw.uniform(0.99, 1.01) for _ in range(samples)))

    return time_window


def busy(count):
    return lambda: sum(range(count))


class TestMeasure:
    def test_a_result_has_a_value_inside_its_interval(self):
        result = pt.measure(busy(2000), iters=25, device="cpu", target_width=None)
        assert result.ci95_lo_ms <= result.median_ms <= result.ci95_hi_ms
        assert result.p10_ms <= result.median_ms <= result.p90_ms
        assert result.n == len(result.samples_ms) == 25
        assert result.protocol.timer is Timer.HOST
        assert result.protocol.cache is Cache.HOT

    def test_it_refuses_to_be_a_number(self):
        result = pt.measure(busy(100), iters=20, device="cpu")
        for convert in (float, int, math.floor):
            with pytest.raises(TypeError):
                convert(result)

    def test_its_text_is_short_enough_to_read(self):
        text = repr(pt.measure(busy(100), iters=100, device="cpu"))
        assert "median_ms=" in text
        assert "samples_ms" not in text
        assert len(text) < 1500

    def test_much_more_work_takes_much_longer(self):
        one, two = (pt.measure(busy(n), iters=25, device="cpu").median_ms for n in (1_000, 50_000))
        assert 10 < two / one < 250

    def test_without_clock_evidence_the_tier_is_b_and_says_why(self):
        result = pt.measure(busy(100), iters=20, device="cpu")
        assert result.tier is pt.MeasurementTier.B
        assert "no-clock-evidence" in [r.code for r in result.reasons]
        assert result.is_performance_valid

    def test_one_process_is_a_limitation(self):
        result = pt.measure(busy(100), iters=20, device="cpu")
        assert "one-process" in [r.code for r in result.limitations]

    def test_the_short_interval_is_kept_under_a_name_of_its_own(self):
        result = pt.measure(busy(2000), iters=50, device="cpu")
        assert result.within_window_lo_ms <= result.within_window_hi_ms

    @pytest.mark.parametrize(
        "options",
        [
            {"iters": 19},
            {"windows": 1},
            {"warmup": -1},
            {"windows": 21, "iters": 20},
            {"target_width": 0.0},
            {"target_width": math.nan},
        ],
    )
    def test_amounts_out_of_range_are_a_value_error(self, options):
        with pytest.raises(ValueError, match="must"):
            pt.measure(busy(1), device="cpu", **options)

    def test_no_warm_up_asked_for_still_calibrates(self):
        result = pt.measure(busy(10), iters=20, warmup=0, device="cpu", target_width=None)
        assert result.warmup >= 1
        assert result.inner_reps > 1

    def test_an_unknown_device_is_a_value_error(self):
        with pytest.raises(InvalidValueError):
            pt.measure(busy(1), device="gpu")

    def test_no_cuda_device_is_a_runtime_error(self):
        with pytest.raises(RuntimeError):
            pt.measure(busy(1), device=7)

    def test_what_the_callable_raises_comes_out(self):
        def fail():
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            pt.measure(fail, device="cpu")

    def test_the_policy_is_applied_and_restored_also_on_failure(self):
        class Policy:
            locked = False

            def __init__(self):
                self.calls = []

            def apply(self):
                self.calls.append("apply")

            def restore(self):
                self.calls.append("restore")

        good, bad = Policy(), Policy()
        pt.measure(busy(10), iters=20, device="cpu", policy=good)
        with pytest.raises(ZeroDivisionError):
            pt.measure(lambda: 1 / 0, device="cpu", policy=bad)
        assert good.calls == bad.calls == ["apply", "restore"]

    def test_clocks_that_cannot_be_set_stop_the_measurement(self):
        class Policy(pt.UnlockedClockPolicy):
            def apply(self):
                raise ClockLockError("no")

        with pytest.raises(ClockLockError):
            pt.measure(lambda: pytest.fail("must not run"), device="cpu", policy=Policy())

    def test_work_on_the_cpu_looks_at_no_card(self, monkeypatch):
        monkeypatch.setattr("perftrack.timing.measure.card_uses", lambda: pytest.fail("looked at the cards"))
        pt.measure(busy(100), iters=20, device="cpu", target_width=None)

    @pytest.mark.parametrize("holds", [False, True])
    def test_a_process_that_is_on_the_card_already_cannot_tell_foreign_memory(self, monkeypatch, holds):
        looked = []
        monkeypatch.setattr("perftrack.timing.measure.holds_context", lambda: holds)
        monkeypatch.setattr("perftrack.timing.measure.card_uses", lambda: looked.append(1) or ())
        with pytest.raises(RuntimeError):
            pt.measure(busy(1), device=7)
        assert bool(looked) is not holds


class TestTargetWidth:
    def test_windows_are_added_until_the_interval_is_narrow_enough_or_there_are_four_times_as_many(self):
        exact = pt.measure(busy(500), iters=25, device="cpu", target_width=None)
        missed = pt.measure(busy(500), iters=25, device="cpu", target_width=1e-9)
        assert (exact.n, missed.n) == (25, 100)
        assert len(missed.process.windows) == 20
        assert "width-target-missed" in [r.code for r in missed.limitations]
        assert "width-target-missed" not in [r.code for r in exact.limitations]

    def test_a_width_that_is_met_at_once_adds_nothing(self):
        met = pt.measure(busy(500), iters=25, device="cpu", target_width=1e9)
        assert met.n == 25
        assert "width-target-missed" not in [r.code for r in met.limitations]


class TestCompare:
    def test_a_slower_candidate_has_a_speedup_below_one(self):
        result = pt.compare(busy(20_000), busy(1000), iters=40, device="cpu", seed=1, target_width=None)
        assert 0.01 < result.speedup < 0.25
        assert result.speedup_ci_lo < result.speedup < result.speedup_ci_hi
        assert result.effect == pytest.approx(-math.log(result.speedup))

    def test_the_same_callable_is_about_as_fast_as_itself(self):
        work = busy(3000)
        result = pt.compare(work, work, iters=60, device="cpu", seed=2)
        assert 0.5 < result.speedup < 2

    def test_both_sides_take_turns_and_are_second_equally_often(self):
        calls = []
        sides = lambda: calls.append("c"), lambda: calls.append("b")
        pt.compare(*sides, iters=20, rounds=10, device="cpu", seed=3, target_width=None)
        blocks = [c for n, c in enumerate(calls) if n == 0 or calls[n - 1] != c]
        assert len(blocks) > 10

    def test_the_seed_is_in_the_result_and_drawn_when_not_given(self):
        assert pt.compare(busy(50), busy(50), iters=20, device="cpu", seed=5).seed == 5
        assert pt.compare(busy(50), busy(50), iters=20, device="cpu").seed >= 0

    def test_the_tier_is_the_worse_sides(self):
        result = pt.compare(busy(50), busy(50), iters=20, device="cpu", seed=1)
        assert result.tier is pt.MeasurementTier.B

    def test_rounds_are_added_until_the_interval_is_narrow_enough_or_there_are_four_times_as_many(self):
        options = {"iters": 20, "rounds": 4, "device": "cpu", "seed": 6}
        exact = pt.compare(busy(500), busy(500), target_width=None, **options)
        missed = pt.compare(busy(500), busy(500), target_width=1e-9, **options)
        met = pt.compare(busy(500), busy(500), target_width=1e9, **options)
        assert (exact.rounds, missed.rounds, met.rounds) == (4, 16, 4)
        assert [r.code for r in missed.limitations] == ["width-target-missed"]
        assert exact.limitations == met.limitations == ()
        assert len(missed.candidate.process.windows) == len(missed.baseline.process.windows) == 16

    def test_stopping_by_width_is_paid_for_in_width(self, monkeypatch):
        monkeypatch.setattr("perftrack.timing.devices.cpu.CpuDevice.time_window", scripted())
        options = {"iters": 20, "rounds": 10, "device": "cpu", "seed": 6}
        exact = pt.compare(busy(1), busy(1), target_width=None, **options)
        monkeypatch.setattr("perftrack.timing.devices.cpu.CpuDevice.time_window", scripted())
        met = pt.compare(busy(1), busy(1), target_width=1e9, **options)
        widths = [math.log(r.speedup_ci_hi / r.speedup_ci_lo) for r in (exact, met)]
        assert widths[1] / widths[0] == pytest.approx(STOPPED)
        assert exact.speedup == met.speedup

    @pytest.mark.parametrize(
        "options", [{"rounds": 3}, {"rounds": 41, "iters": 40}, {"iters": 5}, {"target_width": -1.0}]
    )
    def test_amounts_out_of_range_are_a_value_error(self, options):
        with pytest.raises(ValueError, match="must be"):
            pt.compare(busy(1), busy(1), device="cpu", **options)

    def test_it_refuses_to_be_a_number(self):
        with pytest.raises(TypeError):
            float(pt.compare(busy(50), busy(50), iters=20, device="cpu", seed=1))
