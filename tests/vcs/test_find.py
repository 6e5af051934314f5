"""Which repository is meant, and what is said where there is none."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from perftrack.errors import GitError
from perftrack.vcs import Repository
from tests.vcs.conftest import Sandbox


def test_the_root_is_found_from_a_folder_below(empty: Sandbox) -> None:
    below = empty.root / "a" / "b"
    below.mkdir(parents=True)
    assert Repository.find(below).root == empty.root


def test_the_root_is_found_from_a_file(empty: Sandbox) -> None:
    (empty.root / "x.py").touch()
    assert Repository.find(empty.root / "x.py").root == empty.root


def test_the_root_of_a_linked_worktree_is_its_own(linear: tuple[Sandbox, list[str]], tmp_path: Path) -> None:
    linear[0].git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    assert Repository.find(tmp_path / "linked").root == tmp_path.resolve() / "linked"


def test_a_root_whose_name_is_not_ascii_is_kept(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "prüfstand ✓"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    assert Repository.find(root).root == root


def test_a_hooks_environment_does_not_choose_the_repository(
    linear: tuple[Sandbox, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox, shas = linear
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    assert sandbox.repository.root == sandbox.root
    assert sandbox.repository.resolve("HEAD") == shas[-1]
    assert sandbox.repository.is_dirty() == ()


def test_outside_a_repository_the_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(GitError, match=f"{tmp_path} is not in a Git repository") as caught:
        Repository.find(tmp_path)
    assert "git init" in str(caught.value.hint)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="there is no folder"):
        Repository.find(tmp_path / "no" / "where")


@pytest.mark.parametrize("where", [".", "objects"])
def test_a_bare_repository_is_refused(tmp_path: Path, where: str) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "bare")], check=True)
    with pytest.raises(GitError, match="without a working tree"):
        Repository.find(tmp_path / "bare" / where)


def test_the_git_folder_itself_is_refused(empty: Sandbox) -> None:
    with pytest.raises(GitError, match="without a working tree"):
        Repository.find(empty.root / ".git")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_another_user_is_refused_with_the_command_that_trusts_it(empty: Sandbox) -> None:
    for path in (empty.root, empty.root / ".git"):
        os.chown(path, 12345, 12345)
    with pytest.raises(GitError, match="another user owns it") as caught:
        Repository.find(empty.root)
    assert f"safe.directory {empty.root}" in str(caught.value.hint)


def test_without_git_that_is_said(empty: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    import git

    monkeypatch.setattr(git.Git, "GIT_PYTHON_GIT_EXECUTABLE", "no-such-git")
    with pytest.raises(GitError, match="no git command"):
        Repository.find(empty.root)
