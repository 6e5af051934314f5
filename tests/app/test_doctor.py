"""What doctor says of the project's own surroundings: store, disk, git."""

from __future__ import annotations

import os
import shutil
import time
from collections import namedtuple
from pathlib import Path

import pytest

from perftrack.app import doctor
from perftrack.core.checkup import Health
from perftrack.errors import UsageError
from perftrack.store import Store
from perftrack.store.lock import locked
from tests.store import builders

Usage = namedtuple("Usage", "total used free")


@pytest.mark.parametrize(
    ("free", "status"),
    [(2 << 30, Health.OK), (900 << 20, Health.WARN), (10 << 20, Health.FAIL)],
)
def test_space_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, status: Health) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(1 << 40, 0, free))
    found = doctor.check_disk(tmp_path / "x.duckdb")
    assert (found.status, found.numbers) == (status, {"free_bytes": float(free)})
    assert bool(found.advice) == (status is not Health.OK)


def test_the_disk_is_that_of_the_nearest_folder_that_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: asked.append(folder) or Usage(0, 0, 1 << 40))
    doctor.check_disk(tmp_path / "not" / "yet" / "x.duckdb")
    assert asked == [tmp_path]


@pytest.mark.parametrize("protected", ["", "x.duckdb"])
def test_a_store_that_can_t_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protected: str) -> None:
    path = tmp_path / "x.duckdb"
    path.touch()
    monkeypatch.setattr(os, "access", lambda asked, mode: Path(asked) != tmp_path / protected)
    found = doctor.check_store(Store(path))
    assert found.status is Health.FAIL
    assert "--store" in found.advice


def test_an_empty_file_is_a_store_that_is_not_there_yet(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    path.touch()
    assert doctor.check_store(Store(path)).status is Health.OK


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "x.duckdb").mkdir()
    found = doctor.check_store(Store(tmp_path / "x.duckdb"))
    assert found.status is Health.FAIL
    assert "a folder" in found.seen


def test_a_store_in_use_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "STORE_WAIT_S", 0.05)
    path = tmp_path / "x.duckdb"
    Store(path).add_run(builders.run())
    with locked(path, shared=False, deadline=time.monotonic() + 5, wait_s=5):
        started = time.monotonic()
        assert doctor.check_store(Store(path)).status is Health.WARN
        assert time.monotonic() - started < 30, "a checkup does not wait as a command does"
    assert doctor.check_store(Store(path)).status is Health.OK


def test_git_tells_its_version(tmp_path: Path) -> None:
    assert doctor.check_git(tmp_path).seen.startswith("git version ")


def test_a_kind_that_does_not_exist_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        doctor.check_up(tmp_path, None, "gpu", None)
