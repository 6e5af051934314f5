"""Values as JSON documents: the keys are the glossary's words with units as suffixes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from perftrack.cli.output import interval_json, reasons_json
from perftrack.core.fingerprint import EnvironmentFingerprint, FieldInfo, encode_value
from perftrack.core.history import lane_of
from perftrack.core.judgement import Judgement
from perftrack.core.model import Case, Commit, Measurement
from perftrack.core.share import Share


def commit_json(commit: Commit) -> dict[str, object]:
    return {
        "sha": commit.sha,
        "parents": list(commit.parents),
        "subject": commit.subject,
        "author": commit.author,
        "author_time": commit.author_time,
    }


def case_json(case: Case) -> dict[str, object]:
    return {"case": case.id, "benchmark": case.benchmark, "params": dict(case.params)}


def fingerprint_json(fingerprint: EnvironmentFingerprint | None) -> dict[str, object] | None:
    if fingerprint is None:
        return None
    return {"id": fingerprint.id, "key": fingerprint.key_id, "fields": fingerprint.to_dict()}


def measurement_json(
    measurement: Measurement, *, samples: bool = False, shares: Sequence[Share] | None = None
) -> dict[str, object]:
    """`shares`: of ceilings, the nearest first; None leaves them out."""
    document: dict[str, object] = {
        **case_json(measurement.case),
        "metric": measurement.metric,
        "status": measurement.status.value,
        "value": measurement.value,
        "interval": interval_json(measurement.interval),
        "unit": measurement.unit,
        "direction": measurement.direction.value,
        "tier": measurement.tier.value,
        "reasons": reasons_json(measurement.reasons),
        "limitations": reasons_json(measurement.limitations),
        "protocol": measurement.protocol.key,
        "lane": lane_of(measurement),
        "processes": len(measurement.processes),
        "samples": sum(len(w.samples) for p in measurement.processes for w in p.windows),
        "fingerprint": fingerprint_json(measurement.fingerprint),
    }
    if shares is not None:
        document["ceilings"] = [share_json(s) for s in shares]
    if measurement.output:
        document["output"] = measurement.output
    if samples:
        document["process_samples"] = [[list(w.samples) for w in p.windows] for p in measurement.processes]
    return document


def share_json(share: Share) -> dict[str, object]:
    ceiling = share.ceiling
    return {
        "ceiling": ceiling.name,
        "definition": ceiling.definition.value,
        "dtype": ceiling.dtype.value if ceiling.dtype else None,
        "share": share.value,
        "interval": interval_json(share.interval),
        "ceiling_value": ceiling.value,
        "unit": ceiling.definition.unit,
        "validated": ceiling.validated,
        "run": ceiling.run_id,
    }


def judgement_json(judged: Judgement, shares: Callable[[Measurement], Sequence[Share]]) -> dict[str, object]:
    """`shares` gives a measurement's shares of ceilings."""
    baseline, candidate = judged.baseline, judged.candidate
    return {
        **case_json(judged.subject.case),
        "metric": judged.subject.metric,
        "verdict": judged.verdict.value,
        "effect": judged.effect,
        "interval": interval_json(judged.interval),
        "speedup": judged.speedup,
        "p_value": judged.p_value,
        "minimum_detectable_effect": judged.mde,
        "lane_noise": None
        if judged.noise is None
        else {"deviation": judged.noise.sigma, "runs": judged.noise.runs, "equal_code_pairs": judged.noise.pairs},
        "threshold": judged.threshold,
        "baseline_value": baseline.value if baseline else None,
        "candidate_value": candidate.value if candidate else None,
        "unit": judged.subject.unit,
        "baseline_ceilings": [share_json(s) for s in shares(baseline)] if baseline else [],
        "candidate_ceilings": [share_json(s) for s in shares(candidate)] if candidate else [],
        "tier": judged.tier.value,
        "reasons": reasons_json(judged.reasons),
    }


def field_json(info: FieldInfo, fingerprint: EnvironmentFingerprint) -> dict[str, object]:
    return {
        "field": info.name,
        "label": info.label,
        "role": fingerprint.role(info).value,
        "value": encode_value(fingerprint.value(info.name)),
        "why": info.why,
    }
