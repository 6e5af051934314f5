"""Files that are not what a store should be: an error with a hint, never a traceback or a lost file."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from perftrack.errors import StoreError
from perftrack.store import Store
from tests.faults.processes import PRELUDE, started
from tests.store import builders

# Damaged files are opened in a process of their own: what they may break is not this one.
READ_ALL = (
    PRELUDE
    + """
from perftrack.errors import PerftrackError
for path in sys.argv[1:]:
    store = Store(Path(path), wait_s=1)
    newest = lambda: store.latest_run("a" * 40)
    for read in (store.runs, store.series, store.commits, store.lanes, store.case_ids, newest):
        try:
            read()
            print("read", end=" ")
        except PerftrackError as error:
            assert error.message and "\\n" not in error.message, error.message
            print("refused", end=" ")
    print(flush=True)
"""
)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("good") / "perftrack.duckdb"
    for at in range(3):
        Store(path).add_run(builders.run(at=at), [builders.commit()])
    return path


def read_all(*paths: Path) -> list[set[str]]:
    """For each file, what became of reading it in every way. Fails where that is anything but an answer."""
    with started(READ_ALL, *map(str, paths)) as child:
        out, _ = child.communicate(timeout=60)
        assert child.returncode == 0, f"died at {paths[out.count(chr(10))]}"
    answers = [line.split() for line in out.splitlines()]
    assert [len(a) for a in answers] == [6] * len(paths)
    return [set(a) for a in answers]


def test_a_good_file_is_read(good: Path) -> None:
    assert read_all(good) == [{"read"}]


def test_a_truncated_file_is_refused_or_read_never_a_traceback(good: Path, tmp_path: Path) -> None:
    whole = good.stat().st_size
    sizes = [13, 100, 4096, 5000, 12288, 100_000, 300_000, whole - 4096, whole - 1]
    paths = [tmp_path / f"{size}.duckdb" for size in sizes]
    for path, size in zip(paths, sizes, strict=True):
        shutil.copy(good, path)
        os.truncate(path, size)
    answers = dict(zip(sizes, read_all(*paths), strict=True))
    assert {size: a for size, a in answers.items() if size < 100_000 and a != {"refused"}} == {}


def test_a_file_with_wrong_bytes_is_refused_or_read_never_a_traceback(good: Path, tmp_path: Path) -> None:
    raw = good.read_bytes()
    paths = []
    for start in (20, 4096, 8192, 12288, 274_432, 536_576, 1_000_000, 2_000_000):
        path = tmp_path / f"{start}.duckdb"
        path.write_bytes(raw[:start] + bytes(255 - b for b in raw[start : start + 4000]) + raw[start + 4000 :])
        paths.append(path)
    assert "refused" in set().union(*read_all(*paths))


def test_writing_to_a_truncated_file_is_refused(good: Path, tmp_path: Path) -> None:
    path = tmp_path / "perftrack.duckdb"
    shutil.copy(good, path)
    os.truncate(path, 5000)
    before = path.read_bytes()
    with pytest.raises(StoreError) as caught:
        Store(path).add_run(builders.run(at=9))
    assert caught.value.hint
    assert path.read_bytes() == before


def test_a_log_that_is_damaged_does_not_take_the_store_with_it(good: Path, tmp_path: Path) -> None:
    path = tmp_path / "perftrack.duckdb"
    shutil.copy(good, path)
    (tmp_path / "perftrack.duckdb.wal").write_bytes(b"\xff" * 5000)
    assert read_all(path)[0] <= {"read", "refused"}


def test_a_folder_in_place_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "perftrack.duckdb").mkdir()
    for call in (Store(tmp_path / "perftrack.duckdb").runs, lambda: Store(tmp_path).add_run(builders.run())):
        with pytest.raises(StoreError, match="is a folder") as caught:
            call()
        assert "--store" in str(caught.value.hint)


def test_a_pipe_in_place_of_the_store_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "perftrack.duckdb")
    with pytest.raises(StoreError, match="not a regular file"):
        Store(tmp_path / "perftrack.duckdb").runs()


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError):
        Store(tmp_path / "file" / "perftrack.duckdb").add_run(builders.run())


def test_a_store_in_which_a_table_is_missing_is_refused(good: Path, tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "perftrack.duckdb"
    shutil.copy(good, path)
    with duckdb.connect(str(path)) as db:
        db.execute("DROP TABLE windows")
    with pytest.raises(StoreError) as caught:
        Store(path).latest_run("a" * 40)
    assert caught.value.hint


TAMPERED = {
    "status": "UPDATE measurements SET status = 'great'",
    "reasons": """UPDATE measurements SET reasons = '{"code": 1}'""",
    "params": "UPDATE cases SET params = '[]'",
    "fingerprint": """UPDATE fingerprints SET fields = '{"no such field": 1}'""",
    "environment": "DELETE FROM fingerprints",
    "order": """UPDATE measurements SET param_order = '["other"]'""",
    "settings": "UPDATE runs SET settings = '3'",
    "type": "ALTER TABLE windows ALTER samples TYPE VARCHAR USING 'x'",
}


@pytest.mark.parametrize("statement", TAMPERED.values(), ids=TAMPERED)
def test_content_that_perftrack_did_not_write_is_refused(good: Path, tmp_path: Path, statement: str) -> None:
    import duckdb

    path = tmp_path / "perftrack.duckdb"
    shutil.copy(good, path)
    with duckdb.connect(str(path)) as db:
        db.execute(statement)
    with pytest.raises(StoreError) as caught:
        Store(path).latest_run("a" * 40)
    assert str(path) in caught.value.message
