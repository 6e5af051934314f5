"""Which commits have been measured, where, and in what."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from perftrack.core.ceiling import Definition
from perftrack.core.ceilingcase import BENCHMARK
from perftrack.core.coverage import Covered
from perftrack.core.renames import Renames
from perftrack.store import queries, records

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_CEILINGS: dict[str, object] = {"ceiling": BENCHMARK, "definitions": [d.value for d in Definition]}


def read_measured(db: DuckDBPyConnection, lanes: Collection[str] | None, *, clean: bool) -> frozenset[str]:
    wanted = {"lanes": None if lanes is None else list(lanes), "clean": clean} | _CEILINGS
    return frozenset(r[0] for r in db.execute(queries.MEASURED_SHAS, wanted).fetchall())


def read_covered(db: DuckDBPyConnection, renames: Renames) -> tuple[Covered, ...]:
    known = records.read_fingerprints(db, queries.FINGERPRINTS)
    rows = db.execute(queries.COVERED, _CEILINGS).fetchall()
    return tuple(
        Covered(run, sha, machine, known.get(environment), tuple(map(renames.case_id, cases)))
        for run, sha, machine, environment, cases in rows
    )
