"""Ceilings as JSON documents."""

from __future__ import annotations

from dataclasses import asdict

from perftrack.app.ceiling import Taken
from perftrack.app.ceilingshow import ShownCeiling
from perftrack.app.deviceceilings import Part, spreads
from perftrack.cli.documents import fingerprint_json
from perftrack.cli.output import interval_json, reasons_json
from perftrack.core.ceiling import CeilingResult, CrossCheck, Shape


def taken_json(taken: Taken) -> dict[str, object]:
    runs = [stored[0].id if stored else None for stored in taken.runs]
    return {
        "commit": taken.commit.sha if taken.commit else None,
        "devices": [
            {
                "device": d.name,
                "run": run,
                "duration_s": d.duration_s,
                "failure": d.failure.message if d.failure else None,
                "searches": [_part_json(p) for p in d.parts],
            }
            for d, run in zip(taken.measured.devices, runs, strict=True)
        ],
        "spread": [
            {
                "definition": row.definition.value,
                "dtype": dtype.value if row.definition.unit == "flop/s" else None,
                "unit": row.definition.unit,
                "median": row.median,
                "spread": row.spread,
                "slowest": row.slowest[0],
                "slowest_value": row.slowest[1],
                "fastest": row.fastest[0],
                "fastest_value": row.fastest[1],
                "shapes_differ": row.shapes_differ,
                "partial": row.partial,
                "missing": list(row.missing),
            }
            for dtype, row in spreads(taken.measured.devices)
        ],
    }


def _part_json(part: Part) -> dict[str, object]:
    report = part.report
    return {
        "dtype": part.dtype.value,
        "search": part.search if report else None,
        "ending": report.ending.value if report else None,
        "shapes": report.shapes if report else 0,
        "bursts": report.bursts if report else 0,
        "product": part.facts.product,
        "telemetry": part.facts.telemetry or None,
        "fingerprint": fingerprint_json(part.fingerprint),
        "ceilings": [_result_json(r) for r in part.results],
        "crosscheck": [_crosscheck_json(c) for c in report.crosscheck] if report else [],
        "skipped": [{"shape": str(s.shape), "why": s.why} for s in report.skipped] if report else [],
        "warnings": reasons_json(part.warnings),
    }


def _result_json(result: CeilingResult) -> dict[str, object]:
    return {
        "definition": result.definition.value,
        "means": result.definition.sentence,
        "protocol": result.protocol,
        "dtype": result.dtype.value if result.dtype else None,
        "value": result.value,
        "interval": interval_json(result.interval),
        "unit": result.definition.unit,
        "peak": result.peak,
        "repeats": list(result.repeats),
        "shape": _shape_json(result.shape),
        "clock_mhz": result.clock_mhz,
        "power_w": result.power_w,
        "temperature_c": result.temperature_c,
        "validated": result.validated,
        "partial": result.partial,
        "warnings": reasons_json(result.warnings),
    }


def _crosscheck_json(row: CrossCheck) -> dict[str, object]:
    return {
        "shape": _shape_json(row.shape),
        "roles": [r.value for r in row.roles],
        "boost": asdict(row.boost) if row.boost else None,
        "saturated": asdict(row.saturated) if row.saturated else None,
        "ratio": row.ratio,
    }


def _shape_json(shape: Shape | None) -> list[int] | None:
    return [shape.m, shape.n, shape.k] if shape else None


def shown_json(shown: ShownCeiling) -> dict[str, object]:
    result, m = shown.result, shown.result.measurement
    return {
        "case": result.case.id,
        "definition": result.definition.value,
        "means": result.definition.sentence,
        "protocol": result.protocol,
        "dtype": result.dtype.value if result.dtype else None,
        "value": m.value,
        "interval": interval_json(m.interval),
        "unit": m.unit,
        "tier": m.tier.value,
        "reasons": reasons_json(m.reasons),
        "limitations": reasons_json(m.limitations),
        "peak": result.peak,
        "shape": _shape_json(result.shape),
        "clock_mhz": result.clock_mhz,
        "power_w": result.power_w,
        "validated": result.validated,
        "partial": result.partial,
        "run": shown.run_id,
        "sha": shown.sha,
        "started_at": shown.started_at,
        "in_force": shown.in_force,
        "fingerprint": fingerprint_json(result.fingerprint),
    }
