"""Series: the points of every metric of every case, read column by column and without samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from perftrack.core.history import Point, Series
from perftrack.core.model import Direction, Interval, MeasurementTier, Status
from perftrack.store import queries, records
from perftrack.store.garbage import no_collection

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Column = NDArray[Any]


def read_series(
    connection: DuckDBPyConnection, cases: Sequence[str] | None, benchmarks: Sequence[str] | None
) -> tuple[Series, ...]:
    """Series of some cases by their ids, of some benchmarks, or of all; points oldest run first."""
    wanted = {"cases": cases and list(cases), "benchmarks": benchmarks and list(benchmarks)}
    connection.execute(queries.PICK_SERIES, wanted)
    connection.execute(queries.PICK_SERIES_RUNS)
    connection.execute(queries.PICK_SERIES_FACETS)
    heads = connection.execute(queries.SERIES).fetchall()
    runs = connection.execute(queries.SERIES_RUNS).fetchall()
    facets = connection.execute(queries.SERIES_FACETS).fetchall()
    columns = connection.execute(queries.SERIES_POINTS).fetchnumpy()
    with no_collection():
        points = _points(columns, runs, facets)
    bounds = np.searchsorted(columns["series_no"], np.arange(len(heads) + 1)).tolist()
    return tuple(_series(head, points[bounds[i] : bounds[i + 1]]) for i, head in enumerate(heads))


def _series(head: Sequence[Any], points: tuple[Point, ...]) -> Series:
    benchmark, params, param_order, metric, unit, direction, tags, source, threshold = head
    return Series(
        case=records.case(benchmark, params, param_order),
        metric=metric,
        unit=unit,
        direction=Direction(direction),
        tags=records.texts(tags),
        source=source,
        points=points,
        threshold=threshold,
    )


def _points(
    columns: dict[str, Column], runs: Sequence[Sequence[Any]], facets: Sequence[Sequence[Any]]
) -> tuple[Point, ...]:
    run_no, facet_no = columns["run_no"], columns["facet_no"]
    run_ids, shas, started, dirty = (_spread([r[k] for r in runs], run_no) for k in range(4))
    statuses = _spread([Status(f[0]) for f in facets], facet_no)
    tiers = _spread([MeasurementTier(f[1]) for f in facets], facet_no)
    lanes = _spread([f[2] for f in facets], facet_no)
    why, limits = (_spread([records.reasons(f[k]) for f in facets], facet_no) for k in (3, 4))
    codes = _spread([f[5] for f in facets], facet_no)
    lo, hi = columns["interval_lo"], columns["interval_hi"]
    known = ~np.isnan(lo)
    intervals = np.full(len(lo), None, dtype=object)
    intervals[known] = list(map(Interval, lo[known].tolist(), hi[known].tolist()))
    return tuple(
        map(
            Point,
            run_ids,
            shas,
            started,
            dirty,
            statuses,
            _optional(columns["value"]),
            intervals.tolist(),
            tiers,
            why,
            limits,
            lanes,
            _optional(columns["within_variance"]),
            columns["process_count"].tolist(),
            codes,
        )
    )


def _spread(values: Sequence[Any], codes: Column) -> list[Any]:
    """values[code] for each code: points share the objects that they have in common."""
    table = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):  # assigned at once, tuples would become rows of a matrix
        table[i] = value
    return table[codes].tolist()  # type: ignore[no-any-return]


def _optional(column: Column) -> list[float | None]:
    """Floats with None for NaN."""
    values = column.astype(object)
    values[np.isnan(column)] = None
    return values.tolist()  # type: ignore[no-any-return]
