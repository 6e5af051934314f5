"""Puts what one run adds into the tables, inside the caller's transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perftrack.store import queries, rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def insert(db: DuckDBPyConnection, batch: rows.Batch, texts: str) -> None:
    db.execute(queries.SET_TEXTS, [texts])
    db.execute(queries.TEXT_MACRO)
    for name, columns in batch.tables.items():
        db.register(name, columns)
    run_id = {"run_id": batch.run["run_id"]}
    db.execute(queries.INSERT_COMMITS)
    db.execute(queries.INSERT_FINGERPRINTS)
    db.execute(queries.INSERT_CASES)
    db.execute(queries.INSERT_RUN, dict(batch.run))
    db.execute(queries.INSERT_MEASUREMENTS, run_id)
    db.execute(queries.INSERT_PROCESSES, run_id)
    db.execute(queries.INSERT_WINDOWS, run_id)
