"""From what the processes answered to measurements: estimate, tier, reasons and limitations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.app.visit import Outcome
from perftrack.core.company import Occupancy, worst
from perftrack.core.estimate import Estimate, estimate
from perftrack.core.fingerprint import EnvironmentFingerprint, differences
from perftrack.core.identity import round_samples
from perftrack.core.model import (
    Cache,
    Measurement,
    MeasurementTier,
    ProcessSamples,
    Protocol,
    Reason,
    Status,
    Timer,
)
from perftrack.core.paired import STOPPED
from perftrack.core.reasons import reason
from perftrack.core.tiers import TierEvidence, judge_tier
from perftrack.core.units import format_percent
from perftrack.suite.messages import CaseResult, Declared, Kind, MetricSamples
from perftrack.suite.selection import Selected


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What holds for every measurement of a run."""

    dirty: bool
    quick: bool
    threshold: float
    width: float | None = None  # the half-width up to which processes were added; None: a fixed number of them


def assemble(
    selected: Selected, outcomes: Sequence[Outcome], circumstances: Circumstances
) -> tuple[Measurement, ...]:
    """The measurements of one case, one per metric; one failed or skipped one where any process failed.

    A case that failed in one of its processes is failed as a whole: the others' numbers would be of the
    times that it happened to work.
    """
    for status in (Status.FAILED, Status.SKIPPED):
        for number, outcome in enumerate(outcomes, 1):
            if outcome.result.status is status:
                return (_unmeasured(selected, outcome, number, len(outcomes), circumstances),)
    environments = [EnvironmentFingerprint.from_dict(o.result.fingerprint) for o in outcomes]
    changed = [d for e in environments[1:] for d in differences(environments[0], e) if d.refuses]
    if changed:
        # Each process has its own order of cases: what one case's set-up switches, the next ones see or not.
        message = (
            f"the environment changed between the run's processes: {changed[0]}; if a benchmark's set-up "
            "changes it, undo that in its teardown, or change it for all at the top of the file"
        )
        bad = Outcome(CaseResult(Status.FAILED, message), "")
        return (_unmeasured(selected, bad, 1, 1, circumstances),)
    names = [m.metric for m in outcomes[0].result.metrics]
    if any([m.metric for m in o.result.metrics] != names for o in outcomes):
        bad = Outcome(CaseResult(Status.FAILED, "its processes reported different metrics"), "")
        return (_unmeasured(selected, bad, 1, 1, circumstances),)
    return tuple(
        _measured(selected, outcomes, [o.result.metrics[i] for o in outcomes], environments[0], circumstances)
        for i in range(len(names))
    )


def _measured(
    selected: Selected,
    outcomes: Sequence[Outcome],
    parts: Sequence[MetricSamples],
    environment: EnvironmentFingerprint,
    circumstances: Circumstances,
) -> Measurement:
    first, result = parts[0], outcomes[0].result
    processes = round_samples(tuple(p.process for p in parts), first.unit)
    estimated = estimate(processes, widen=1.0 if circumstances.width is None else STOPPED)
    company = worst([Occupancy(o.result.exclusivity, o.result.company) for o in outcomes])
    tier, reasons = judge_tier(
        TierEvidence(
            locked=all(o.result.locked for o in outcomes),
            windows=tuple(w.evidence for p in processes for w in p.windows),
            processes=len(processes),
            exclusivity=company.exclusivity,
            company=company.detail,
            unknown_key_fields=environment.unknown_key_fields,
            no_evidence_why=result.no_evidence_why or "no telemetry for this device",
            dirty=circumstances.dirty,
        )
    )
    limitations = (
        *estimated.limitations,
        *_limitations(selected, first.protocol, tier, circumstances),
        *_too_wide(estimated, circumstances.width),
        *_notes(processes),
    )
    declared = selected.declared
    return Measurement(
        case=selected.case,
        metric=first.metric,
        unit=first.unit,
        direction=first.direction,
        status=Status.OK,
        protocol=first.protocol,
        tier=tier,
        fingerprint=environment,
        value=estimated.value,
        interval=estimated.interval,
        reasons=reasons,
        limitations=limitations,
        processes=processes,
        threshold=_threshold(declared, circumstances),
        flops=result.flops if first.metric == "time" else None,
        bytes_moved=result.bytes_moved if first.metric == "time" else None,
        tags=declared.tags,
        source=declared.source,
        code_hash=declared.code_hash,
    )


def _limitations(
    selected: Selected, protocol: Protocol, tier: MeasurementTier, circumstances: Circumstances
) -> tuple[Reason, ...]:
    found: list[Reason] = []
    if protocol.timer.is_clock and tier is not MeasurementTier.A:
        found.append(reason("clocks-unlocked"))
    if protocol.timer is Timer.HOST:
        command = selected.declared.kind is Kind.COMMAND
        found.append(reason("process-start-included" if command else "host-timer"))
    if protocol.cache is Cache.HOT:
        found.append(reason("cache-hot"))
    if circumstances.quick:
        found.append(reason("quick"))
    if circumstances.dirty:
        found.append(reason("dirty"))
    return tuple(found)


def _too_wide(estimated: Estimate, width: float | None) -> tuple[Reason, ...]:
    got = estimated.relative_half_width
    if width is None or got <= width:
        return ()
    return (reason("width-target-missed", got=format_percent(100 * got), want_pct=100 * width),)


def _notes(processes: Sequence[ProcessSamples]) -> tuple[Reason, ...]:
    """Each process's notes once per code, the first process's wording."""
    by_code: dict[str, Reason] = {}
    for process in processes:
        for note in process.notes:
            by_code.setdefault(note.code, note)
    return tuple(by_code.values())


def _unmeasured(
    selected: Selected, outcome: Outcome, number: int, total: int, circumstances: Circumstances
) -> Measurement:
    declared, result = selected.declared, outcome.result
    failed = result.status is Status.FAILED
    where = f" (process {number} of {total})" if total > 1 and failed else ""
    code = "benchmark-failed" if failed else "benchmark-skipped"
    metric = {
        Kind.BENCHMARK: "time",
        Kind.METRIC: "value",
        Kind.COMMAND: "time" if declared.unit == "s" else "value",
    }
    return Measurement(
        case=selected.case,
        metric=metric[declared.kind],
        unit=declared.unit,
        direction=declared.direction,
        status=result.status,
        protocol=Protocol(_timer(declared), Cache.NONE),
        tier=MeasurementTier.C,
        fingerprint=None,
        reasons=(reason(code, detail=result.message + where),),
        threshold=_threshold(declared, circumstances),
        tags=declared.tags,
        source=declared.source,
        code_hash=declared.code_hash,
        output=outcome.output[-4000:],
    )


def _threshold(declared: Declared, circumstances: Circumstances) -> float:
    """The relative change that matters: any, of what is exact and declares no tolerance."""
    return declared.threshold or (0.0 if declared.exact else circumstances.threshold)


def _timer(declared: Declared) -> Timer:
    if declared.kind is not Kind.METRIC:
        return Timer.HOST
    return Timer.EXACT if declared.exact else Timer.VALUE
