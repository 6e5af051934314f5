from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scratch import git_environment

SCRIPT = Path(__file__).parents[2] / ".github" / "actions" / "perftrack" / "store.py"


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=root, env=git_environment(), check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    origin, here = tmp_path / "origin.git", tmp_path / "clone"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(origin))
    git(tmp_path, "clone", "-q", str(origin), str(here))
    git(here, "commit", "-q", "--allow-empty", "-m", "Start")
    git(here, "push", "-q", "origin", "HEAD:main")
    return here


def store(root: Path, what: str, file: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), what, "perftrack-data", str(file)],
        cwd=root, env=git_environment() | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_without_a_branch_one_starts_empty(clone: Path, tmp_path: Path) -> None:
    done = store(clone, "fetch", tmp_path / "s.duckdb")
    assert done.returncode == 0
    assert "starting with an empty store" in done.stdout
    assert not (tmp_path / "s.duckdb").exists()


def test_what_is_saved_is_fetched_byte_for_byte(clone: Path, tmp_path: Path) -> None:
    first = tmp_path / "s.duckdb"
    first.write_bytes(os.urandom(70_000) + b"\r\n\0")
    store(clone, "fetch", first)
    assert store(clone, "save", first).returncode == 0
    assert store(clone, "fetch", tmp_path / "again.duckdb").returncode == 0
    assert (tmp_path / "again.duckdb").read_bytes() == first.read_bytes()


def test_the_branch_stays_one_commit(clone: Path, tmp_path: Path) -> None:
    file = tmp_path / "s.duckdb"
    for content in (b"one", b"two"):
        store(clone, "fetch", tmp_path / "before")
        file.write_bytes(content)
        assert store(clone, "save", file).returncode == 0
    git(clone, "fetch", "-q", "origin", "perftrack-data:data")
    assert git(clone, "rev-list", "--count", "data") == "1"
    assert git(clone, "cat-file", "blob", "data:perftrack.duckdb") == "two"


def test_another_job_s_results_are_not_overwritten(clone: Path, tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    mine.write_bytes(b"mine")
    theirs.write_bytes(b"theirs")
    git(tmp_path, "clone", "-q", str(tmp_path / "origin.git"), str(tmp_path / "other"))
    assert store(clone, "fetch", tmp_path / "a").returncode == 0
    assert store(tmp_path / "other", "fetch", tmp_path / "b").returncode == 0
    assert store(tmp_path / "other", "save", theirs).returncode == 0
    done = store(clone, "save", mine)
    assert done.returncode != 0
    assert "run one job at a time" in done.stderr
    store(clone, "fetch", tmp_path / "now")
    assert (tmp_path / "now").read_bytes() == b"theirs"


def test_the_working_tree_and_the_index_are_not_touched(clone: Path, tmp_path: Path) -> None:
    (clone / "new.txt").write_text("staged")
    git(clone, "add", "new.txt")
    before = git(clone, "status", "--porcelain=v2", "--branch")
    file = tmp_path / "s"
    file.write_bytes(b"x")
    store(clone, "fetch", tmp_path / "f")
    assert store(clone, "save", file).returncode == 0
    assert git(clone, "status", "--porcelain=v2", "--branch") == before


def test_a_remote_that_does_not_answer_is_an_error_not_an_empty_store(clone: Path, tmp_path: Path) -> None:
    git(clone, "remote", "set-url", "origin", str(tmp_path / "gone.git"))
    done = store(clone, "fetch", tmp_path / "s")
    assert done.returncode != 0
    assert "::error::git ls-remote" in done.stderr


def test_a_store_too_large_for_github_is_refused(clone: Path, tmp_path: Path) -> None:
    file = tmp_path / "s"
    with file.open("wb") as out:
        out.truncate(100 * 2**20)
    done = store(clone, "save", file)
    assert done.returncode != 0
    assert "100" in done.stderr


def test_a_token_is_a_header_of_git_alone(clone: Path, tmp_path: Path) -> None:
    file = tmp_path / "s"
    file.write_bytes(b"x")
    done = store(clone, "save", file, TOKEN="hunter2", GIT_TRACE="1", GIT_TRACE_SETUP="1")
    assert done.returncode == 0
    assert "hunter2" not in done.stdout + done.stderr + (clone / ".git" / "config").read_text()
