"""Connections: what a store may reach, where it may lie, and who else may have it open."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import duckdb
import pytest

from perftrack.errors import StoreError, StoreLockedError, StoreMissingError
from perftrack.store import Store, connection
from tests.faults.processes import started
from tests.store import builders

OPEN_WITH_DUCKDB = """
import sys, duckdb
db = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "read")
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def store(store: Store) -> Store:
    """A store of one run, which does not wait long."""
    store.add_run(builders.run())
    return Store(store.path, wait_s=0.3)


REACHING = {
    "read": "SELECT * FROM read_text('{file}')",
    "csv": "SELECT * FROM '{file}'",
    "write": "COPY (SELECT 1) TO '{file}.out'",
    "attach": "ATTACH '{file}.db'",
    "extension": "INSTALL httpfs",
    "again": "SET enable_external_access = true",
    "glob": "SELECT * FROM glob('/*')",
}


@pytest.mark.parametrize("statement", REACHING.values(), ids=REACHING)
@pytest.mark.parametrize("opened", [connection.reading, connection.writing], ids=["reading", "writing"])
def test_a_store_reaches_no_other_file(store: Store, tmp_path: Path, statement: str, opened: object) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    with pytest.raises(StoreError), opened(store.path, 1.0) as db:  # type: ignore[operator]
        db.execute(statement.format(file=secret)).fetchall()
    assert {p.name for p in tmp_path.iterdir()} == {
        "secret.txt",
        "perftrack.duckdb",
        "perftrack.duckdb.lock",
        "perftrack.duckdb.queue",
    }


def test_a_view_that_was_planted_in_a_store_cannot_read_files(store: Store, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    with duckdb.connect(str(store.path)) as db:
        db.execute("DROP VIEW v_commits")
        db.execute(f"CREATE OR REPLACE VIEW v_runs AS SELECT content AS run_id FROM read_text('{secret}')")
    with pytest.raises(StoreError) as caught:
        store.runs()
    assert "secret\n" not in caught.value.message


@pytest.mark.parametrize("opened", [connection.reading, connection.writing], ids=["reading", "writing"])
def test_an_interrupted_query_is_no_error_of_the_store(store: Store, opened: object) -> None:
    endless = "SELECT count(*) FROM range(100000000) a, range(1000000) b WHERE a.range * b.range % 7 = 3"
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # workers of pytest-xdist ignore it
    try:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt), opened(store.path, 5.0) as db:  # type: ignore[operator]
            db.execute(
                "SET threads = 1"
            )  # DuckDB looks for signals only in the thread that asks, between its tasks
            db.execute(endless)
    finally:
        signal.signal(signal.SIGINT, before)


def test_readers_cannot_write(store: Store) -> None:
    with pytest.raises(StoreError, match="read-only"), connection.reading(store.path, 1.0) as db:
        db.execute("DELETE FROM runs")


def test_a_block_that_raises_stores_nothing(store: Store) -> None:
    with pytest.raises(RuntimeError), connection.writing(store.path, 1.0) as db:
        db.execute("DELETE FROM runs")
        raise RuntimeError
    assert len(store.runs()) == 1


@pytest.mark.parametrize(
    "name", ["temp", "main.duckdb", "a b'c\"d;x", "ü✓#1%20", ":memory:", "md:x", "*[1]", "runs.db"]
)
def test_a_store_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store(Path(name))
    run = builders.run()
    store.add_run(run)
    assert store.run(run.id) == run
    assert (tmp_path / name).is_file()


def test_a_question_mark_in_the_path_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a?b").mkdir()
    for path in (tmp_path / "x?.duckdb", tmp_path / "a?b" / "x.duckdb"):
        with pytest.raises(StoreError, match=r"'\?' in a path"):
            Store(path).add_run(builders.run())


def test_a_store_behind_a_symlink_is_that_store(store: Store, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(store.path)
    assert Store(tmp_path / "link").runs() == store.runs()


def test_a_dangling_symlink_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(StoreMissingError):
        Store(tmp_path / "link").runs()


@pytest.mark.parametrize(("how", "call"), [("write", "runs"), ("write", "add"), ("read", "add")])
def test_someone_who_ignores_the_lock_file_is_waited_for_and_named(store: Store, how: str, call: str) -> None:
    with started(OPEN_WITH_DUCKDB, str(store.path), how) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with pytest.raises(StoreLockedError, match=f"process {other.pid}"):
            _ = store.runs() if call == "runs" else store.add_run(builders.run(at=2))


def test_someone_who_ignores_the_lock_file_and_closes_in_time_does_no_harm(store: Store) -> None:
    patient = Store(store.path, wait_s=20)
    with started(OPEN_WITH_DUCKDB, str(store.path), "write") as other:
        assert other.stdout is not None
        assert other.stdin is not None
        other.stdout.readline()
        threading.Timer(0.3, other.stdin.close).start()
        assert patient.add_run(builders.run(at=2))


def test_a_connection_of_the_same_process_is_named(store: Store) -> None:
    with (
        duckdb.connect(str(store.path)),
        pytest.raises(StoreLockedError, match="another connection of this process"),
    ):
        store.runs()


def test_threads_read_and_write_at_once(store: Store) -> None:
    patient = Store(store.path)
    problems: list[BaseException] = []

    def work(n: int) -> None:
        try:
            patient.add_run(builders.run(at=10 + n))
            assert len(patient.runs()) >= 2
        except BaseException as error:  # noqa: BLE001
            problems.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert len(patient.runs()) == 7


def test_readers_wait_no_longer_than_they_were_told_to(store: Store) -> None:
    begin = time.monotonic()
    with connection.writing(store.path, 1.0), pytest.raises(StoreLockedError):
        store.runs()
    assert time.monotonic() - begin < 5


def test_a_log_without_its_store_is_not_thrown_away(tmp_path: Path) -> None:
    log = tmp_path / "perftrack.duckdb.wal"
    log.write_bytes(b"the last run")
    with pytest.raises(StoreError, match="the store it belongs to is not"):
        Store(tmp_path / "perftrack.duckdb").add_run(builders.run())
    assert log.read_bytes() == b"the last run"


def test_what_a_killed_first_writer_left_is_cleared_away(tmp_path: Path) -> None:
    for name in ("perftrack.duckdb.new", "perftrack.duckdb.new.wal"):
        (tmp_path / name).write_bytes(b"half")
    store = Store(tmp_path / "perftrack.duckdb")
    assert store.add_run(builders.run())
    assert {p.suffix for p in tmp_path.iterdir()} == {".duckdb", ".lock", ".queue"}
