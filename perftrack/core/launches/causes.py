"""What can make a launch slower, each told from the counters of both sides.

A cause is a function of the two sides that yields findings; see `launchdiff` for what their weights mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from perftrack.core.launches.findings import Delta, Finding, FindingCode, Origin
from perftrack.core.launches.launch import Bound, Stall
from perftrack.core.launches.memorycauses import caches, coalescing, dram, local_memory
from perftrack.core.launches.resourcecauses import clocks, launch_shape, occupancy
from perftrack.core.launches.sides import Sides

# What a warp that stalls waits for (Kernel Profiling Guide, "Warp Stall Reasons").
STALL_WORDS = {
    "barrier": "the other warps of its block",
    "branch_resolving": "where a branch goes",
    "dispatch_stall": "the dispatcher",
    "drain": "its stores at exit",
    "imc_miss": "a constant that is not cached",
    "lg_throttle": "a place in the queue for global and local memory",
    "long_scoreboard": "global or local memory",
    "math_pipe_throttle": "a busy arithmetic unit",
    "membar": "a memory barrier",
    "mio_throttle": "a place in the queue for shared memory and special functions",
    "no_instructions": "its next instruction",
    "short_scoreboard": "shared memory or a special function",
    "sleeping": "the end of its sleep",
    "tex_throttle": "a place in the queue for textures",
    "wait": "an instruction of fixed length",
    "warpgroup_arrive": "its warp group",
}
_MOVED_PCT = 10.0  # points of all waiting by which a reason must move: samples of equal launches moved by under 3
# What both sides need for the commonest causes to be seen at all.
_TELLING = {
    "cycles": "cycles",
    "sm_clock_hz": "SM clock",
    "registers": "registers",
    "occupancy_theoretical_pct": "theoretical occupancy",
    "instructions": "instructions executed",
    "dram_read_bytes": "DRAM bytes",
    "local_bytes": "local-memory bytes",
    "sectors_per_request": "sectors per request",
    "l2_hit_pct": "L2 hit rate",
}


def _work(sides: Sides) -> Iterator[Finding]:
    # Operations are instructions too: where those are told, they count less.
    counted = 1.0 if None in sides.values("instructions") else 0.5
    for field, code, name, part in (
        ("instructions", FindingCode.INSTRUCTIONS, "instructions executed", 1.0),
        ("flops", FindingCode.OPERATIONS, "floating-point operations", counted),
    ):
        if not sides.changed(field):
            continue
        text = f"{name} {sides.arrow(field)}"
        if sides.same_code and sides.same_shape:
            text += " by the same code: its input differs"
        weight = (sides.ratio(field) or 0.0) * part * max(sides.compute, 0.1)
        yield Finding(code, sides.blame, text, (sides.delta(field),), weight)


def _bound(sides: Sides) -> Iterator[Finding]:
    before, after = sides.baseline.bound, sides.candidate.bound
    if before is after or Bound.UNKNOWN in (before, after):
        return
    loads = f"DRAM {sides.arrow('dram_pct', '%')} and SMs {sides.arrow('sm_pct', '%')} of peak"
    text = f"{before.value} → {after.value}: {loads}"
    deltas = sides.delta("dram_pct", "%"), sides.delta("sm_pct", "%")
    yield Finding(FindingCode.BOUND, Origin.SYMPTOM, text, deltas)


def _stalls(sides: Sides) -> Iterator[Finding]:
    """The reason whose share of all waiting grew the most. Shares of different countings are not compared."""
    before = {s.reason: s for s in sides.baseline.top_stalls}
    after = {s.reason: s for s in sides.candidate.top_stalls}
    if not before or not after or _source(before) != _source(after):
        return
    moved = {reason: _share(after, reason) - _share(before, reason) for reason in before | after}
    reason = max(moved, key=lambda r: (moved[r], r))
    if moved[reason] < _MOVED_PCT:
        return
    shares = [s[reason].share_pct if reason in s else None for s in (before, after)]
    told = [f"{share:.0f} %" if share is not None else "less than the four largest" for share in shares]
    words = f" ({STALL_WORDS[reason]})" if reason in STALL_WORDS else ""
    text = f"warps stall more on {reason}{words}: {told[0]} → {told[1]} of all stalls"
    delta = Delta(f"stall {reason}", shares[0], shares[1], "%")
    yield Finding(FindingCode.STALLS, Origin.SYMPTOM, text, (delta,), 0.25 * moved[reason] / 100)


def _source(stalls: dict[str, Stall]) -> str:
    return next(iter(stalls.values())).source


def _share(stalls: dict[str, Stall], reason: str) -> float:
    """In percent of all waiting. A reason that is not listed has at most the smallest share that is."""
    if reason in stalls:
        return stalls[reason].share_pct or 0.0
    return min(s.share_pct or 0.0 for s in stalls.values())


def _missing(sides: Sides) -> Iterator[Finding]:
    """What could not be compared, so that silence about it does not pass for sameness."""
    names = [name for field, name in _TELLING.items() if None in sides.values(field)]
    if names:
        yield Finding(FindingCode.NOT_BOTH, Origin.SYMPTOM, f"not in both profiles: {', '.join(names)}")


CAUSES: tuple[Callable[[Sides], Iterator[Finding]], ...] = (
    clocks,
    launch_shape,
    occupancy,
    local_memory,
    _work,
    coalescing,
    dram,
    caches,
    _bound,
    _stalls,
    _missing,
)
