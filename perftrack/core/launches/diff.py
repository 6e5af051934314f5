"""Why a launch is slower or faster than it was: what differs, ordered by how much of the change it explains.

Time is cycles over clock, so a clock's part is exact. What counters say about cycles is a bound, not a
measurement: a change of a resource counts by the logarithm of its ratio, times the share of the launch in which
that resource was busy (bytes: of DRAM, instructions: of the SMs) or in which nothing was (occupancy).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from perftrack.core.conditions import Conditions, conditions_of
from perftrack.core.launches.bands import band, changed, log_ratio
from perftrack.core.launches.causes import CAUSES
from perftrack.core.launches.findings import Delta, Finding, FindingCode, Origin
from perftrack.core.launches.launch import Launch, LaunchSummary, Profile
from perftrack.core.launches.match import LaunchPair, match_launches
from perftrack.core.launches.sides import Sides
from perftrack.core.units import format_change, format_value

UNKNOWN = Conditions(("it is not known how the profiles were taken",))


@dataclass(frozen=True, slots=True)
class PairDiff:
    """`headline`: what became of the launch's time; `findings`: why, the most explaining first."""

    pair: LaunchPair
    headline: Finding
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class ProfileDiff:
    """`added` are only in the candidate, `removed` only in the baseline."""

    pairs: tuple[PairDiff, ...]
    added: tuple[Launch, ...]
    removed: tuple[Launch, ...]
    conditions: Conditions


def diff_profiles(baseline: Profile, candidate: Profile) -> ProfileDiff:
    """Two profiles launch by launch."""
    conditions = conditions_of(baseline, candidate)
    match = match_launches(baseline.launches, candidate.launches)
    pairs = tuple(PairDiff(p, headline(p, conditions), explain(p)) for p in match.pairs)
    return ProfileDiff(pairs, match.added, match.removed, conditions)


def headline(pair: LaunchPair, conditions: Conditions = UNKNOWN) -> Finding:
    """What became of the launch's time. Durations count only where conditions let them; cycles always do."""
    sides = Sides.of(pair)
    b, c = sides.baseline, sides.candidate
    cycles = _change("cycles", b.cycles, c.cycles, "")
    duration = Delta("duration_s", b.duration_s, c.duration_s, "s")
    deltas = (duration, Delta("cycles", b.cycles, c.cycles, "cycle"))
    if conditions.comparable and b.duration_s is not None and c.duration_s is not None:
        text = _change("duration", b.duration_s, c.duration_s, "s", field="duration_s")
        told = f"{text}; {cycles}" if cycles else text
        return Finding(
            FindingCode.DURATION, Origin.SYMPTOM, told, deltas, log_ratio(b.duration_s, c.duration_s) or 0.0
        )
    why = "; ".join(conditions.obstacles) if conditions.obstacles else "not in both profiles"
    told = f"durations are not compared: {why}"
    told = f"{cycles}; {told}" if cycles else told
    return Finding(FindingCode.NO_DURATION, Origin.SYMPTOM, told, deltas, log_ratio(b.cycles, c.cycles) or 0.0)


def explain(pair: LaunchPair) -> tuple[Finding, ...]:
    """What differs between the two sides, the most explaining first.

    First comes what makes the launch slower where it is slower (faster where it is faster), by size; then what
    works against that; then what explains nothing. Equal code is said before all, and then no finding is put down
    to code.
    """
    sides = Sides.of(pair)
    found = [finding for cause in CAUSES for finding in cause(sides)]
    change = sides.change
    ordered = sorted(found, key=lambda f: (_rank(f, change), -abs(f.weight)))
    return (*_identity(sides), *ordered)


def _rank(finding: Finding, change: float | None) -> int:
    if finding.code is FindingCode.NOT_BOTH:
        return 3
    if finding.weight == 0.0:
        return 2
    return 0 if change is None or finding.weight * change > 0 else 1


def _identity(sides: Sides) -> Iterator[Finding]:
    """What is known of the machine code."""
    b, c = sides.baseline, sides.candidate
    if sides.same_code and sides.same_shape:
        yield Finding(
            FindingCode.SAME_CODE,
            Origin.ENVIRONMENT,
            f"the machine code ({b.code_hash}) and the launch shape are the same: a difference is input, clocks, "
            "device or noise, not code",
        )
    elif sides.same_code:
        yield Finding(
            FindingCode.SAME_CODE,
            Origin.ENVIRONMENT,
            f"the machine code ({b.code_hash}) is the same, launched with another shape",
        )
    elif b.code_hash and c.code_hash:
        yield Finding(
            FindingCode.CODE_CHANGED, Origin.CODE, f"the machine code changed ({b.code_hash} → {c.code_hash})"
        )


def _change(name: str, baseline: float | None, candidate: float | None, unit: str, field: str = "") -> str:
    """`cycles 245,846 → 339,000 (+38 %)`, and that it is noise where it is; empty where a side is missing."""
    if baseline is None or candidate is None:
        return ""
    shown = [f"{v:,.0f}" if not unit else format_value(v, unit) for v in (baseline, candidate)]
    moved = format_change(log_ratio(baseline, candidate))
    if changed(field or name, baseline, candidate):
        return f"{name} {shown[0]} → {shown[1]} ({moved})"
    return f"{name} {shown[0]} → {shown[1]} ({moved}: equal launches differ by {band(field or name)})"


def same_launch(baseline: LaunchSummary, candidate: LaunchSummary) -> bool:
    """Whether code and shape are known to be the same: such a pair cannot be a regression of the code."""
    same = bool(baseline.code_hash) and baseline.code_hash == candidate.code_hash
    shapes = (baseline.grid, baseline.block) == (candidate.grid, candidate.block)
    return same and shapes and baseline.grid is not None
