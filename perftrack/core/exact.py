"""Values that do not vary: counts and sizes, of which every difference is real."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.model import Direction, Interval
from perftrack.core.reasons import reason
from perftrack.core.units import format_effect


def judge_exact(start: Judgement, baseline: Sequence[float], candidate: Sequence[float]) -> Judgement:
    """Of a metric that is declared exact: one process a side is enough, and all that there are must agree."""
    for name, values in (("baseline", baseline), ("candidate", candidate)):
        if len(set(values)) != 1:
            read = f"{min(values):g} to {max(values):g}" if len(values) else "nothing"
            return replace(start, reasons=(reason("not-exact", side=name, read=read),))
    return between_constants(start, baseline[0], candidate[0])


def between_constants(start: Judgement, before: float, after: float) -> Judgement:
    """Two values that are known without error. Where one is zero or below there is no ratio: the sign decides."""
    worse = 1.0 if start.subject.direction is Direction.LOWER else -1.0
    if before == after:
        return exactly(start, 0.0)
    if before > 0 and after > 0:
        # log1p, so that large counts which differ by one do not come out as equal.
        return exactly(start, worse * math.log1p((after - before) / before))
    verdict = Verdict.REGRESSION if (after - before) * worse > 0 else Verdict.IMPROVEMENT
    why = reason("exact-change", change=f"{abs(after - before):g} ({before:g} → {after:g})")
    return replace(start, verdict=verdict, p_value=0.0, mde=0.0, reasons=(why,))


def exactly(start: Judgement, effect: float) -> Judgement:
    """The judgement of an effect without error."""
    change, threshold_pct = format_effect(effect), 100 * start.threshold
    if effect == 0.0:
        verdict, why = Verdict.UNCHANGED, reason("exact-equal")
    elif abs(effect) < start.threshold:
        verdict = Verdict.UNCHANGED
        why = reason("effect-below-threshold", change=change, threshold_pct=threshold_pct)
    else:
        verdict = Verdict.REGRESSION if effect > 0 else Verdict.IMPROVEMENT
        why = reason("exact-change", change=change)
    return replace(
        start,
        verdict=verdict,
        effect=effect,
        interval=Interval(effect, effect),
        p_value=1.0 if effect == 0.0 else 0.0,
        mde=0.0,
        reasons=(why,),
    )
