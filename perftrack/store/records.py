"""Rows of the store as the values they were written from."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.history import Lane, RunSummary
from perftrack.core.model import (
    Cache,
    Case,
    Commit,
    Direction,
    Evidence,
    Interval,
    Measurement,
    MeasurementTier,
    ProcessSamples,
    Protocol,
    Reason,
    Run,
    Scalar,
    Status,
    Timer,
    Window,
)
from perftrack.store import queries

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Row = Sequence[Any]


def read_run(connection: DuckDBPyConnection, run_id: str) -> Run:
    """The run that is stored under exactly this id."""
    (row,) = connection.execute(queries.RUN, [run_id]).fetchall()
    connection.execute(queries.PICK_RUN, [run_id])
    sha, started_at, duration_s, seed, dirty, limitations, version, host, label, settings = row
    return Run(
        sha=sha,
        started_at=started_at,
        duration_s=duration_s,
        seed=seed,
        dirty=dirty,
        measurements=read_picked(connection),
        limitations=reasons(limitations),
        perftrack_version=version,
        host=host,
        label=label,
        settings=scalars(settings),
    )


def read_picked(connection: DuckDBPyConnection) -> tuple[Measurement, ...]:
    """The measurements that the temporary table `picked` names, in its order, with their samples."""
    environments = read_fingerprints(connection, queries.PICKED_FINGERPRINTS)
    windows: dict[tuple[int, int], list[Window]] = defaultdict(list)
    for pick, process, *rest in connection.execute(queries.PICKED_WINDOWS).fetchall():
        windows[pick, process].append(_window(rest))
    processes: dict[int, list[ProcessSamples]] = defaultdict(list)
    for pick, process, *rest in connection.execute(queries.PICKED_PROCESSES).fetchall():
        processes[pick].append(_process(rest, tuple(windows[pick, process])))
    rows = connection.execute(queries.PICKED_MEASUREMENTS).fetchall()
    return tuple(_measurement(rest, tuple(processes[pick]), environments) for pick, *rest in rows)


def read_fingerprints(connection: DuckDBPyConnection, query: str) -> dict[str, EnvironmentFingerprint]:
    rows = connection.execute(query).fetchall()
    return {fingerprint_id: fingerprint(fields) for fingerprint_id, fields in rows}


def fingerprint(fields: str) -> EnvironmentFingerprint:
    return EnvironmentFingerprint.from_dict(json.loads(fields))


# A store holds few distinct lists of reasons, and millions of points share them.
@lru_cache(maxsize=4096)
def reasons(text: str) -> tuple[Reason, ...]:
    return tuple(Reason(_text(r["code"]), _text(r["message"])) for r in json.loads(text))


def texts(text: str) -> tuple[str, ...]:
    return names(json.loads(text))


def names(items: object) -> tuple[str, ...]:
    if not isinstance(items, list):
        raise TypeError(f"not a list of texts: {items!r}")
    return tuple(_text(item) for item in items)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"not a text: {value!r}")
    return value


def scalars(text: str) -> dict[str, Scalar]:
    values = json.loads(text)
    if not isinstance(values, dict) or not all(
        v is None or isinstance(v, str | int | float) for v in values.values()
    ):
        raise TypeError(f"not an object of scalars: {text:.100}")
    return values


def interval(lo: float | None, hi: float | None) -> Interval | None:
    return None if lo is None or hi is None else Interval(lo, hi)


def case(benchmark: str, params: str, order: str) -> Case:
    """A case with its parameters in the order in which they were declared."""
    values = scalars(params)
    return Case(benchmark, tuple((name, values[name]) for name in json.loads(order)))


def _window(row: Row) -> Window:
    samples, clock_mhz, event_reasons, throttle_s, power_w, energy_j, temperature_c, host_s = row
    evidence = Evidence(tuple(clock_mhz), event_reasons, throttle_s, power_w, energy_j, temperature_c)
    return Window(tuple(map(float, samples)), evidence, host_s)


def _process(row: Row, windows: tuple[Window, ...]) -> ProcessSamples:
    index, inner_reps, warmup_calls, warmup_s, resolution_s, notes = row
    return ProcessSamples(index, windows, inner_reps, warmup_calls, warmup_s, resolution_s, reasons(notes))


def _measurement(
    row: Row, processes: tuple[ProcessSamples, ...], environments: Mapping[str, EnvironmentFingerprint]
) -> Measurement:
    (benchmark, params, param_order, metric, unit, direction, status, timer, cache, protocol_version, tier) = row[
        :11
    ]
    (fingerprint_id, value, lo, hi, why, limitations, threshold, flops, bytes_moved, tags) = row[11:21]
    source, code_hash, output = row[21:]
    return Measurement(
        case=case(benchmark, params, param_order),
        metric=metric,
        unit=unit,
        direction=Direction(direction),
        status=Status(status),
        protocol=Protocol(Timer(timer), Cache(cache), protocol_version),
        tier=MeasurementTier(tier),
        fingerprint=None if fingerprint_id is None else environments[fingerprint_id],
        value=value,
        interval=interval(lo, hi),
        reasons=reasons(why),
        limitations=reasons(limitations),
        processes=processes,
        threshold=threshold,
        flops=flops,
        bytes_moved=bytes_moved,
        tags=texts(tags),
        source=source,
        code_hash=code_hash,
        output=output,
    )


def summary(row: Row) -> RunSummary:
    run_id, sha, started_at, duration_s, dirty, host, label, version, limitations, ok, failed, skipped = row
    return RunSummary(
        run_id, sha, started_at, duration_s, dirty, host, label, version, reasons(limitations), ok, failed, skipped
    )


def commit(row: Row) -> Commit:
    sha, parents, author, author_time, commit_time, subject = row
    return Commit(sha, tuple(parents), author, author_time, commit_time, subject)


def lane(row: Row) -> Lane:
    lane_id, fields, timer, cache, protocol_version = row
    return Lane(lane_id, fingerprint(fields), Protocol(Timer(timer), Cache(cache), protocol_version))
