"""Profiles and their differences as JSON documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from perftrack.app.explanation import Side
from perftrack.core.caseroof import CaseRoof
from perftrack.core.launches.diff import PairDiff, ProfileDiff
from perftrack.core.launches.findings import Delta, Finding
from perftrack.core.launches.launch import Launch, Profile
from perftrack.core.launches.words import top_findings
from perftrack.core.roofline import Peak, Placement
from perftrack.ncu.document import launches_json


def profile_json(profile: Profile) -> dict[str, object]:
    """How a profile was taken, without its launches."""
    return {
        "case": profile.case_id or None,
        "run": profile.run_id or None,
        "source": profile.source,
        "taken_at": profile.taken_at or None,
        "dirty": profile.dirty,
        "ncu_version": profile.ncu_version or None,
        "clock_control": profile.clock_control or None,
        "cache_control": profile.cache_control or None,
        "collection": profile.collection or None,
        "limitations": list(profile.limitations),
    }


def case_launches_json(
    profiles: Iterable[Profile], roofs: Mapping[str, CaseRoof], *, all_metrics: bool = False
) -> list[dict[str, object]]:
    """Launches of all profiles in order, each with the case that it is of (null: of a file) and its roofline."""
    return [
        {"case": profile.case_id or None, **launch, "roofline": _placement_json(placed)}
        for profile in profiles
        for launch, placed in zip(
            launches_json(profile.launches, all_metrics=all_metrics),
            roofs.get(profile.case_id, CaseRoof()).over(profile),
            strict=True,
        )
    ]


def _placement_json(placed: Placement) -> dict[str, object]:
    """`fraction`: of the roof above the launch, which `side` and `against` name."""
    return {
        "against": placed.against.value,
        "side": placed.side.value if placed.side else None,
        "fraction": placed.fraction,
        "intensity_flop_per_byte": placed.intensity,
        "ridge_flop_per_byte": placed.ridge,
        "flops_per_s": placed.flops_per_s,
        "bytes_per_s": placed.bytes_per_s,
        "flops_source": placed.flops_source.value if placed.flops_source else None,
        "bytes_source": placed.bytes_source.value if placed.bytes_source else None,
        "time_source": placed.seconds_source,
        "compute_peak": _peak_json(placed.compute),
        "memory_peak": _peak_json(placed.memory),
        "missing": list(placed.missing),
    }


def _peak_json(peak: Peak | None) -> dict[str, object] | None:
    return None if peak is None else {"name": peak.name, "per_s": peak.value}


def side_json(side: Side) -> dict[str, object]:
    return {
        "name": side.name,
        "sha": side.commit.sha if side.commit else None,
        "profiles": [profile_json(p) for p in side.profiles],
    }


def diff_json(diff: ProfileDiff) -> dict[str, object]:
    """`comparable`: whether durations are; `weight`: a finding's part in the change of time, in log units."""
    return {
        "comparable": diff.conditions.comparable,
        "obstacles": list(diff.conditions.obstacles),
        "notes": list(diff.conditions.notes),
        "launches": [_pair_json(p) for p in diff.pairs],
        "added": [_identity_json(launch) for launch in diff.added],
        "removed": [_identity_json(launch) for launch in diff.removed],
    }


def findings_json(diff: ProfileDiff) -> list[dict[str, object]]:
    """The top findings, each with the launch that it is about."""
    return [{"kernel": launch.summary.kernel, **_finding_json(f)} for launch, f in top_findings(diff)]


def _pair_json(pair: PairDiff) -> dict[str, object]:
    return {
        **_identity_json(pair.pair.candidate),
        "baseline": _identity_json(pair.pair.baseline),
        "matched_by": pair.pair.likeness.value,
        "headline": _finding_json(pair.headline),
        "findings": [_finding_json(f) for f in pair.findings],
    }


def _identity_json(launch: Launch) -> dict[str, object]:
    summary = launch.summary
    return {
        "kernel": summary.kernel,
        "grid": list(summary.grid) if summary.grid else None,
        "block": list(summary.block) if summary.block else None,
        "nvtx": summary.nvtx or None,
        "occurrence": summary.occurrence,
        "code_hash": summary.code_hash or None,
    }


def _finding_json(finding: Finding) -> dict[str, object]:
    return {
        "code": finding.code.value,
        "origin": finding.origin.value,
        "message": finding.message,
        "weight": finding.weight,
        "deltas": [_delta_json(d) for d in finding.deltas],
    }


def _delta_json(delta: Delta) -> dict[str, object]:
    return {
        "field": delta.field,
        "baseline": delta.baseline,
        "candidate": delta.candidate,
        "unit": delta.unit or None,
    }
