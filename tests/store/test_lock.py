"""The lock: who excludes whom, for how long one waits, and what is said then."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from perftrack.errors import StoreError, StoreLockedError
from perftrack.store.lock import backoff, lock_path, locked, queue_path
from tests.faults.processes import started

HOLD = """
import sys, time
from pathlib import Path
from perftrack.store.lock import locked
with locked(Path(sys.argv[1]), shared=sys.argv[2] == "shared", deadline=time.monotonic() + 10, wait_s=10):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "perftrack.duckdb"


@contextmanager
def held(path: Path, kind: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until the block ends."""
    with started(HOLD, str(path), kind) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield holder


def take(path: Path, *, shared: bool, wait_s: float = 0.05) -> None:
    with locked(path, shared=shared, deadline=time.monotonic() + wait_s, wait_s=wait_s):
        pass


def test_a_writer_excludes_writers_and_readers(path: Path) -> None:
    with held(path, "exclusive"):
        for shared in (False, True):
            with pytest.raises(StoreLockedError):
                take(path, shared=shared)


def test_readers_exclude_writers_but_not_readers(path: Path) -> None:
    with held(path, "shared"):
        take(path, shared=True)
        with pytest.raises(StoreLockedError):
            take(path, shared=False)


def test_two_threads_exclude_each_other_as_processes_do(path: Path) -> None:
    with (
        locked(path, shared=False, deadline=time.monotonic() + 1, wait_s=1),
        pytest.raises(StoreLockedError),
    ):
        take(path, shared=False)


def test_the_lock_is_free_after_the_block_even_if_it_raises(path: Path) -> None:
    with pytest.raises(RuntimeError), locked(path, shared=False, deadline=time.monotonic(), wait_s=0):
        raise RuntimeError
    take(path, shared=False, wait_s=0)


def test_the_error_names_the_holder_and_the_lock_file(path: Path) -> None:
    with held(path, "exclusive") as holder, pytest.raises(StoreLockedError) as caught:
        take(path, shared=True)
    assert f"process {holder.pid}" in caught.value.message
    assert str(lock_path(path)) in caught.value.message
    assert "0.05 s" in caught.value.message
    assert caught.value.hint


def test_a_holder_that_was_killed_has_no_lock(path: Path) -> None:
    with held(path, "exclusive") as holder:
        holder.kill()
        holder.wait()
        take(path, shared=False)


def test_a_dead_writers_name_is_not_blamed_on_readers(path: Path) -> None:
    with held(path, "exclusive") as holder:
        holder.kill()
        holder.wait()
    assert str(holder.pid) in lock_path(path).read_text()
    with held(path, "shared"), pytest.raises(StoreLockedError) as caught:
        take(path, shared=False)
    assert str(holder.pid) not in caught.value.message
    assert "another process" in caught.value.message


def test_a_writer_leaves_no_name_behind(path: Path) -> None:
    take(path, shared=False)
    assert lock_path(path).read_text() == ""


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff\xfe", b"12 other-host\n", b"-1 x"])
def test_whatever_the_lock_file_says_a_locked_store_is_said_to_be_locked(path: Path, content: bytes) -> None:
    with held(path, "exclusive"):
        lock_path(path).write_bytes(content)
        with pytest.raises(StoreLockedError):
            take(path, shared=False)


def test_a_waiter_gets_the_lock_as_soon_as_it_is_free(path: Path) -> None:
    with held(path, "exclusive") as holder:
        assert holder.stdin is not None
        threading.Timer(0.3, holder.stdin.close).start()
        begin = time.monotonic()
        take(path, shared=False, wait_s=10)
        assert 0.2 < time.monotonic() - begin < 5


def test_a_waiting_writer_comes_before_readers_that_ask_later(path: Path) -> None:
    with held(path, "shared") as first:
        order: list[str] = []

        def waiter(name: str, shared: bool) -> threading.Thread:
            def work() -> None:
                with locked(path, shared=shared, deadline=time.monotonic() + 20, wait_s=20):
                    order.append(name)

            thread = threading.Thread(target=work)
            thread.start()
            return thread

        writer = waiter("writer", shared=False)
        time.sleep(0.2)
        readers = [waiter("reader", shared=True) for _ in range(4)]
        time.sleep(0.3)
        assert order == []  # readers wait behind the writer although readers hold the lock
        assert first.stdin is not None
        first.stdin.close()
        for thread in (writer, *readers):
            thread.join()
    assert order == ["writer", *["reader"] * 4]


def test_a_folder_that_is_not_there_is_an_error_of_the_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot open the lock file") as caught:
        take(tmp_path / "no" / "perftrack.duckdb", shared=False)
    assert "--store" in str(caught.value.hint)


def test_lock_files_lie_beside_the_store(path: Path) -> None:
    take(path, shared=False)
    assert {p.name for p in path.parent.iterdir()} == {"perftrack.duckdb.lock", "perftrack.duckdb.queue"}
    assert queue_path(path).read_bytes() == b""


def test_pauses_grow_to_a_limit() -> None:
    pauses = backoff()
    first = [next(pauses) for _ in range(30)]
    assert first == sorted(first)
    assert 0 < first[0] < 0.01
    assert first[-1] <= 0.05
