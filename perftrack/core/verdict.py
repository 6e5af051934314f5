"""From two measurements to a verdict. It starts at `inconclusive` and is upgraded by evidence.

Effect d = ln(candidate / baseline) of the metric, sign turned so that positive is worse. The process is the
unit, never the pooled sample. Where the lane's run-to-run variance is known from history, the interval is
Welch's t interval (Welch 1947) on the logarithms of the process values with that variance added, because two
runs taken apart differ by that much with nothing changed; one process a side is then enough. Without history,
four processes a side or more are judged by a permutation test, and fewer with a run-to-run variance assumed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from perftrack.core.comparability import obstacles
from perftrack.core.exact import between_constants, exactly, judge_exact
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.model import Direction, Interval, Measurement, MeasurementTier, Reason, Status, Timer
from perftrack.core.noise import MIN_RUNS, LaneNoise
from perftrack.core.paired import PairedEffect
from perftrack.core.permutation import MIN_SIDE, permutation_test
from perftrack.core.reasons import reason
from perftrack.core.stats import t_quantile, t_two_sided_p
from perftrack.core.units import format_effect
from perftrack.errors import InvalidValueError

DEFAULT_THRESHOLD = 0.02
CONFIDENCE = 0.95
POWER = 0.8
MIN_PROCESSES = 2


def judge(
    baseline: Measurement | None,
    candidate: Measurement | None,
    *,
    threshold: float | None = None,
    noise: LaneNoise | None = None,
    paired: PairedEffect | None = None,
) -> Judgement:
    """Judge one metric of one case. Raises InvalidValueError where neither side is given.

    `noise`: of the lane, for sides recorded apart. `paired`: for sides that took turns, the effect of their
    rounds, ln(candidate / baseline) of the metric as it is; it stands in for the comparison of means. One
    measurement as both sides is equal to itself.
    """
    side = candidate or baseline
    if side is None:
        raise InvalidValueError("judge needs at least one side")
    declared = side.threshold if threshold is None else threshold
    delta = DEFAULT_THRESHOLD if declared is None else declared
    tiers = [m.tier for m in (baseline, candidate) if m is not None]
    worst = max(tiers, key=lambda t: t.rank)
    start = Judgement(Verdict.INCONCLUSIVE, baseline, candidate, worst, (), delta)
    refused = _refuse(start)
    if refused is not None or baseline is None or candidate is None:
        return refused or start
    not_finite = [n for n, m in (("baseline", baseline), ("candidate", candidate)) if not _is_finite(m)]
    if not_finite:
        return replace(start, reasons=tuple(reason("not-finite", side=name) for name in not_finite))
    if baseline is candidate:
        return exactly(start, 0.0)
    b, c = np.array(baseline.process_values), np.array(candidate.process_values)
    if side.protocol.timer is Timer.EXACT:
        return judge_exact(start, b.tolist(), c.tolist())
    # A lane's history of sizes and counts is of the code's own changes: it says nothing about their noise.
    constant = side.protocol.timer is Timer.VALUE and len(set(b)) == len(set(c)) == 1
    if constant and (b[0] == c[0] or min(len(b), len(c)) >= MIN_PROCESSES):
        return between_constants(start, float(b[0]), float(c[0]))
    if (b <= 0).any() or (c <= 0).any():
        which = "baseline" if (b <= 0).any() else "candidate"
        return replace(start, reasons=(reason("zero-value", side=which),))
    if paired is not None:
        return _weigh_paired(start, paired, side.direction)
    steps = [max((p.resolution_s for p in m.processes), default=0.0) for m in (baseline, candidate)]
    floors = [(step / float(v[0])) ** 2 / 12 if len(v) else 0.0 for step, v in zip(steps, (b, c), strict=True)]
    return _weigh(start, np.log(b), np.log(c), noise, floors)


def _is_finite(side: Measurement) -> bool:
    return all(math.isfinite(s) for p in side.processes for w in p.windows for s in w.samples)


def _refuse(start: Judgement) -> Judgement | None:
    """The judgements that need no statistics: a side missing, failed, not alike, or of tier C.

    A case that failed on the baseline alone has nothing there to compare with: its code may have come later.
    """
    baseline, candidate = start.baseline, start.candidate
    if candidate is not None and candidate.status is Status.FAILED:
        return replace(start, verdict=Verdict.FAILED, reasons=(_failure("candidate", candidate),))
    problems: list[Reason] = []
    for name, side in (("baseline", baseline), ("candidate", candidate)):
        if side is None:
            problems.append(reason("missing-side", side=name))
        elif side.status is Status.FAILED:
            problems.append(_failure(name, side))
        elif side.status is Status.SKIPPED:
            detail = side.reasons[0].message if side.reasons else ""
            problems.append(reason("skipped-side", side=name, detail=detail))
    if not problems and baseline is not None and candidate is not None:
        problems = list(obstacles(baseline, candidate))
    if problems:
        return replace(start, verdict=Verdict.NOT_COMPARABLE, reasons=tuple(problems))
    tier_c = [
        reason("tier-c", side=name)
        for name, side in (("baseline", baseline), ("candidate", candidate))
        if side is not None and side.tier is MeasurementTier.C
    ]
    return replace(start, reasons=tuple(tier_c)) if tier_c else None


def _failure(name: str, side: Measurement) -> Reason:
    return reason("failed-side", side=name, detail=side.reasons[0].message if side.reasons else "no reason stored")


def _weigh(
    start: Judgement, b: np.ndarray, c: np.ndarray, noise: LaneNoise | None, floors: Sequence[float]
) -> Judgement:
    """`b`, `c`: logarithms of the process values. `floors`: least variances, from rounding to the timer's step."""
    effect = _sign(start.subject.direction) * float(c.mean() - b.mean()) if len(b) and len(c) else None
    learnt = noise is not None and noise.learnt
    fewest = min(len(b), len(c))
    error, df = _standard_error(b, c, noise if learnt else None, floors)
    if learnt and noise is not None and noise.reach:
        error = max(error, noise.reach / t_quantile(df, 0.5 + CONFIDENCE / 2))
    if effect is None or (fewest < MIN_SIDE and (not learnt or (fewest == 1 and error == 0.0))):
        why = reason("noise-unknown", baseline=len(b), candidate=len(c), need=MIN_SIDE, runs=MIN_RUNS)
        return replace(start, effect=effect, reasons=(why,))
    if error == 0.0:  # values that differ, by less than their logarithms can
        return exactly(start, effect)
    p_value = t_two_sided_p(df, effect / error)
    if not learnt:
        return _weigh_permuted(start, b, c, p_value, (error, df), floors)
    half = t_quantile(df, 0.5 + CONFIDENCE / 2) * error
    interval = Interval(effect - half, effect + half)
    told = replace(start, noise=noise)
    return _conclude(told, effect, interval, p_value, (error, df), _about(noise))


def _weigh_permuted(
    start: Judgement,
    b: np.ndarray,
    c: np.ndarray,
    p_value: float,
    error_df: tuple[float, float],
    floors: Sequence[float],
) -> Judgement:
    """The permutation test decides; among many cases Welch's p-value ranks: the other has few values to take.

    It knows nothing of a timer's step, from which equal readings come: the interval is no narrower than that.
    """
    tested = permutation_test(tuple(b), tuple(c))
    sign = _sign(start.subject.direction)
    error, df = error_df
    step = math.sqrt(sum(f / len(v) for f, v in zip(floors, (b, c), strict=True)))
    reach = t_quantile(df, 0.5 + CONFIDENCE / 2) * min(step, error)
    lo, hi = min(tested.interval.lo, tested.effect - reach), max(tested.interval.hi, tested.effect + reach)
    ends = sorted((sign * lo, sign * hi))
    interval = Interval(ends[0], ends[1])
    notes = reason("permutation", baseline=len(b), candidate=len(c))
    return _conclude(start, sign * tested.effect, interval, p_value, error_df, notes)


def _about(noise: LaneNoise | None) -> Reason:
    assert noise is not None
    if noise.pairs:
        rest = f"{noise.runs} runs of the lane" if noise.runs else "what is assumed of a lane without history"
        return reason("equal-code-noise", pct=100 * noise.sigma, pairs=noise.pairs, rest=rest)
    return reason("lane-noise", pct=100 * noise.sigma, runs=noise.runs)


def _weigh_paired(start: Judgement, paired: PairedEffect, direction: Direction) -> Judgement:
    sign = _sign(direction)
    ends = sorted((sign * paired.interval.lo, sign * paired.interval.hi))
    half = 0.5 * (ends[1] - ends[0])
    notes = reason("live", rounds=paired.rounds, slot_pct=100 * paired.slot_effect)
    error = half / t_quantile(paired.df, 0.5 + CONFIDENCE / 2)
    interval = Interval(ends[0], ends[1])
    return _conclude(start, sign * paired.effect, interval, paired.p_value, (error, paired.df), notes)


def _conclude(
    start: Judgement,
    effect: float,
    interval: Interval,
    p_value: float,
    error_df: tuple[float, float],
    notes: Reason,
) -> Judgement:
    error, df = error_df
    mde = (t_quantile(df, 0.5 + CONFIDENCE / 2) + t_quantile(df, POWER)) * error
    verdict, why = _decide(effect, interval, start.threshold, mde)
    return replace(
        start, verdict=verdict, effect=effect, interval=interval, p_value=p_value, mde=mde, reasons=(why, notes)
    )


def _standard_error(
    b: np.ndarray, c: np.ndarray, noise: LaneNoise | None, floors: Sequence[float]
) -> tuple[float, float]:
    """Standard error of the difference of means and its Welch-Satterthwaite degrees of freedom."""
    sides = zip((b, c), floors, strict=True)
    parts = [(max(float(v.var(ddof=1)), floor) / len(v), len(v) - 1.0) for v, floor in sides if len(v) > 1]
    if noise is not None:
        # One process shows nothing of how processes differ: that is the lane's to tell as well.
        single = sum(len(v) == 1 for v in (b, c)) * noise.process_sigma**2
        parts += [(2 * noise.sigma**2 + single, noise.df)]
    total = sum(v for v, _ in parts)
    if total == 0.0:
        return 0.0, math.inf
    return math.sqrt(total), total**2 / sum(v**2 / df for v, df in parts if v > 0)


def _sign(direction: Direction) -> float:
    return 1.0 if direction is Direction.LOWER else -1.0


def _decide(effect: float, interval: Interval, delta: float, mde: float) -> tuple[Verdict, Reason]:
    change, threshold_pct = format_effect(effect), 100 * delta
    if interval.lo > 0 and effect >= delta:
        return Verdict.REGRESSION, reason("effect-above-threshold", change=change, threshold_pct=threshold_pct)
    if interval.hi < 0 and effect <= -delta:
        return Verdict.IMPROVEMENT, reason(
            "effect-below-minus-threshold", change=change, threshold_pct=threshold_pct
        )
    if -delta < interval.lo and interval.hi < delta:
        return Verdict.UNCHANGED, reason("within-threshold", threshold_pct=threshold_pct)
    if not interval.contains(0.0):
        return Verdict.INCONCLUSIVE, reason("effect-below-threshold", change=change, threshold_pct=threshold_pct)
    return Verdict.INCONCLUSIVE, reason("interval-too-wide", threshold_pct=threshold_pct, mde=format_effect(mde))
