"""Worktrees: the commit's files, nothing of the user's changed, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from perftrack.errors import GitError
from tests.vcs.conftest import Sandbox

Linear = tuple[Sandbox, list[str]]


@pytest.fixture(autouse=True)
def _own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


def leftovers(sandbox: Sandbox) -> list[str]:
    entries = sandbox.root / ".git" / "worktrees"
    listed = [p.name for p in entries.iterdir()] if entries.exists() else []
    return listed + [p.name for p in Path(tempfile.gettempdir()).iterdir()]


def test_a_worktree_holds_the_files_of_the_commit(linear: Linear) -> None:
    sandbox, shas = linear
    with sandbox.repository.worktree(shas[1]) as tree:
        assert (tree / "file.txt").read_text() == "Change 1"
        assert subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=tree, text=True).strip() == shas[1]
        assert not tree.is_relative_to(sandbox.root)
        assert tree.parent.stat().st_mode & 0o077 == 0
    assert not tree.exists()
    assert leftovers(sandbox) == []


def test_a_worktree_is_removed_when_the_block_raises(linear: Linear) -> None:
    sandbox, _ = linear
    for error in (ValueError, KeyboardInterrupt, SystemExit):
        with pytest.raises(error), sandbox.repository.worktree("HEAD"):
            raise error
    assert leftovers(sandbox) == []


def test_what_a_build_leaves_is_removed(linear: Linear) -> None:
    sandbox, _ = linear
    outside = sandbox.root.parent / "outside"
    outside.mkdir(mode=0o755)
    with sandbox.repository.worktree("HEAD") as tree:
        (tree / "build").mkdir()
        (tree / "build" / "x.o").touch()
        (tree / "link").symlink_to(outside)
        (tree / "file.txt").write_text("changed")
        (tree / "build").chmod(0o500)
        subprocess.run(["git", "worktree", "lock", str(tree)], cwd=sandbox.root, check=True)
    assert leftovers(sandbox) == []
    assert outside.stat().st_mode & 0o777 == 0o755


def test_a_worktree_whose_folder_went_away_leaves_no_entry(linear: Linear) -> None:
    sandbox, _ = linear
    with sandbox.repository.worktree("HEAD") as tree:
        subprocess.run(["rm", "-rf", str(tree.parent)], check=True)
    assert leftovers(sandbox) == []


def test_a_worktree_that_git_refuses_to_remove_is_removed(linear: Linear) -> None:
    sandbox, _ = linear
    with sandbox.repository.worktree("HEAD") as tree:
        (tree / ".git").unlink()
    assert leftovers(sandbox) == []


def test_the_users_own_worktrees_stay(linear: Linear, tmp_path: Path) -> None:
    sandbox, _ = linear
    mine = tmp_path / "mine"
    sandbox.git("worktree", "add", "-q", "--detach", str(mine))
    mine.rename(tmp_path / "on a disk that is not mounted")
    with sandbox.repository.worktree("HEAD"):
        pass
    assert leftovers(sandbox) == ["mine"]


def test_two_worktrees_of_one_commit_can_be_open_at_once(linear: Linear) -> None:
    sandbox, shas = linear
    with sandbox.repository.worktree(shas[2]) as one, sandbox.repository.worktree(shas[2]) as two:
        assert one != two
        assert (two / "file.txt").read_text() == "Change 2"
    assert leftovers(sandbox) == []


def test_nothing_of_the_user_changes(linear: Linear) -> None:
    sandbox, shas = linear
    (sandbox.root / "file.txt").write_text("stashed")
    sandbox.git("stash", "-q")
    (sandbox.root / "file.txt").write_text("staged")
    sandbox.git("add", "file.txt")
    (sandbox.root / "file.txt").write_text("in the tree")

    def state() -> tuple[object, ...]:
        index = sandbox.root / ".git" / "index"
        refs = sandbox.git("for-each-ref"), sandbox.git("stash", "list"), sandbox.git("reflog")
        return (*refs, (sandbox.root / ".git" / "HEAD").read_text(), index.read_bytes(), index.stat().st_mtime_ns)

    before = state()
    with sandbox.repository.worktree(shas[0]):
        assert state() == before
    assert state() == before
    assert (sandbox.root / "file.txt").read_text() == "in the tree"


def test_an_index_named_in_the_environment_is_left_alone(linear: Linear, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox, shas = linear
    index = sandbox.root / ".git" / "index"
    before = index.read_bytes()
    monkeypatch.setenv("GIT_DIR", str(sandbox.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    with sandbox.repository.worktree(shas[0]) as tree:
        assert (tree / "file.txt").read_text() == "Change 0"
    assert index.read_bytes() == before


@pytest.mark.parametrize("hook", ["post-checkout", "reference-transaction", "post-index-change"])
def test_no_hook_runs(linear: Linear, hook: str, tmp_path: Path) -> None:
    sandbox, _ = linear
    path = sandbox.root / ".git" / "hooks" / hook
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    path.chmod(0o755)
    with sandbox.repository.worktree("HEAD"):
        pass
    assert not (tmp_path / "ran").exists()


def test_an_unknown_revision_makes_no_folder(linear: Linear) -> None:
    with pytest.raises(GitError, match="'nope'"), linear[0].repository.worktree("nope"):
        pass
    assert leftovers(linear[0]) == []


def test_a_checkout_that_fails_says_why_and_leaves_nothing(linear: Linear) -> None:
    sandbox, _ = linear
    sandbox.git("config", "filter.broken.smudge", "false")
    sandbox.git("config", "filter.broken.required", "true")
    (sandbox.root / ".gitattributes").write_text("* filter=broken\n")
    (sandbox.root / "file.txt").write_text("filtered")
    sandbox.git("-c", "filter.broken.clean=cat", "add", "-A")
    sandbox.git("-c", "filter.broken.clean=cat", "commit", "-q", "-m", "Filter")
    failing = pytest.raises(GitError, match=r"git worktree add: \.gitattributes: smudge filter broken failed")
    with failing, sandbox.repository.worktree("HEAD"):
        pass
    assert leftovers(sandbox) == []


INTERRUPTED = """
import sys, tempfile
from pathlib import Path
from perftrack.vcs import Repository
tempfile.tempdir = sys.argv[2]
with Repository.find(Path(sys.argv[1])).worktree("HEAD"):
    print("inside", flush=True)
"""


def test_an_interrupt_while_git_checks_out_leaves_nothing(linear: Linear, tmp_path: Path) -> None:
    sandbox, _ = linear
    slow = tmp_path / "slow"
    slow.write_text(f"#!/bin/sh\ntouch '{tmp_path}/filtering'\nexec sleep 30\n")
    slow.chmod(0o755)
    sandbox.git("config", "filter.slow.smudge", str(slow))
    (sandbox.root / ".gitattributes").write_text("file.txt filter=slow\n")
    sandbox.git("add", "-A")
    sandbox.git("commit", "-q", "-m", "Filter")
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(sandbox.root), tempfile.gettempdir()],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not (tmp_path / "filtering").exists():
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)  # to Python alone, as a supervisor sends it
    out, err = child.communicate(timeout=15)
    assert b"KeyboardInterrupt" in err
    assert b"inside" not in out
    time.sleep(0.2)
    assert leftovers(sandbox) == []


def test_what_a_killed_process_left_is_removed_by_the_next_one(linear: Linear) -> None:
    sandbox, shas = linear
    code = (
        "import os, signal, sys, tempfile; from pathlib import Path; from perftrack.vcs import Repository\n"
        "tempfile.tempdir = sys.argv[3]\n"
        "with Repository.find(Path(sys.argv[1])).worktree(sys.argv[2]) as tree:\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code, sandbox.root, shas[0], tempfile.gettempdir()], check=False)
    assert len(leftovers(sandbox)) == 2
    with sandbox.repository.worktree(shas[1]):
        pass
    assert leftovers(sandbox) == []


def test_a_worktree_in_use_by_another_process_is_left_alone(linear: Linear) -> None:
    sandbox, shas = linear
    with sandbox.repository.worktree(shas[0]) as first, sandbox.repository.worktree(shas[1]):
        assert (first / "file.txt").exists()
