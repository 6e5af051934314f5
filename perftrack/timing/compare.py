"""`compare`: a candidate against a baseline timed beside it, in short blocks that take turns."""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from perftrack.core.paired import MIN_ROUNDS, STOPPED, PairedEffect, paired_effect
from perftrack.core.plan import Plan
from perftrack.errors import InvalidValueError
from perftrack.timing.clocks import ClockPolicy
from perftrack.timing.devices.base import Telemetry
from perftrack.timing.measure import (
    BUDGET_S,
    DEFAULT_ITERS,
    DEFAULT_WARMUP,
    TARGET_WIDTH,
    WARMUP_CAP_S,
    check_amounts,
    check_callable,
    check_width,
    is_cold,
    missed_width,
    opened,
    seconds_of,
    to_result,
)
from perftrack.timing.results import ComparisonResult
from perftrack.timing.session import Session, check_placement, prepare

ROUNDS = 20
MORE_ROUNDS = 4
ADDED_ROUNDS = 4  # at a time: as many in either order
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
    target_width: float | None = TARGET_WIDTH,
    seed: int | None = None,
    timer: str = "auto",
) -> ComparisonResult:
    """Measure both sides now, interleaved; never against a stored baseline.

    iters: samples a side, in `rounds` blocks. In each round both sides run, in an order drawn from `seed`
    such that each side is second equally often; the judgement is on the rounds' paired log-ratios, so
    clock and heat that drift over the comparison fall on both. target_width: rounds are added, at most to
    four times as many and a minute, until the half-width of the interval of the log-ratio is this small; None
    takes exactly `rounds`. The other options are `measure`'s, and so are the errors.
    """
    for fn in (candidate_fn, baseline_fn):
        check_callable(fn)
    check_amounts(warmup, iters, 2)
    if not MIN_ROUNDS <= rounds <= iters:
        raise InvalidValueError(f"rounds must be from {MIN_ROUNDS} to iters, got {rounds}")
    check_width(target_width)
    drawn = time.time_ns() & 0x7FFFFFFF if seed is None else seed
    plan = Plan(window_s=BUDGET_S, max_samples=iters // rounds, warmup_calls=warmup, warmup_cap_s=WARMUP_CAP_S)
    with opened(device, timer, policy) as (target, telemetry, locked):
        for fn in (candidate_fn, baseline_fn):
            check_placement(target, fn)
        cold, least = is_cold(target, flush_l2), seconds_of(min_duration_us)
        candidate, baseline = (
            prepare(fn, target, plan, cold=cold, min_sample_s=least) for fn in (candidate_fn, baseline_fn)
        )
        turns = Turns(candidate, baseline, telemetry, random.Random(drawn), max(1, rounds // EVIDENCE_ROUNDS))
        effect = _compared(turns, rounds, target_width)
        results = [
            to_result(side.finish(), target, telemetry, locked=locked, cold=cold) for side in (candidate, baseline)
        ]
    got = half_width(effect)
    missed = target_width is not None and got > target_width
    return ComparisonResult(
        candidate=results[0],
        baseline=results[1],
        speedup=math.exp(-effect.effect),
        speedup_ci_lo=math.exp(-effect.interval.hi),
        speedup_ci_hi=math.exp(-effect.interval.lo),
        rounds=effect.rounds,
        seed=drawn,
        slot_effect=effect.slot_effect,
        limitations=(missed_width(got, target_width),) if missed and target_width is not None else (),
    )


@dataclass(slots=True)
class Turns:
    """Two sessions whose windows are taken in turns. `second`: for each round whether the candidate ran second."""

    candidate: Session
    baseline: Session
    telemetry: Telemetry
    rng: random.Random
    evidence_every: int
    second: list[bool] = field(default_factory=list)

    def take(self, rounds: int) -> None:
        """More rounds, half of them in either order."""
        orders = [n % 2 == 0 for n in range(rounds)]
        self.rng.shuffle(orders)
        for candidate_second in orders:
            with_evidence = len(self.second) % self.evidence_every == 0
            sides = (self.baseline, self.candidate) if candidate_second else (self.candidate, self.baseline)
            for side in sides:
                side.take_window(self.telemetry if with_evidence else None)
            self.second.append(candidate_second)

    def effect(self, widen: float) -> PairedEffect:
        ratios = [
            math.log(statistics.median(c.samples) / statistics.median(b.samples))
            for c, b in zip(self.candidate.windows, self.baseline.windows, strict=True)
        ]
        return paired_effect(ratios, self.second, widen=widen)


def half_width(effect: PairedEffect) -> float:
    return (effect.interval.hi - effect.interval.lo) / 2


def _compared(turns: Turns, rounds: int, width: float | None) -> PairedEffect:
    """The effect after `rounds`, or after as many more as its interval takes to be narrow enough."""
    started = time.perf_counter()
    turns.take(rounds)
    if width is None:
        return turns.effect(1.0)
    effect = turns.effect(STOPPED)
    while (
        half_width(effect) > width
        and effect.rounds + ADDED_ROUNDS <= MORE_ROUNDS * rounds
        and time.perf_counter() - started < BUDGET_S
    ):
        turns.take(ADDED_ROUNDS)
        effect = turns.effect(STOPPED)
    return effect
