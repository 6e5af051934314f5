"""`compare`: a candidate against a baseline timed beside it, in short blocks that take turns."""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable

from perftrack.core.paired import MIN_ROUNDS, paired_effect
from perftrack.core.plan import Plan
from perftrack.errors import InvalidValueError
from perftrack.timing.clocks import ClockPolicy
from perftrack.timing.devices.base import Telemetry
from perftrack.timing.measure import (
    BUDGET_S,
    DEFAULT_ITERS,
    DEFAULT_WARMUP,
    WARMUP_CAP_S,
    check_amounts,
    check_callable,
    is_cold,
    opened,
    seconds_of,
    to_result,
)
from perftrack.timing.results import ComparisonResult
from perftrack.timing.session import Session, check_placement, prepare

ROUNDS = 20
# Reading a card's counters takes about 9 ms a window, more than most windows: a few of them tell as much.
EVIDENCE_ROUNDS = 4


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
    for fn in (candidate_fn, baseline_fn):
        check_callable(fn)
    check_amounts(warmup, iters, 2)
    if not MIN_ROUNDS <= rounds <= iters:
        raise InvalidValueError(f"rounds must be from {MIN_ROUNDS} to iters, got {rounds}")
    drawn = time.time_ns() & 0x7FFFFFFF if seed is None else seed
    plan = Plan(window_s=BUDGET_S, max_samples=iters // rounds, warmup_calls=warmup, warmup_cap_s=WARMUP_CAP_S)
    with opened(device, timer, policy) as (target, telemetry, locked):
        for fn in (candidate_fn, baseline_fn):
            check_placement(target, fn)
        cold, least = is_cold(target, flush_l2), seconds_of(min_duration_us)
        candidate, baseline = (
            prepare(fn, target, plan, cold=cold, min_sample_s=least) for fn in (candidate_fn, baseline_fn)
        )
        second = _take_turns(candidate, baseline, telemetry, rounds, drawn)
        results = [
            to_result(side.finish(), target, telemetry, locked=locked, cold=cold) for side in (candidate, baseline)
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


def _take_turns(candidate: Session, baseline: Session, telemetry: Telemetry, rounds: int, seed: int) -> list[bool]:
    """Fill both sides' windows; for each round whether the candidate ran second."""
    second = [n % 2 == 0 for n in range(rounds)]
    random.Random(seed).shuffle(second)
    every = max(1, rounds // EVIDENCE_ROUNDS)
    for number, candidate_second in enumerate(second):
        for side in (baseline, candidate) if candidate_second else (candidate, baseline):
            side.take_window(telemetry if number % every == 0 else None)
    return second
