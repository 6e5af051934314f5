"""The points of all series at once, as columns: one scan of the measurements, and no text in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.history import Lane, Series, reading_order
from perftrack.core.model import Case, Direction, MeasurementTier, Status
from perftrack.core.pointtable import Facet, PointTable, RunDetail, RunKey
from perftrack.core.renames import Renames, identity
from perftrack.store import queries, records, table_queries

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_COLUMNS = ("run", "facet", "value", "lo", "hi", "within", "processes")


def read_table(connection: DuckDBPyConnection, renames: Renames) -> PointTable:
    """Every point of every series, oldest run first; under present names, as Renames.series has it.

    Series are in reading order by the names that they were recorded under.
    """
    connection.execute(table_queries.TABLE_RUNS)
    connection.execute(table_queries.TABLE_SERIES)
    connection.execute(table_queries.TABLE_FACETS)
    found = [_head(row) for row in connection.execute(table_queries.TABLE_HEADS).fetchall()]
    runs = tuple(RunKey(*row) for row in connection.execute(table_queries.RUNS).fetchall())
    facets = tuple(_facet(row) for row in connection.execute(table_queries.FACETS).fetchall())
    columns = connection.execute(table_queries.TABLE_POINTS).fetchnumpy()
    # In the order that most readers want: to bring a million points into another takes longer than all else here.
    heads = tuple(sorted(found, key=lambda head: reading_order(head.case, head.metric, head.unit)))
    rank = {id(head): at for at, head in enumerate(heads)}
    series = np.array([rank[id(head)] for head in found], dtype=np.int32)[columns.pop("series")]
    order = _by_series(series, columns.pop("place"))
    numbers = {name: columns.pop(name)[order] for name in _COLUMNS}
    bounds = np.concatenate(([0], np.cumsum(np.bincount(series, minlength=len(heads)))))
    table = PointTable(heads, runs, facets, bounds.astype(np.int64), **numbers)
    return _renamed(table, renames) if renames.present else table


def _by_series(series: NDArray[np.int32], place: NDArray[np.int64]) -> NDArray[np.intp]:
    """Positions of the points by series and by place in the record: sorted here, for DuckDB sorts whole rows.

    Rows come as they were recorded, which mostly is by place, and integers of two bytes are sorted in one pass.
    """
    narrow = series.astype(np.uint16) if not len(series) or series.max() < 1 << 16 else series
    if (np.diff(place) >= 0).all():
        return np.argsort(narrow, kind="stable")
    first = np.argsort(place, kind="stable")
    order: NDArray[np.intp] = first[np.argsort(narrow[first], kind="stable")]
    return order


def read_lanes(connection: DuckDBPyConnection) -> tuple[Lane, ...]:
    """Lanes in order of first appearance, each with its newest environment."""
    return tuple(records.lane(row) for row in connection.execute(table_queries.LANES).fetchall())


def _renamed(table: PointTable, renames: Renames) -> PointTable:
    groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for at, head in enumerate(table.heads):
        groups[identity(renames.case(head.case), head.metric)].append(at)
    heads, parts = [], []
    for group in groups.values():
        own_first = sorted(group, key=lambda at: table.heads[at].case.benchmark in renames.present)
        newest = max(own_first, key=lambda at: int(table.run[table.span(at)][-1]))
        heads.append(replace(table.heads[newest], case=renames.case(table.heads[newest].case)))
        parts.append(_joined(table, own_first))
    order = np.concatenate(parts)
    return table.chosen(tuple(heads), np.cumsum([0, *map(len, parts)], dtype=np.int64), order)


def _joined(table: PointTable, group: Sequence[int]) -> NDArray[np.int64]:
    """Points of several series as one's: of a run that two have, the first one's."""
    points = np.zeros(0, dtype=np.int64)
    for at in group:
        span = table.span(at)
        own = np.arange(span.start, span.stop)
        points = np.concatenate((points, own[~np.isin(table.run[own], table.run[points])]))
    return points[np.argsort(table.run[points], kind="stable")]


def _head(row: tuple[str, str, str, str, str, str, str, str, float | None]) -> Series:
    benchmark, params, param_order, metric, unit, direction, tags, source, threshold = row
    case = records.case(benchmark, params, param_order)
    return Series(case, metric, unit, Direction(direction), records.texts(tags), source, (), threshold)


def _facet(row: tuple[str, str, str, str, str, str]) -> Facet:
    status, tier, lane, reasons, limitations, code_hash = row
    why, limits = records.reasons(reasons), records.reasons(limitations)
    return Facet(Status(status), MeasurementTier(tier), lane, why, limits, code_hash)


def read_details(connection: DuckDBPyConnection, renames: Renames) -> dict[str, RunDetail]:
    """Of every run by id: its settings, its environments with their lanes, and what its cases printed."""
    fingerprints = records.read_fingerprints(connection, queries.FINGERPRINTS)
    settings = dict(connection.execute(table_queries.SETTINGS).fetchall())
    environments: dict[str, list[tuple[EnvironmentFingerprint, tuple[str, ...]]]] = defaultdict(list)
    for run_id, fingerprint_id, lanes in connection.execute(table_queries.ENVIRONMENTS).fetchall():
        environments[run_id].append((fingerprints[fingerprint_id], tuple(lanes)))
    sampled = {row[0] for row in connection.execute(table_queries.SAMPLED).fetchall()}
    outputs: dict[str, dict[tuple[Case, str], str]] = defaultdict(dict)
    for run_id, benchmark, params, order, metric, output in connection.execute(table_queries.OUTPUTS).fetchall():
        outputs[run_id][renames.case(records.case(benchmark, params, order)), metric] = output
    return {
        run_id: RunDetail(records.scalars(own), tuple(environments[run_id]), outputs[run_id], run_id in sampled)
        for run_id, own in settings.items()
    }
