"""The sampling protocol against a device with a scripted clock."""

import itertools

import pytest

from perftrack.core.company import Occupancy
from perftrack.core.model import Evidence, Timer
from perftrack.core.plan import Plan
from perftrack.core.reasons import reason
from perftrack.core.tiers import Exclusivity
from perftrack.errors import MeasurementError
from perftrack.timing.devices.base import Timed
from perftrack.timing.session import (
    check_placement,
    cold_over_hot,
    collect,
    inner_reps,
    prepare,
    samples_per_window,
    warm_up,
)


class ScriptedDevice:
    """Every call takes `cost(call number)` seconds of a clock that nothing else moves."""

    kind, index, timer, resolution_s = "fake", 0, Timer.EVENT, 0.5e-6

    def __init__(self, cost, host_s=None):
        self.cost = cost
        self.now = 0.0
        self.calls = 0
        self.host_s = host_s
        self.elsewhere = None
        self.windows = []

    def clock(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds

    def _run(self, calls):
        spent = sum(self.cost(self.calls + n) for n in range(calls))
        self.calls += calls
        self.now += spent
        return spent

    def burst(self, work, calls):
        return self._run(calls) / calls

    def time_window(self, work, samples, inner_reps, *, cold):
        self.windows.append((samples, inner_reps, cold))
        return Timed(tuple(self._run(inner_reps) / inner_reps for _ in range(samples)), self.host_s)

    def synchronize(self):
        pass

    def check_stream(self, work):
        return self.elsewhere

    def close(self):
        pass


class Silent:
    why_none = "scripted"
    polled_share = None

    def begin(self):
        pass

    def end(self):
        return Evidence()

    def locked(self):
        return False

    def occupancy(self):
        return Occupancy(Exclusivity.UNKNOWN, "scripted")

    def close(self):
        pass


def run(device, plan=None, **options):
    plan = plan or Plan()
    session = prepare(lambda: None, device, plan, clock=device.clock, **options)
    return collect(session, Silent(), plan, clock=device.clock, sleep=device.sleep)


def test_steady_work_is_measured_as_planned():
    device = ScriptedDevice(lambda n: 1e-3)
    samples = run(device, Plan(windows=4, window_s=0.02, max_samples=50))
    assert [len(w.samples) for w in samples.windows] == [20] * 4
    assert samples.windows[0].samples[0] == pytest.approx(1e-3)
    assert samples.inner_reps == 1


def test_warm_up_makes_at_least_the_asked_number_of_calls():
    device = ScriptedDevice(lambda n: 1e-6)
    assert warm_up(lambda: None, device, Plan(warmup_calls=5000), device.clock).calls >= 5000


def test_warm_up_goes_on_while_throughput_drifts():
    device = ScriptedDevice(lambda n: 1e-4 * (1 + 5 * 0.5 ** (n / 1000)))
    warm = warm_up(lambda: None, device, Plan(warmup_calls=200, warmup_cap_s=60), device.clock)
    assert warm.calls > 3000
    assert not warm.drifting
    assert warm.per_call_s == pytest.approx(1e-4, rel=0.05)


def test_warm_up_stops_at_its_cap_and_says_so():
    device = ScriptedDevice(lambda n: 0.3 / (1 + n))
    samples = run(device, Plan(warmup_cap_s=1.0, windows=2))
    assert samples.warmup_calls < 200
    assert samples.warmup_s <= 1.5
    assert "warmup-capped" in [n.code for n in samples.notes]


def test_a_slow_case_takes_two_windows_of_one_sample_whatever_the_budget():
    samples = run(ScriptedDevice(lambda n: 30.0), Plan(budget_s=5.0, windows=5))
    assert [len(w.samples) for w in samples.windows] == [1, 1]


def test_a_short_call_is_repeated_until_a_sample_is_a_hundred_steps_of_the_timer():
    device = ScriptedDevice(lambda n: 2e-6)
    assert run(device).inner_reps == 25


def test_calibration_ignores_a_slow_first_call():
    device = ScriptedDevice(lambda n: 100e-6 if n == 0 else 3e-6)
    assert run(device).inner_reps == 17


def test_a_cold_sample_is_one_call():
    device = ScriptedDevice(lambda n: 2e-6)
    assert run(device, cold=True).inner_reps == 1
    assert all(cold for _, _, cold in device.windows)


def test_a_host_timer_needs_longer_samples_than_its_resolution_asks():
    device = ScriptedDevice(lambda n: 1e-6)
    device.timer, device.resolution_s = Timer.HOST, 1e-9
    assert inner_reps(1e-6, device) == 200


def test_a_minimum_sample_length_is_honoured():
    assert inner_reps(1e-6, ScriptedDevice(lambda n: 1e-6), min_sample_s=1e-3) == 1000


def test_pauses_lie_between_windows_only():
    slept = []
    device = ScriptedDevice(lambda n: 1e-3)
    plan = Plan(windows=3, pause_s=0.5)
    session = prepare(lambda: None, device, plan, clock=device.clock)
    collect(session, Silent(), plan, clock=device.clock, sleep=slept.append)
    assert slept == [0.5, 0.5]


def test_windows_stop_at_the_budget():
    device = ScriptedDevice(lambda n: 0.01)
    samples = run(device, Plan(windows=1000, window_s=0.1, budget_s=1.0, pause_s=0.0))
    assert 2 < len(samples.windows) <= 11


@pytest.mark.parametrize("value", [0.0, -1e-6, float("nan"), float("inf")])
def test_what_is_no_time_is_refused(value):
    class Bad(ScriptedDevice):
        def time_window(self, work, samples, inner_reps, *, cold):
            return Timed((value,) * samples)

    with pytest.raises(MeasurementError):
        run(Bad(lambda n: 1e-3))


def test_samples_below_one_step_of_the_timer_are_refused():
    with pytest.raises(MeasurementError, match="less than one step"):
        run(ScriptedDevice(lambda n: 1e-7), cold=True)


def test_a_sample_far_from_the_timer_target_says_so():
    samples = run(ScriptedDevice(lambda n: 3e-6), cold=True)
    assert "below-timer-target" in [n.code for n in samples.notes]


def test_launch_bound_work_says_so():
    samples = run(ScriptedDevice(lambda n: 100e-6, host_s=150e-6))
    assert "launch-bound" in [n.code for n in samples.notes]


def test_work_that_the_host_keeps_ahead_of_does_not():
    samples = run(ScriptedDevice(lambda n: 100e-6, host_s=20e-6))
    assert "launch-bound" not in [n.code for n in samples.notes]


def test_what_the_work_raises_comes_out():
    class Raising(ScriptedDevice):
        def burst(self, work, calls):
            work()
            return 1e-3

    def fail():
        raise ZeroDivisionError

    device = Raising(lambda n: 1e-3)
    with pytest.raises(ZeroDivisionError):
        prepare(fail, device, Plan(), clock=device.clock)


@pytest.mark.parametrize(("sample_s", "expected"), [(1e-9, 40), (0.0, 40), (0.01, 10), (1.0, 1)])
def test_samples_fill_the_window(sample_s, expected):
    assert samples_per_window(sample_s, Plan(window_s=0.1, max_samples=40)) == expected


def test_warm_up_never_runs_far_past_its_cap():
    for cost in (1e-7, 1e-5, 1e-3, 0.1):
        drift = itertools.count()
        device = ScriptedDevice(lambda n, c=cost, d=drift: c * (1 + 0.02 * (next(d) % 7)))
        warm = warm_up(lambda: None, device, Plan(warmup_cap_s=0.3), device.clock)
        assert warm.seconds <= 0.3 + 2 * max(cost, 0.02)


def test_work_outside_the_timed_region_is_refused_with_what_was_seen():
    device = ScriptedDevice(lambda n: 1e-3)
    check_placement(device, lambda: None)
    device.elsewhere = reason("work-outside-timing", detail="on another stream")
    with pytest.raises(MeasurementError, match="on another stream"):
        check_placement(device, lambda: None)


def test_cold_over_hot_is_the_ratio_of_the_two_protocols():
    class Cached(ScriptedDevice):
        def time_window(self, work, samples, inner_reps, *, cold):
            return Timed((3e-3 if cold else 1e-3,) * samples)

    assert cold_over_hot(lambda: None, Cached(lambda n: 1e-3)) == pytest.approx(3.0)


def test_a_thread_that_read_beside_the_work_is_told_with_its_worst_share():
    class Polled(Silent):
        shares = iter((0.001, 0.02, 0.003))
        polled_share = None

        def end(self):
            self.polled_share = next(self.shares)
            return Evidence()

    device = ScriptedDevice(lambda n: 1e-3)
    plan = Plan(windows=3, window_s=0.02)
    session = prepare(lambda: None, device, plan, clock=device.clock)
    samples = collect(session, Polled(), plan, clock=device.clock, sleep=device.sleep)
    (note,) = [n for n in samples.notes if n.code == "telemetry-polled"]
    assert "2 % of the time" in note.message
    assert "telemetry-polled" not in [n.code for n in run(device, plan).notes]
