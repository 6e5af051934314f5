"""A run as columns: NumPy arrays of numbers, and one list of texts that integer columns point into."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perftrack.core.history import lane_of
from perftrack.core.model import Commit, Measurement, Run, Scalar
from perftrack.store.texts import Texts, canonical_json, canonical_params, case_key, check_text, reasons_json

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Everything that one run adds. `run`: its own row; `tables`: columns by table, one row an element.

    Columns that hold text are int32 codes into `texts`, from 1; 0 is NULL.
    """

    run: Mapping[str, Scalar]
    tables: Mapping[str, Columns]
    texts: tuple[str, ...]


def within_variance(measurement: Measurement) -> float | None:
    """Variance of ln(value) that the run's own processes explain: var(ln process values) / n.

    None with fewer than two processes, or a process without a positive value.
    """
    processes = measurement.processes
    if len(processes) < 2 or not all(p.windows and all(w.samples for w in p.windows) for p in processes):
        return None
    values = np.array(measurement.process_values)
    if (values <= 0).any():
        return None
    return float(np.log(values).var(ddof=1)) / len(values)


def batch(run: Run, run_id: str, commits: Iterable[Commit]) -> Batch:
    """Columns of a run and of the commits it names. Raises ValueError for what JSON cannot hold."""
    texts = Texts()
    tables = {
        "incoming_commits": commit_columns(commits, texts),
        "incoming_fingerprints": _fingerprints(run.measurements, texts),
        "incoming_cases": _cases(run.measurements, texts),
        "incoming_measurements": _measurements(run.measurements, texts),
        "incoming_processes": _processes(run.measurements, texts),
        **_windows(run.measurements),
    }
    row: dict[str, Scalar] = {
        "run_id": run_id,
        "sha": run.sha,
        "started_at_s": float(run.started_at),
        "duration_s": float(run.duration_s),
        "seed": run.seed,
        "dirty": run.dirty,
        "limitations": reasons_json(run.limitations),
        "perftrack_version": run.perftrack_version,
        "host": run.host,
        "label": run.label,
        "settings": canonical_json(dict(run.settings)),
    }
    for value in row.values():
        if isinstance(value, str):
            check_text(value)
    return Batch(row, tables, texts.all())


def _codes(texts: Texts, values: Iterable[str | None]) -> NDArray[np.int32]:
    return np.array([texts.code(v) for v in values], dtype=np.int32)


def _floats(values: Iterable[float | None]) -> NDArray[np.float64]:
    """NaN, which DuckDB takes for NULL, where there is no value."""
    return np.array([math.nan if v is None else v for v in values], dtype=np.float64)


def _ints(values: Iterable[int]) -> NDArray[np.int64]:
    return np.array(list(values), dtype=np.int64)


def commit_columns(commits: Iterable[Commit], texts: Texts) -> Columns:
    rows = list({c.sha: c for c in commits}.values())
    return {
        "sha": _codes(texts, (c.sha for c in rows)),
        "parents": _codes(texts, (" ".join(c.parents) for c in rows)),
        "author": _codes(texts, (c.author for c in rows)),
        "author_time_s": _ints(c.author_time for c in rows),
        "commit_time_s": _ints(c.commit_time for c in rows),
        "subject": _codes(texts, (c.subject for c in rows)),
    }


def _fingerprints(measurements: Sequence[Measurement], texts: Texts) -> Columns:
    # By object, not by value: to Python 1 and True are equal, to an environment they are not.
    objects = {id(m.fingerprint): m.fingerprint for m in measurements}
    rows = {f.id: f for f in objects.values() if f is not None}
    return {
        "fingerprint_id": _codes(texts, rows),
        "key_id": _codes(texts, (f.key_id for f in rows.values())),
        "fields": _codes(texts, (canonical_json(f.to_dict()) for f in rows.values())),
    }


def _cases(measurements: Sequence[Measurement], texts: Texts) -> Columns:
    rows = {case_key(m.case): m.case for m in measurements}
    return {
        "case_key": _codes(texts, rows),
        "case_id": _codes(texts, (c.id for c in rows.values())),
        "benchmark": _codes(texts, (c.benchmark for c in rows.values())),
        "params": _codes(texts, (canonical_params(c.params) for c in rows.values())),
    }


def _measurements(rows: Sequence[Measurement], texts: Texts) -> Columns:
    # Both ids hash the whole environment, an object that most measurements of a run share.
    shared = {(id(m.fingerprint), m.protocol): m for m in rows}
    lanes = {key: lane_of(m) for key, m in shared.items()}
    environments = {key: m.fingerprint.id if m.fingerprint else None for key, m in shared.items()}
    return {
        "measurement_no": np.arange(len(rows), dtype=np.int32),
        "case_key": _codes(texts, (case_key(m.case) for m in rows)),
        "param_order": _codes(texts, (canonical_json([name for name, _ in m.case.params]) for m in rows)),
        "metric": _codes(texts, (m.metric for m in rows)),
        "unit": _codes(texts, (m.unit for m in rows)),
        "direction": _codes(texts, (m.direction.value for m in rows)),
        "status": _codes(texts, (m.status.value for m in rows)),
        "timer": _codes(texts, (m.protocol.timer.value for m in rows)),
        "cache": _codes(texts, (m.protocol.cache.value for m in rows)),
        "protocol_version": _ints(m.protocol.version for m in rows),
        "lane_id": _codes(texts, (lanes[id(m.fingerprint), m.protocol] for m in rows)),
        "fingerprint_id": _codes(texts, (environments[id(m.fingerprint), m.protocol] for m in rows)),
        "tier": _codes(texts, (m.tier.value for m in rows)),
        "value": _floats(m.value for m in rows),
        "interval_lo": _floats(m.interval.lo if m.interval else None for m in rows),
        "interval_hi": _floats(m.interval.hi if m.interval else None for m in rows),
        "reasons": _codes(texts, (reasons_json(m.reasons) for m in rows)),
        "limitations": _codes(texts, (reasons_json(m.limitations) for m in rows)),
        "threshold": _floats(m.threshold for m in rows),
        "flops": _floats(m.flops for m in rows),
        "bytes_moved": _floats(m.bytes_moved for m in rows),
        "tags": _codes(texts, (canonical_json(list(m.tags)) for m in rows)),
        "source": _codes(texts, (m.source for m in rows)),
        "code_hash": _codes(texts, (m.code_hash for m in rows)),
        "output": _codes(texts, (m.output for m in rows)),
        "process_count": _ints(len(m.processes) for m in rows),
        "within_variance": _floats(within_variance(m) for m in rows),
    }


def _processes(measurements: Sequence[Measurement], texts: Texts) -> Columns:
    rows = [(i, j, p) for i, m in enumerate(measurements) for j, p in enumerate(m.processes)]
    return {
        "measurement_no": _ints(i for i, _, _ in rows),
        "process_no": _ints(j for _, j, _ in rows),
        "process_index": _ints(p.index for _, _, p in rows),
        "inner_reps": _ints(p.inner_reps for _, _, p in rows),
        "warmup_calls": _ints(p.warmup_calls for _, _, p in rows),
        "warmup_s": _floats(p.warmup_s for _, _, p in rows),
        "resolution_s": _floats(p.resolution_s for _, _, p in rows),
        "notes": _codes(texts, (reasons_json(p.notes) for _, _, p in rows)),
    }


def _windows(measurements: Sequence[Measurement]) -> dict[str, Columns]:
    rows = [
        (i, j, k, w)
        for i, m in enumerate(measurements)
        for j, p in enumerate(m.processes)
        for k, w in enumerate(p.windows)
    ]
    bits = [w.evidence.event_reasons for *_, w in rows]
    windows: Columns = {
        "row_no": np.arange(len(rows), dtype=np.int64),
        "measurement_no": _ints(i for i, _, _, _ in rows),
        "process_no": _ints(j for _, j, _, _ in rows),
        "window_no": _ints(k for _, _, k, _ in rows),
        "event_reasons": np.array([b or 0 for b in bits], dtype=np.uint64),
        "has_event_reasons": np.array([b is not None for b in bits], dtype=np.bool_),
        "throttle_s": _floats(w.evidence.throttle_s for *_, w in rows),
        "power_w": _floats(w.evidence.power_w for *_, w in rows),
        "energy_j": _floats(w.evidence.energy_j for *_, w in rows),
        "temperature_c": _floats(w.evidence.temperature_c for *_, w in rows),
        "host_s": _floats(w.host_s for *_, w in rows),
    }
    return {
        "incoming_windows": windows,
        "incoming_samples": _items([w.samples for *_, w in rows]),
        "incoming_clocks": _items([w.evidence.clock_mhz for *_, w in rows]),
    }


def _items(lists: Sequence[Sequence[float]]) -> Columns:
    """Lists of unequal length as flat columns: which row, which place, what value."""
    lengths = np.array([len(x) for x in lists], dtype=np.int64)
    flat = np.fromiter((v for x in lists for v in x), dtype=np.float64, count=int(lengths.sum()))
    return {
        "row_no": np.repeat(np.arange(len(lists), dtype=np.int64), lengths),
        "item_no": np.arange(len(flat), dtype=np.int64),
        "value": flat,
    }
