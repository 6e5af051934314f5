"""A real Git repository in tmp_path, apart from the configuration of whoever runs the tests."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from perftrack.vcs import Repository


@dataclass
class Sandbox:
    """Git commands in one folder, with a clock that each commit moves by a minute."""

    root: Path
    now: int = 1_700_000_000

    def git(self, *arguments: str, given: bytes | None = None, **environment: str) -> str:
        stamp = f"{self.now} +0000"
        dated = os.environ | {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp} | environment
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=dated, input=given, capture_output=True, check=True
        )
        return done.stdout.decode(errors="replace").strip()

    def commit(self, subject: str, *, at: int | None = None, **environment: str) -> str:
        self.now = self.now + 60 if at is None else at
        (self.root / "file.txt").write_text(subject)
        self.git("add", "file.txt")
        self.git("commit", "-q", "--allow-empty", "-m", subject, **environment)
        return self.git("rev-parse", "HEAD")

    def merge(self, *branches: str) -> str:
        self.now += 60
        self.git(
            "merge", "-q", "--no-ff", "-s", "ours" if len(branches) == 1 else "octopus", "-m", "Merge", *branches
        )
        return self.git("rev-parse", "HEAD")

    @property
    def repository(self) -> Repository:
        return Repository.find(self.root)


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [n for n in os.environ if n.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Ann Author")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ann@example.org")


@pytest.fixture
def empty(tmp_path: Path, apart: None) -> Sandbox:
    root = tmp_path.resolve() / "project"
    root.mkdir()
    sandbox = Sandbox(root)
    sandbox.git("init", "-q", "-b", "main")
    return sandbox


@pytest.fixture
def linear(empty: Sandbox) -> tuple[Sandbox, list[str]]:
    """Five commits in a row, oldest first."""
    return empty, [empty.commit(f"Change {i}") for i in range(5)]
