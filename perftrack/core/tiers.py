"""Which tier a measurement earns, and why. Standard library only.

The rule: throttling, or clocks that vary too much, is C; locked, stable, exclusive, replicated
and fully identified is A; everything else is B. Every step down has a reason code, and nothing in a
configuration can step up.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from perftrack.core.model import Evidence, MeasurementTier, Reason
from perftrack.core.reasons import reason

# A clock that moves 5 % within one window moves a compute-bound kernel by as much as the regressions
# people look for. Only within a window: what moves between windows and processes is in the interval.
TIER_C_CV_PCT = 5.0
# One step of the SM clock is 15 MHz on every NVIDIA data-centre part; a locked clock may toggle once.
TIER_A_RANGE_MHZ = 15.0
TIER_A_PROCESSES = 3

IDLE = 0x1
POWER_CAP = 0x4
HW_SLOWDOWN = 0x8
SYNC_BOOST = 0x10
FAULTS = {
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
}
# nvml.h: idle, application clocks, power cap, HW slowdown, sync boost, the three faults, display.
KNOWN_BITS = 0x1FF


class Exclusivity(StrEnum):
    """Whether other work shared the device. `UNKNOWN` is a value of its own: containers hide PIDs."""

    EXCLUSIVE = "exclusive"
    SHARED = "shared"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class TierEvidence:
    """What a tier is judged from.

    `windows` holds one Evidence per window over all processes; `company` says what `exclusivity` was judged from.
    """

    locked: bool
    windows: tuple[Evidence, ...]
    processes: int
    exclusivity: Exclusivity
    unknown_key_fields: tuple[str, ...] = ()
    no_evidence_why: str = "no telemetry for this device"
    dirty: bool = False
    company: str = ""


def assign_tier(locked: bool, clock_samples: Sequence[float], throttle_fired: bool) -> MeasurementTier:
    """Tier of one window from its clocks alone.

    `clock_samples` in MHz. C if throttled or the clock's CV is over TIER_C_CV_PCT; A if locked and
    the clock stayed within TIER_A_RANGE_MHZ; else B. Observed variance governs: throttle flags stay
    silent through swings that matter. `judge_tier` adds the evidence that a recorded tier needs.
    """
    if throttle_fired or _cv(clock_samples) > TIER_C_CV_PCT:
        return MeasurementTier.C
    if locked and clock_samples and max(clock_samples) - min(clock_samples) <= TIER_A_RANGE_MHZ:
        return MeasurementTier.A
    return MeasurementTier.B


def judge_tier(evidence: TierEvidence) -> tuple[MeasurementTier, tuple[Reason, ...]]:
    """Tier of a measurement with the reason for every step down (and for an A, what earned it)."""
    clocks = [c for w in evidence.windows for c in w.clock_mhz]
    faults = throttle_faults(evidence.windows)
    reasons: list[Reason] = []
    if faults:
        reasons.append(reason("throttled", bits=", ".join(faults)))
    # Under the power cap the clock moves by design: a saturated GEMM settles from 1980 to 1500 MHz within a
    # window on an H200. That is the sustained regime, tier B, and its variance is in the interval.
    uncapped = (w for w in evidence.windows if not (w.event_reasons or 0) & POWER_CAP)
    cv = max((_cv(w.clock_mhz) for w in uncapped), default=0.0)
    if cv > TIER_C_CV_PCT:
        reasons.append(reason("clock-unstable", cv_pct=cv, limit_pct=TIER_C_CV_PCT))
    if evidence.exclusivity is Exclusivity.SHARED:
        reasons.append(reason("device-shared", detail=evidence.company or "no details were kept"))
    if reasons:
        return MeasurementTier.C, tuple(reasons)
    reasons += _steps_below_a(evidence, clocks)
    if reasons:
        return MeasurementTier.B, tuple(reasons)
    spread = max(clocks) - min(clocks)
    return MeasurementTier.A, (reason("clocks-locked", range_mhz=spread),)


def _steps_below_a(evidence: TierEvidence, clocks: Sequence[float]) -> list[Reason]:
    reasons: list[Reason] = []
    blind = sum(not w.clock_mhz for w in evidence.windows)
    if not clocks:
        reasons.append(reason("no-clock-evidence", why=evidence.no_evidence_why))
    elif blind:
        why = f"{blind} of {len(evidence.windows)} windows have none"
        reasons.append(reason("no-clock-evidence", why=why))
    if not evidence.locked:
        reasons.append(reason("clocks-floating"))
    elif clocks and max(clocks) - min(clocks) > TIER_A_RANGE_MHZ:
        spread = max(clocks) - min(clocks)
        reasons.append(reason("clock-range", range_mhz=spread, limit_mhz=TIER_A_RANGE_MHZ))
    bits = 0
    for window in evidence.windows:
        bits |= window.event_reasons or 0
    if bits & POWER_CAP:
        reasons.append(reason("power-capped"))
    if unknown := bits & ~KNOWN_BITS:
        reasons.append(reason("unknown-event-reasons", bits=hex(unknown)))
    if evidence.processes < TIER_A_PROCESSES:
        reasons.append(reason("few-processes", count=evidence.processes, need=TIER_A_PROCESSES))
    if evidence.exclusivity is Exclusivity.UNKNOWN:
        reasons.append(reason("exclusivity-unknown", detail=evidence.company or "nothing was read of it"))
    if evidence.unknown_key_fields:
        reasons.append(reason("unknown-key-field", names=", ".join(evidence.unknown_key_fields)))
    if evidence.dirty:
        reasons.append(reason("dirty-tree"))
    return reasons


def throttle_faults(windows: Sequence[Evidence]) -> tuple[str, ...]:
    """Names of the faults seen. HW slowdown counts from its second window on: single reads flicker."""
    names: list[str] = []
    for bit, name in FAULTS.items():
        if any((w.event_reasons or 0) & bit for w in windows):
            names.append(name)
    if sum(bool((w.event_reasons or 0) & HW_SLOWDOWN) for w in windows) >= 2:
        names.append("hardware slowdown")
    grown = sum(w.throttle_s or 0.0 for w in windows)
    if grown > 0 and not names:
        names.append(f"{grown:.3g} s on the throttle counters")
    return tuple(names)


def joined(first: Evidence, second: Evidence) -> Evidence:
    """Evidence of two windows as of one: what holds for a value that was made from both."""

    def total(a: float | None, b: float | None) -> float | None:
        return b if a is None else a if b is None else a + b

    bits = [e.event_reasons for e in (first, second) if e.event_reasons is not None]
    heat = [e.temperature_c for e in (first, second) if e.temperature_c is not None]
    return Evidence(
        clock_mhz=first.clock_mhz + second.clock_mhz,
        event_reasons=bits[0] | bits[-1] if bits else None,
        throttle_s=total(first.throttle_s, second.throttle_s),
        energy_j=total(first.energy_j, second.energy_j),
        temperature_c=max(heat, default=None),
    )


def _cv(clocks: Sequence[float]) -> float:
    if len(clocks) < 2:
        return 0.0
    mean = statistics.fmean(clocks)
    return 100.0 * statistics.pstdev(clocks, mean) / mean if mean else 0.0
