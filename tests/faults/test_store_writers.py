"""Many writers at once, and writers that are killed: no run is lost, none is stored twice, nothing hangs."""

from __future__ import annotations

import signal
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from perftrack.store import Store
from perftrack.store.lock import lock_path
from tests.faults.processes import PRELUDE, started
from tests.store import builders

WRITE_SOME = (
    PRELUDE
    + """
store = Store(Path(sys.argv[1]))
for i in range(int(sys.argv[3])):
    print(add(store, 100 * int(sys.argv[2]) + i), flush=True)
"""
)
# Dies by its own hand in the middle of one of the statements of the transaction.
DIE = (
    PRELUDE
    + """
import os, signal
from perftrack.store import insertion, queries

class Dying:
    def __init__(self, db):
        self.db = db
    def execute(self, sql, *rest):
        if sql == getattr(queries, sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        return self.db.execute(sql, *rest)
    def register(self, *arguments):
        return self.db.register(*arguments)

insert = insertion.insert
insertion.insert = lambda db, *rest: insert(Dying(db), *rest)
add(Store(Path(sys.argv[1])), 50)
"""
)
# Says so when the run is committed, and is then killed before it could acknowledge it.
COMMITTED = (
    PRELUDE
    + """
import time
from perftrack.store import connection
from contextlib import contextmanager

opened = connection._opened
@contextmanager
def slow_to_close(path, *rest, **named):
    with opened(path, *rest, **named) as db:
        yield db
        if path.suffix == ".duckdb":
            print("committed", flush=True)
            time.sleep(60)
connection._opened = slow_to_close
add(Store(Path(sys.argv[1])), 60)
"""
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "perftrack.duckdb")


def test_eight_writers_lose_no_run_not_even_the_first(store: Store) -> None:
    with ExitStack() as stack:
        children = [stack.enter_context(started(WRITE_SOME, str(store.path), str(n), "3")) for n in range(8)]
        ids = [line for child in children for line in child.communicate(timeout=120)[0].split()]
        assert [c.returncode for c in children] == [0] * 8
    assert len(set(ids)) == 24
    assert {r.id for r in store.runs()} == set(ids)
    assert len(store.commits()) == 1
    assert len(store.fingerprints()) == 1


def test_readers_see_whole_runs_while_others_write(store: Store) -> None:
    store.add_run(builders.run(at=1))
    with started(WRITE_SOME, str(store.path), "1", "8") as writer:
        counts = []
        while writer.poll() is None:
            runs = store.runs()
            assert all(r.ok == 1 for r in runs)
            counts.append(len(runs))
        assert writer.returncode == 0
    assert counts == sorted(counts)
    assert len(store.runs()) == 9


def test_two_processes_that_store_the_same_run_store_it_once(store: Store) -> None:
    with ExitStack() as stack:
        children = [stack.enter_context(started(WRITE_SOME, str(store.path), "1", "3")) for _ in range(3)]
        assert [c.wait(60) for c in children] == [0, 0, 0]
    assert len(store.runs()) == 3
    assert all(r.ok == 1 for r in store.runs())


@pytest.mark.parametrize("where", ["SET_TEXTS", "INSERT_RUN", "INSERT_WINDOWS"])
def test_a_writer_killed_inside_its_transaction_leaves_the_store_as_it_was(store: Store, where: str) -> None:
    first = builders.run(at=1)
    store.add_run(first)
    with started(DIE, str(store.path), where) as child:
        assert child.wait(60) == -signal.SIGKILL
    quick = Store(store.path, wait_s=1)
    assert [r.id for r in quick.runs()] == [first.id]
    assert quick.commits() == ()
    second = builders.run(at=50)
    assert quick.add_run(second)
    assert quick.run(second.id) == second


def test_a_first_writer_killed_inside_its_transaction_leaves_a_store_that_works(store: Store) -> None:
    with started(DIE, str(store.path), "INSERT_WINDOWS") as child:
        assert child.wait(60) == -signal.SIGKILL
    assert store.runs() == ()
    assert store.add_run(builders.run())


def test_a_writer_killed_after_its_commit_has_stored_its_run_and_storing_it_again_changes_nothing(
    store: Store,
) -> None:
    store.add_run(builders.run(at=1))
    with started(COMMITTED, str(store.path)) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "committed\n"
        child.kill()
        child.wait()
    again = builders.run(at=60.0)
    assert [r.started_at for r in store.runs()] == [60.0, 1.0]
    assert not store.add_run(again, [builders.commit()])
    assert store.run(again.id) == again
    assert len(store.runs()) == 2


@pytest.mark.slow
def test_writers_killed_at_any_moment_leave_a_store_that_works(store: Store) -> None:
    store.add_run(builders.run(at=1))
    for n in range(12):
        with started(WRITE_SOME, str(store.path), str(n + 1), "50") as child:
            assert child.stdout is not None
            acknowledged = child.stdout.readline().strip()
            time.sleep(0.013 * n)
            child.kill()
            rest = child.stdout.read().split()
        stored = {r.id for r in store.runs()}
        assert {acknowledged, *rest[:-1]} <= stored
        assert all(r.ok == 1 for r in store.runs())
    assert store.add_run(builders.run(at=2))
    assert lock_path(store.path).read_text() == ""
