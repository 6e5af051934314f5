"""Whether two profiles ran the same code on the same amount of work: then a difference is not of the code.

Equal machine code alone does not show it. The same kernel takes longer with more elements or with other strides,
and then the commit that changed those is to blame; so the launches must have the same shape, and the counts of
what they did must agree where both profiles have them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.launches.launch import LaunchSummary, Profile
from perftrack.core.model import Measurement, Timer
from perftrack.core.reasons import reason
from perftrack.core.units import format_change

# Counts of one code on equal work agree to the last instruction, unless warps wait for one another in loops.
WORK_TOLERANCE = 0.01
_WORK = ("instructions", "sectors_per_request", "local_bytes")


def same_code(baseline: Sequence[LaunchSummary], candidate: Sequence[LaunchSummary]) -> bool:
    """Whether both are the same launches of the same machine code. False where anything is not known.

    The order of launches is left out: those of several streams have none.
    """
    if not baseline or len(baseline) != len(candidate):
        return False
    sides = sorted(baseline, key=_key), sorted(candidate, key=_key)
    return all(_same(b, c) for b, c in zip(*sides, strict=True))


def _key(launch: LaunchSummary) -> tuple[object, ...]:
    work = (getattr(launch, name) or 0.0 for name in _WORK)
    return (launch.code_hash, launch.grid or (), launch.block or (), launch.shared_bytes or 0.0, *work)


def _same(b: LaunchSummary, c: LaunchSummary) -> bool:
    known = b.code_hash and b.grid is not None and b.block is not None
    shapes = [(x.code_hash, x.grid, x.block, x.shared_bytes, x.registers) for x in (b, c)]
    return bool(known) and shapes[0] == shapes[1] and all(_near(getattr(b, n), getattr(c, n)) for n in _WORK)


def _near(b: float | None, c: float | None) -> bool:
    """Whether two counts agree; one that a side did not collect says nothing."""
    return b is None or c is None or abs(b - c) <= WORK_TOLERANCE * max(abs(b), abs(c))


# Times of a device: what the host adds between launches is in the others.
DEVICE_TIMERS = frozenset({Timer.EVENT, Timer.GRAPH, Timer.REPLAY})


def weigh_code(judged: Judgement, baseline: Profile | None, candidate: Profile | None) -> Judgement:
    """Take back a verdict that would put a change down to the code, where both sides ran the same code.

    A regression or improvement becomes inconclusive; either way, since noise has no sign. It stands where kernels
    are not what was timed: another metric, a host timer, or a case that waits for its launches.
    """
    if judged.verdict not in (Verdict.REGRESSION, Verdict.IMPROVEMENT) or baseline is None or candidate is None:
        return judged
    if not all(_timed_kernels(m) for m in (judged.baseline, judged.candidate)):
        return judged
    whole = not (baseline.limitations or candidate.limitations or baseline.dirty or candidate.dirty)
    if not whole or not same_code([x.summary for x in baseline.launches], [x.summary for x in candidate.launches]):
        return judged
    why = reason("equal-code", change=format_change(judged.effect))
    return replace(judged, verdict=Verdict.INCONCLUSIVE, reasons=(why, *judged.reasons))


def _timed_kernels(side: Measurement | None) -> bool:
    if side is None or side.metric != "time" or side.protocol.timer not in DEVICE_TIMERS:
        return False
    return all(r.code != "launch-bound" for r in side.limitations)
