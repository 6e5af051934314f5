"""A folder that cannot be written, and a disk that is full: nothing stored is lost, and what to do is said."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from perftrack.core.model import Run
from perftrack.store import Store
from tests.faults.processes import PRELUDE, started
from tests.store import builders

# Root may write anywhere, so the child becomes somebody else first.
AS_NOBODY = (
    PRELUDE
    + """
import os
import duckdb
from perftrack.errors import PerftrackError
from perftrack.store import schema
schema.migrations()  # before rights are dropped: these files may be root's
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
store = Store(Path(sys.argv[1]), wait_s=2)
for call in (store.runs, lambda: add(store, 2)):
    try:
        print("done", len(call()))
    except PerftrackError as error:
        print(type(error).__name__, error.message, error.hint, sep=" | ")
"""
)
LARGE = """
import random
from perftrack.errors import PerftrackError
from tests.core.builders import process

def large(at, samples):
    draw = random.Random(at).random  # what cannot be compressed fills a disk sooner
    return builders.run(measured(processes=(process([draw() for _ in range(samples)]),)), at=at)
"""
LIMITED = (
    PRELUDE
    + LARGE
    + """
import resource
limit = Path(sys.argv[1]).stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    print(Store(Path(sys.argv[1])).add_run(large(2, int(sys.argv[2]))))
except PerftrackError as error:
    print(type(error).__name__, error.message, error.hint, sep=" | ")
"""
)
FILL = (
    PRELUDE
    + LARGE
    + """
store = Store(Path(sys.argv[1]))
try:
    for at in range(1000):
        run = large(at, 100_000) if at else builders.run()
        store.add_run(run)
        print(run.id, flush=True)
except PerftrackError as error:
    print(type(error).__name__, error.message, error.hint, sep=" | ")
"""
)


def answers(code: str, *arguments: str) -> list[str]:
    with started(code, *arguments) as child:
        out, _ = child.communicate(timeout=120)
        assert child.returncode == 0
        return out.splitlines()


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that another user can get to (pytest keeps its own to itself), with a store in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        Store(folder / "perftrack.duckdb").add_run(builders.run(at=1))
        yield folder
        folder.chmod(0o755)


def test_in_a_folder_that_cannot_be_written_reading_works_and_writing_says_why(open_to_all: Path) -> None:
    for path in open_to_all.iterdir():
        path.chmod(0o444)
    open_to_all.chmod(0o555)
    read, write = answers(AS_NOBODY, str(open_to_all / "perftrack.duckdb"))
    assert read == "done 1"
    assert write.startswith("StoreError | ")
    assert "Permission denied" in write
    assert "--store" in write


def test_reading_needs_no_lock_file(open_to_all: Path) -> None:
    for suffix in (".lock", ".queue"):
        (open_to_all / f"perftrack.duckdb{suffix}").unlink()
    open_to_all.chmod(0o555)
    read, _ = answers(AS_NOBODY, str(open_to_all / "perftrack.duckdb"))
    assert read == "done 1"
    assert {p.name for p in open_to_all.iterdir()} == {"perftrack.duckdb"}


def test_a_store_that_cannot_be_read_says_so(open_to_all: Path) -> None:
    (open_to_all / "perftrack.duckdb").chmod(0o000)
    for line in answers(AS_NOBODY, str(open_to_all / "perftrack.duckdb")):
        assert line.startswith("StoreError | ")
        assert "ermission" in line


@pytest.fixture
def one_run(tmp_path: Path) -> tuple[Store, Run]:
    store, run = Store(tmp_path / "perftrack.duckdb"), builders.run(at=1)
    store.add_run(run)
    return store, run


def test_a_run_that_may_not_be_written_whole_is_not_there_and_the_others_are(one_run: tuple[Store, Run]) -> None:
    store, first = one_run
    (said,) = answers(LIMITED, str(store.path), "400000")
    assert said.startswith("StoreError | ")
    assert "free space" in said
    assert [r.id for r in store.runs()] == [first.id]
    assert store.run(first.id) == first
    assert store.add_run(builders.run(at=3))
    assert len(store.runs()) == 2


def test_a_run_that_only_fitted_into_the_log_is_stored(one_run: tuple[Store, Run]) -> None:
    store, first = one_run
    assert answers(LIMITED, str(store.path), "100000") == ["True"]
    assert [r.started_at for r in store.runs()] == [2.0, 1.0]
    assert store.add_run(builders.run(at=3))
    assert store.run(first.id) == first
    assert len(store.runs()) == 3


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("may not mount a small disk here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_keeps_every_run_that_was_acknowledged(small_disk: Path) -> None:
    *acknowledged, said = answers(FILL, str(small_disk / "perftrack.duckdb"))
    assert said.startswith("StoreError | ")
    assert "free space" in said
    store = Store(small_disk / "perftrack.duckdb")
    assert acknowledged
    assert set(acknowledged) <= {r.id for r in store.runs()}
    assert all(r.ok == 1 for r in store.runs())


def test_a_disk_too_small_for_a_store_says_so_and_keeps_none(small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(bytes(8 * 2**20 - 40_960))
    path = small_disk / "perftrack.duckdb"
    (said,) = answers(FILL, str(path))
    assert said.startswith("StoreError | ")
    assert not path.exists()
    (small_disk / "ballast").unlink()
    assert Store(path).add_run(builders.run())
