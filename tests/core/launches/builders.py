"""Launches for comparisons, each with the few values that a test is about."""

from __future__ import annotations

from perftrack.core.launches.diff import explain
from perftrack.core.launches.findings import Finding, FindingCode
from perftrack.core.launches.launch import Bound, Launch, LaunchSummary, Profile, Stall
from perftrack.core.launches.match import LaunchPair

# A memory-bound kernel as profiled: every field that causes look at.
USUAL: dict[str, object] = {
    "kernel": "copy(const float4 *, float4 *, int)",
    "grid": (65536, 1, 1),
    "block": (256, 1, 1),
    "device": "NVIDIA H200",
    "compute_cap": "9.0",
    "duration_s": 124e-6,
    "cycles": 244_000.0,
    "sm_clock_hz": 1.96e9,
    "dram_clock_hz": 3.2e9,
    "dram_read_bytes": 268e6,
    "dram_write_bytes": 245e6,
    "dram_bytes_per_s": 4.14e12,
    "dram_pct": 86.0,
    "sm_pct": 16.0,
    "mem_pct": 86.0,
    "l1_hit_pct": 0.0,
    "l2_hit_pct": 51.0,
    "l2_read_bytes": 268e6,
    "occupancy_achieved_pct": 78.0,
    "occupancy_theoretical_pct": 100.0,
    "occupancy_limiter": "warps",
    "registers": 16.0,
    "shared_bytes": 0.0,
    "waves": 62.0,
    "instructions": 8_388_608.0,
    "local_bytes": 0.0,
    "sectors_per_request": 16.0,
    "flops": 0.0,
    "bound": Bound.MEMORY,
}


def launch(**fields: object) -> Launch:
    return Launch(LaunchSummary(**(USUAL | fields)))  # type: ignore[arg-type]


def pair(baseline: dict[str, object] | None = None, **candidate: object) -> LaunchPair:
    """The usual launch with changes on the baseline, and further ones on the candidate."""
    before = baseline or {}
    return LaunchPair(launch(**before), launch(**(before | candidate)))


def findings(baseline: dict[str, object] | None = None, **candidate: object) -> dict[FindingCode, Finding]:
    """What differs, by code, in the order in which it is told."""
    return {f.code: f for f in explain(pair(baseline, **candidate))}


def profile(*launches: Launch, **fields: object) -> Profile:
    given: dict[str, object] = {"clock_control": "none", "cache_control": "all", "ncu_version": "2025.3.1.0"}
    return Profile("a" * 40, "copy", 1.0, launches, **(given | fields))  # type: ignore[arg-type]


def stall(reason: str, share: float, source: str = "pcsamp") -> Stall:
    return Stall(reason, share, share, source)
