"""An empty store for each test: made once, then copied, because making one takes longer than most tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from perftrack.store import Store, connection


@pytest.fixture(scope="session")
def _empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "perftrack.duckdb"
    with connection.writing(path, 1.0):
        pass
    return path


@pytest.fixture
def store(_empty: Path, tmp_path: Path) -> Store:
    """A store without runs."""
    path = tmp_path / "perftrack.duckdb"
    shutil.copy(_empty, path)
    return Store(path)


@pytest.fixture
def no_store(tmp_path: Path) -> Store:
    """The store of a path where there is none yet."""
    return Store(tmp_path / "perftrack.duckdb")
