"""Changes, creep and silence as JSON documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perftrack.app.creeping import CreepReport
from perftrack.app.detect import ChangeEvent
from perftrack.app.silences import SilenceReport
from perftrack.cli.documents import case_json
from perftrack.cli.ncu_documents import findings_json
from perftrack.cli.output import interval_json, reasons_json
from perftrack.core.changes.appraisal import CaseChange
from perftrack.core.model import Commit


def change_json(change: CaseChange, shas: Sequence[str]) -> dict[str, object]:
    """A change with the name that it keeps, and the commits that can be to blame."""
    return {
        "id": change.id,
        **found_json(change, shas),
        "candidates": [shas[at] for at in change.candidates],
        "known": change.known,
    }


def found_json(change: CaseChange, shas: Sequence[str]) -> dict[str, object]:
    place, found = change.place, change.change
    return {
        **case_json(change.case),
        "metric": change.series.metric,
        "unit": change.series.unit,
        "lane": change.trend.lane,
        "range": [shas[place.first], shas[place.last]],
        "most_likely": shas[place.most_likely],
        "probability": found.probability,
        "direction": found.direction.value,
        "verdict": change.verdict.value,
        "baseline_value": found.before,
        "candidate_value": found.after,
        "ratio": found.ratio,
        "interval": interval_json(found.interval),
        "p_value": found.p_value,
        "kind": found.kind.value,
        "standing": change.standing.value,
        "threshold": change.threshold,
        "reasons": reasons_json(change.reasons),
    }


def event_json(event: ChangeEvent, shas: Sequence[str], commits: Mapping[str, Commit]) -> dict[str, object]:
    commit = commits.get(shas[event.most_likely])
    return {
        "range": [shas[event.first], shas[event.last]],
        "commits": event.last - event.first + 1,
        "most_likely": shas[event.most_likely],
        "subject": commit.subject if commit else None,
        "candidates": [shas[at] for at in event.candidates],
        "changes": [change.id for change in event.changes],
        "hints": reasons_json(event.hints),
        "findings": {case: findings_json(diff) for case, diff in event.diffs.items()},
    }


def creep_json(report: CreepReport) -> dict[str, object]:
    own, seen = report.lane.series, report.creep
    return {
        "id": report.id,
        **case_json(own.case),
        "metric": own.metric,
        "lane": report.lane.trend.lane,
        "since": report.release.name,
        "since_sha": report.release.sha,
        "ratio": seen.ratio,
        "interval": interval_json(seen.interval),
        "p_value": seen.p_value,
        "threshold": report.lane.threshold,
        "known": report.known,
    }


def silence_json(report: SilenceReport, shas: Sequence[str]) -> dict[str, object]:
    silence = report.silence
    return {
        "id": silence.id,
        "kind": silence.kind.value,
        "name": silence.name or None,
        "device": silence.device or None,
        "last_at": silence.last_at,
        "last": None if silence.last is None else shas[silence.last],
        "missing_commits": silence.missing if silence.last is not None else None,
        "detail": report.detail or None,
        "known": report.known,
    }
