"""`compare`: a candidate against a baseline timed beside it, in short blocks that take turns."""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from perftrack.core.model import ProcessSamples, Window
from perftrack.core.paired import MIN_ROUNDS, paired_effect
from perftrack.core.plan import Plan
from perftrack.errors import InvalidValueError, MeasurementError
from perftrack.timing.clocks import ClockPolicy
from perftrack.timing.devices.base import Device, Telemetry
from perftrack.timing.measure import (
    DEFAULT_ITERS,
    DEFAULT_WARMUP,
    WARMUP_CAP_S,
    check_amounts,
    is_cold,
    opened,
    to_result,
)
from perftrack.timing.results import ComparisonResult
from perftrack.timing.session import check, inner_reps, warm_up

ROUNDS = 20


@dataclass(slots=True)
class _Side:
    work: Callable[[], object]
    inner: int
    warmup_calls: int
    warmup_s: float
    windows: list[Window]


def compare(
    candidate_fn: Callable[[], object],
    baseline_fn: Callable[[], object],
    *,
    warmup: int = DEFAULT_WARMUP,
    iters: int = DEFAULT_ITERS,
    device: int | str = "auto",
    flush_l2: bool | None = None,
    policy: ClockPolicy | None = None,
    min_duration_us: float | None = None,
    rounds: int = ROUNDS,
    seed: int | None = None,
    timer: str = "auto",
) -> ComparisonResult:
    """Measure both sides now, interleaved; never against a stored baseline.

    iters: samples a side, in `rounds` blocks. In each round both sides run, in an order drawn from `seed`
    such that each side is second equally often; the judgement is on the rounds' paired log-ratios, so
    clock and heat that drift over the comparison fall on both. The other options are `measure`'s, and so
    are the errors.
    """
    check_amounts(warmup, iters, 2)
    if not MIN_ROUNDS <= rounds <= iters:
        raise InvalidValueError(f"rounds must be from {MIN_ROUNDS} to iters, got {rounds}")
    drawn = time.time_ns() & 0x7FFFFFFF if seed is None else seed
    min_sample_s = None if min_duration_us is None else min_duration_us * 1e-6
    plan = Plan(warmup_calls=warmup, warmup_cap_s=WARMUP_CAP_S)
    with opened(device, timer, policy) as (target, telemetry, locked):
        cold = is_cold(target, flush_l2)
        candidate, baseline = (
            _prepare(fn, target, plan, cold, min_sample_s) for fn in (candidate_fn, baseline_fn)
        )
        second = _take_turns(candidate, baseline, target, telemetry, rounds, iters // rounds, cold, drawn)
        results = [
            to_result([_process(side, target)], target, telemetry, locked=locked, cold=cold)
            for side in (candidate, baseline)
        ]
    ratios = [
        math.log(statistics.median(c.samples) / statistics.median(b.samples))
        for c, b in zip(candidate.windows, baseline.windows, strict=True)
    ]
    effect = paired_effect(ratios, second)
    return ComparisonResult(
        candidate=results[0],
        baseline=results[1],
        speedup=math.exp(-effect.effect),
        speedup_ci_lo=math.exp(-effect.interval.hi),
        speedup_ci_hi=math.exp(-effect.interval.lo),
        rounds=rounds,
        seed=drawn,
        slot_effect=effect.slot_effect,
    )


def _prepare(
    work: Callable[[], object], device: Device, plan: Plan, cold: bool, min_sample_s: float | None
) -> _Side:
    warm = warm_up(work, device, plan)
    inner = 1 if cold else inner_reps(warm.per_call_s, device, min_sample_s)
    return _Side(work, inner, warm.calls, warm.seconds, [])


def _take_turns(
    candidate: _Side,
    baseline: _Side,
    device: Device,
    telemetry: Telemetry,
    rounds: int,
    samples: int,
    cold: bool,
    seed: int,
) -> list[bool]:
    """Fill both sides' windows; for each round whether the candidate ran second."""
    second = [n % 2 == 0 for n in range(rounds)]
    random.Random(seed).shuffle(second)
    for candidate_second in second:
        for side in (baseline, candidate) if candidate_second else (candidate, baseline):
            telemetry.begin()
            timed = device.time_window(side.work, samples, side.inner, cold=cold)
            side.windows.append(Window(timed.samples, telemetry.end(), timed.host_s))
            check(timed, side.inner, device)
    return second


def _process(side: _Side, device: Device) -> ProcessSamples:
    if not side.windows:
        raise MeasurementError("no round was measured")
    return ProcessSamples(
        index=0,
        windows=tuple(side.windows),
        inner_reps=side.inner,
        warmup_calls=side.warmup_calls,
        warmup_s=side.warmup_s,
        resolution_s=device.resolution_s / side.inner,
    )
