"""Migrations, and files that are no store of this perftrack."""

from __future__ import annotations

import sqlite3

import duckdb
import pytest

from perftrack.errors import StoreError, StoreMissingError, StoreVersionError
from perftrack.store import Store, connection, schema
from tests.store import builders

KNOWN = [(m.version, m.name) for m in schema.migrations()]
CURRENT, NEXT = len(KNOWN), len(KNOWN) + 1


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A perftrack with one migration more."""
    steps = (*schema.migrations(), schema.Migration(NEXT, "note", "ALTER TABLE runs ADD COLUMN note VARCHAR"))
    monkeypatch.setattr(schema, "migrations", lambda: steps)


def versions(store: Store) -> list[tuple[object, ...]]:
    with duckdb.connect(str(store.path), read_only=True) as db:
        return db.execute("SELECT version, name FROM perftrack_schema ORDER BY version").fetchall()


def test_a_new_store_has_every_migration(no_store: Store) -> None:
    no_store.add_run(builders.run())
    assert versions(no_store) == KNOWN
    assert [version for version, _ in KNOWN] == list(range(1, NEXT))
    assert KNOWN[0] == (1, "initial")


def test_an_older_store_is_migrated_on_writing(store: Store, request: pytest.FixtureRequest) -> None:
    store.add_run(builders.run(at=1))
    request.getfixturevalue("newer")
    # This test's migration adds a column that the writer does not fill.
    with connection.writing(store.path, 1.0):
        pass
    assert versions(store) == [*KNOWN, (NEXT, "note")]
    assert [r.started_at for r in store.runs()] == [1.0]


def test_an_older_store_is_refused_on_reading_with_what_upgrades_it(
    store: Store, request: pytest.FixtureRequest
) -> None:
    store.add_run(builders.run())
    before = store.path.read_bytes()
    request.getfixturevalue("newer")
    with pytest.raises(
        StoreVersionError, match=f"schema version {CURRENT}; this perftrack reads version {NEXT}"
    ) as caught:
        store.runs()
    assert "perftrack record" in str(caught.value.hint)
    assert store.path.read_bytes() == before


def test_a_migration_that_fails_changes_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add_run(builders.run(at=1))
    broken = schema.Migration(
        NEXT, "broken", "DROP VIEW v_runs; CREATE TABLE note (x INTEGER); SELECT * FROM nowhere"
    )
    steps = (*schema.migrations(), broken)
    with monkeypatch.context() as patch:
        patch.setattr(schema, "migrations", lambda: steps)
        with pytest.raises(StoreError, match="nowhere"):
            store.add_run(builders.run(at=2))
    assert versions(store) == KNOWN
    assert [r.started_at for r in store.runs()] == [1.0]


@pytest.mark.usefixtures("newer")
def test_a_newer_store_is_refused_and_left_alone(no_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with connection.writing(no_store.path, 1.0):
        pass
    before = no_store.path.read_bytes()
    monkeypatch.undo()
    for call in (no_store.runs, lambda: no_store.add_run(builders.run())):
        with pytest.raises(StoreVersionError, match=f"newer perftrack: schema version {NEXT}") as caught:
            call()
        assert "pip install --upgrade" in str(caught.value.hint)
    assert no_store.path.read_bytes() == before


FOREIGN = {
    "text": b"not a database\n" * 100,
    "short": b"DUCK",
    "zeros": b"\0" * 20_000,
    "parquet": b"PAR1" + b"\0" * 500 + b"PAR1",
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_file_that_is_no_database_is_refused_and_left_alone(no_store: Store, kind: str) -> None:
    no_store.path.write_bytes(FOREIGN[kind])
    for call in (no_store.runs, lambda: no_store.add_run(builders.run())):
        with pytest.raises(StoreVersionError, match="is not a DuckDB file"):
            call()
    assert no_store.path.read_bytes() == FOREIGN[kind]


def test_a_sqlite_database_is_refused_without_fetching_an_extension_for_it(no_store: Store) -> None:
    with sqlite3.connect(no_store.path) as db:
        db.execute("CREATE TABLE perftrack_schema (version INTEGER)")
    db.close()
    with pytest.raises(StoreVersionError, match="is not a DuckDB file"):
        no_store.runs()


def test_a_duckdb_file_of_something_else_is_refused_and_left_alone(no_store: Store) -> None:
    with duckdb.connect(str(no_store.path)) as db:
        db.execute("CREATE TABLE runs (x INTEGER)")
    before = no_store.path.read_bytes()
    for call in (no_store.runs, lambda: no_store.add_run(builders.run())):
        with pytest.raises(StoreVersionError, match="not a perftrack store"):
            call()
    assert no_store.path.read_bytes() == before


def test_a_file_of_a_newer_duckdb_says_what_to_upgrade(store: Store) -> None:
    store.add_run(builders.run())
    raw = bytearray(store.path.read_bytes())
    raw[12] = 250  # the storage version, behind the magic bytes
    store.path.write_bytes(raw)
    with pytest.raises(StoreError) as caught:
        store.runs()
    assert caught.value.hint


def test_an_empty_file_is_no_store_yet(no_store: Store) -> None:
    no_store.path.touch()
    with pytest.raises(StoreMissingError):
        no_store.runs()
    assert no_store.add_run(builders.run())
    assert len(no_store.runs()) == 1


def test_the_file_can_be_read_by_duckdb_1_5(no_store: Store) -> None:
    no_store.add_run(builders.run())
    with duckdb.connect(str(no_store.path), read_only=True) as db:
        ((tags,),) = db.execute("SELECT tags FROM duckdb_databases() WHERE NOT internal").fetchall()
    assert tags["storage_version"] == "v1.5.0+"
