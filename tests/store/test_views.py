"""The views that people query: each answers the question it is documented with."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import duckdb
import pytest

from perftrack.core.history import lane_of
from perftrack.core.model import Case, MeasurementTier, Status
from perftrack.store import Store
from tests.core.builders import HERE, failed, measured, process
from tests.store import builders

Query = Callable[[str], list[tuple[Any, ...]]]
A, B = "a" * 40, "b" * 40
LANE = lane_of(measured())


@pytest.fixture(scope="module")
def query(tmp_path_factory: pytest.TempPathFactory) -> Query:
    """Two runs of one commit, one of another, seen as anybody with DuckDB sees them."""
    store = Store(tmp_path_factory.mktemp("views") / "perftrack.duckdb")
    skipped = measured(status=Status.SKIPPED, case=Case("skip"), fingerprint=None)
    first = builders.run(measured(value=1.0), failed("boom"), skipped, at=1, label="one")
    second = builders.run(measured(value=2.0, processes=(process([1.0, 2.0], [3.0]), process([4.0]))), at=2)
    other = builders.run(measured(value=3.0, tier=MeasurementTier.C, case=Case("x")), at=3, sha=B)
    for run in (first, second, other):
        store.add_run(run, [builders.commit(A, subject="First"), builders.commit(B), builders.commit("c" * 40)])
    connection = duckdb.connect(str(store.path), read_only=True)
    return lambda sql: connection.execute(sql).fetchall()


def test_each_view_is_documented_with_a_question(query: Query) -> None:
    comments = dict(query("SELECT view_name, comment FROM duckdb_views() WHERE NOT internal"))
    assert len(comments) >= 8
    assert [
        name for name, comment in comments.items() if not name.startswith("v_") or "?" not in (comment or "")
    ] == []


def test_each_table_is_documented(query: Query) -> None:
    assert query("SELECT table_name FROM duckdb_tables() WHERE comment IS NULL") == []


def test_no_table_has_a_key_or_index(query: Query) -> None:
    """They make every checkpoint ten times slower."""
    assert query("SELECT * FROM duckdb_constraints() WHERE constraint_type <> 'NOT NULL'") == []
    assert query("SELECT * FROM duckdb_indexes()") == []


def test_v_runs(query: Query) -> None:
    assert query("SELECT sha, label, ok, failed, skipped FROM v_runs ORDER BY started_at_s") == [
        (A, "one", 1, 1, 1),
        (A, "", 1, 0, 0),
        (B, "", 1, 0, 0),
    ]


def test_v_history(query: Query) -> None:
    rows = query(
        "SELECT value, subject, lane_id FROM v_history WHERE case_id = 'work[n=8]' AND status = 'ok' ORDER BY 1"
    )
    assert rows == [(1.0, "First", LANE), (2.0, "First", LANE)]


def test_v_latest(query: Query) -> None:
    assert query(f"SELECT case_id, value FROM v_latest WHERE sha = '{A}' ORDER BY 1") == [
        ("skip", None),
        ("work[n=8]", 2.0),
    ]


def test_v_failures(query: Query) -> None:
    rows = query("SELECT case_id, status, reasons->>'$[0].message' FROM v_failures ORDER BY 1")
    assert rows == [("skip", "skipped", None), ("work[n=8]", "failed", "boom")]


def test_v_lanes(query: Query) -> None:
    rows = query("SELECT lane_id, key_id, timer, runs, measurements, fields->>'cpu_model' FROM v_lanes")
    assert rows == [(LANE, HERE.key_id, "host", 3, 4, "Test 9000")]


def test_v_commits(query: Query) -> None:
    assert query("SELECT sha, runs, ok FROM v_commits ORDER BY sha") == [(A, 2, 2), (B, 1, 1), ("c" * 40, 0, 0)]


def test_v_tiers(query: Query) -> None:
    rows = query("SELECT sha, lane_id, tier_a, tier_b, tier_c FROM v_tiers ORDER BY sha")
    assert rows == [(A, LANE, 0, 1, 0), (B, LANE, 0, 0, 1)]


def test_v_samples(query: Query) -> None:
    rows = query(
        "SELECT process_no, window_no, sample_no, sample FROM v_samples JOIN v_runs USING (run_id) "
        "WHERE started_at_s = 2 ORDER BY 1, 2, 3"
    )
    assert rows == [(0, 0, 0, 1.0), (0, 0, 1, 2.0), (0, 1, 0, 3.0), (1, 0, 0, 4.0)]


def test_every_view_is_tested_here() -> None:
    sql = resources.files("perftrack.store").joinpath("migrations/0001_initial.sql").read_text()
    views = set(re.findall(r"CREATE VIEW (v_\w+)", sql))
    assert views == {name.removeprefix("test_") for name in globals() if name.startswith("test_v_")}


def test_a_case_measured_again_in_one_run_counts_once(tmp_path: Path) -> None:
    store = Store(tmp_path / "perftrack.duckdb")
    store.add_run(builders.run(measured(value=1.0), dataclasses.replace(measured(value=2.0))))
    assert [m.value for m in store.measurements(A)] == [2.0]
