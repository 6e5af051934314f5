"""The sampling protocol of one case in one process: warm up, calibrate, take windows. Standard library only.

It decides how much to run and refuses what cannot be a measurement; reading the time is the device's part.
"""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from perftrack.core.deferral import deferred
from perftrack.core.model import Evidence, ProcessSamples, Reason, Timer, Window
from perftrack.core.plan import Plan
from perftrack.core.reasons import reason
from perftrack.errors import MeasurementError
from perftrack.timing.devices.base import Device, Telemetry, Timed, Work

# A timer's step is then at most 1 % of a sample, half of the default threshold.
RESOLUTION_FACTOR = 100
# Host samples also carry interrupts and scheduling; below about 0.2 ms a single one of those is the sample.
MIN_HOST_SAMPLE_S = 200e-6
MAX_INNER_REPS = 1_000_000
ROUNDING = 1e-9  # 1e-3 / 1e-6 is a little over 1000
# Warm-up is over when the medians of the last three bursts and of the three before agree within this: the
# default threshold. Medians, because on a shared host single bursts never agree, drift or not.
DRIFT_TOLERANCE = 0.02
BURST_S = 0.02
# The host took at least this share of the device's time per call to launch it: launch-bound.
LAUNCH_BOUND_SHARE = 1.0


@dataclass(frozen=True, slots=True)
class Warmup:
    calls: int
    seconds: float
    per_call_s: float
    drifting: bool


@dataclass(slots=True)
class Session:
    """One callable, warmed up and calibrated, of which windows are taken one at a time."""

    work: Work
    device: Device
    cold: bool
    warm: Warmup
    inner_reps: int
    samples: int
    windows: list[Window] = field(default_factory=list)
    polled_share: float | None = None  # of a window's time, that telemetry's thread took at most

    def take_window(self, telemetry: Telemetry | None) -> None:
        """One more window; without `telemetry` it has no evidence.

        Raises MeasurementError where the samples are no measurement, DeviceError where the device failed.
        """
        if telemetry is not None:
            telemetry.begin()
        timed = self.device.time_window(self.work, self.samples, self.inner_reps, cold=self.cold)
        evidence = telemetry.end() if telemetry is not None else Evidence()
        if telemetry is not None and telemetry.polled_share is not None:
            self.polled_share = max(self.polled_share or 0.0, telemetry.polled_share)
        self.windows.append(Window(timed.samples, evidence, timed.host_s))
        check(timed, self.inner_reps, self.device)

    def finish(self, index: int = 0) -> ProcessSamples:
        """The windows so far as one process's samples."""
        return ProcessSamples(
            index=index,
            windows=tuple(self.windows),
            inner_reps=self.inner_reps,
            warmup_calls=self.warm.calls,
            warmup_s=self.warm.seconds,
            resolution_s=self.device.resolution_s / self.inner_reps,
            notes=_notes(self),
        )


def prepare(
    work: Work,
    device: Device,
    plan: Plan,
    *,
    cold: bool = False,
    fixed_inner: int | None = None,
    min_sample_s: float | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Session:
    """Warm up and calibrate. `fixed_inner`: calls per sample, instead of a calibrated number."""
    gc.collect()
    warm = warm_up(work, device, plan, clock)
    inner = fixed_inner or (1 if cold else inner_reps(warm.per_call_s, device, min_sample_s))
    return Session(work, device, cold, warm, inner, samples_per_window(warm.per_call_s * inner, plan))


def collect(
    session: Session,
    telemetry: Telemetry,
    plan: Plan,
    index: int = 0,
    *,
    clock: Callable[[], float] = time.perf_counter,
    sleep: Callable[[float], None] = time.sleep,
) -> ProcessSamples:
    """Take the plan's windows with its pauses, at least two and within its budget."""
    started = clock()
    while len(session.windows) < plan.windows and (len(session.windows) < 2 or clock() - started < plan.budget_s):
        if session.windows and plan.pause_s:
            sleep(plan.pause_s)
        session.take_window(telemetry)
    return session.finish(index)


CACHE_SAMPLES = 5


def cold_over_hot(work: Work, device: Device) -> float:
    """How many times as long a call takes with a flushed cache: medians of CACHE_SAMPLES calls each, hot first."""
    hot, cold = (
        statistics.median(device.time_window(work, CACHE_SAMPLES, 1, cold=state).samples)
        for state in (False, True)
    )
    if hot <= 0:
        raise MeasurementError("a call took no time: there is no cold/hot ratio")
    return cold / hot


def check_placement(device: Device, work: Work) -> None:
    """Refuse a callable whose work is not where the timer looks: another stream, another thread, later, nowhere.

    Raises MeasurementError saying what was seen. Not raising means that nothing of the kind was seen.
    """
    first = deferred(work())  # else what a first call does (compile, load a library) is no sign of anything
    if first is not None:
        raise MeasurementError(f"the callable returned {first.what}: only its creation would be timed", first.hint)
    device.synchronize()
    found = device.check_stream(work)
    if found is not None:
        raise MeasurementError(
            found.message, "Wait for the work in the callable, or put it on the current stream."
        )


def warm_up(work: Work, device: Device, plan: Plan, clock: Callable[[], float] = time.perf_counter) -> Warmup:
    """Call `work` until its throughput stops drifting, at least `plan.warmup_calls` times or the cap's length.

    Calibration uses the last burst's amortised time: one cold call reads about 100 µs for a 3 µs kernel.
    """
    started = clock()
    calls, size, bursts = 0, 1, list[float]()
    drifting = True
    while True:
        bursts.append(device.burst(work, size))
        calls += size
        elapsed = clock() - started
        drifting = _drifts(bursts)
        if (calls >= plan.warmup_calls and not drifting) or elapsed >= plan.warmup_cap_s:
            break
        size = _burst_size(bursts[-1], size, plan.warmup_cap_s - elapsed)
    return Warmup(calls, clock() - started, statistics.median(bursts[-3:]), drifting)


def _drifts(bursts: list[float]) -> bool:
    if len(bursts) < 6:
        return True
    now, before = statistics.median(bursts[-3:]), statistics.median(bursts[-6:-3])
    return abs(now - before) > DRIFT_TOLERANCE * min(now, before)


def _burst_size(per_call_s: float, previous: int, left_s: float) -> int:
    """Bursts grow to about BURST_S, at most eightfold a step, and stay inside the time that is left."""
    if per_call_s <= 0:
        return previous * 8
    wanted = min(BURST_S, left_s) / per_call_s
    return max(1, min(previous * 8, int(wanted)))


def inner_reps(per_call_s: float, device: Device, min_sample_s: float | None = None) -> int:
    """Back-to-back calls in one sample, so that it lasts RESOLUTION_FACTOR steps of the timer."""
    target = RESOLUTION_FACTOR * device.resolution_s
    if min_sample_s is not None:
        target = max(target, min_sample_s)
    elif device.timer is Timer.HOST:
        target = max(target, MIN_HOST_SAMPLE_S)
    if per_call_s <= 0:
        return MAX_INNER_REPS
    return max(1, min(MAX_INNER_REPS, math.ceil(target / per_call_s - ROUNDING)))


def samples_per_window(sample_s: float, plan: Plan) -> int:
    """As many as fill `window_s`, at most `max_samples`; one when a single sample outlasts the window."""
    if sample_s <= 0:
        return plan.max_samples
    return max(1, min(plan.max_samples, int(plan.window_s / sample_s + ROUNDING)))


def check(timed: Timed, inner: int, device: Device) -> None:
    """Refuse a window that cannot be a measurement: not finite, not positive, or within the timer's step."""
    middle = statistics.median(timed.samples)
    if not all(math.isfinite(s) for s in timed.samples) or middle <= 0:
        raise MeasurementError(
            f"the timer read {middle!r} s: there was no work between its two readings",
            "Check that the callable does its work before it returns, on the current stream.",
        )
    if middle * inner < device.resolution_s:
        raise MeasurementError(
            f"{inner} call(s) took {middle * inner:.3g} s, less than one step of the timer "
            f"({device.resolution_s:.3g} s)",
            "Check that the callable does real work on the device being timed.",
        )


def _notes(session: Session) -> tuple[Reason, ...]:
    notes: list[Reason] = []
    windows, resolution_s = session.windows, session.device.resolution_s
    middle = statistics.median(statistics.median(w.samples) for w in windows)
    factor = middle * session.inner_reps / resolution_s if resolution_s else math.inf
    if factor < RESOLUTION_FACTOR * 0.5:
        notes.append(reason("below-timer-target", factor=factor, target=RESOLUTION_FACTOR))
    if session.warm.drifting:
        notes.append(reason("warmup-capped"))
    if session.polled_share is not None:
        notes.append(reason("telemetry-polled", pct=100 * session.polled_share))
    hosts = [w.host_s for w in windows if w.host_s is not None]
    if hosts and statistics.median(hosts) >= middle * LAUNCH_BOUND_SHARE:
        host_us, device_us = 1e6 * statistics.median(hosts), 1e6 * middle
        notes.append(reason("launch-bound", host_us=host_us, device_us=device_us))
    return tuple(notes)
