"""A worktree of a commit that leaves everything of the user's alone and is gone afterwards."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from perftrack.vcs.command import failed, git

PREFIX = "perftrack-"
LOCK = "held"


@contextlib.contextmanager
def detached(root: Path, sha: str) -> Iterator[Path]:
    """A detached worktree in a private temporary folder; see Repository.worktree."""
    remove_abandoned(root)
    private = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
    tree = str(private / f"{PREFIX}{sha[:12]}")
    # Held as long as this process lives, however it ends: what is not held is nobody's any more.
    held = (private / LOCK).open("w")
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        added = git(root, ["worktree", "add", "--detach", "--", tree, sha])
        if added.status != 0:
            raise failed("worktree add", added)
        yield Path(tree)
    finally:
        removal = ["worktree", "remove", "--force", "--force", "--", tree]
        done = git(root, removal).status == 0
        _remove(private)
        held.close()
        if not done:  # a build left files that Git could not delete; now only its entry is left
            git(root, removal)


def remove_abandoned(root: Path) -> None:
    """Remove worktrees of ours whose process was killed before it could."""
    listed = git(root, ["worktree", "list", "--porcelain", "-z"])
    for entry in listed.out.split("\0"):
        if not entry.startswith("worktree "):
            continue
        tree = Path(entry.removeprefix("worktree "))
        if tree.name.startswith(PREFIX) and tree.parent.name.startswith(PREFIX) and _abandoned(tree.parent):
            git(root, ["worktree", "remove", "--force", "--force", "--", str(tree)])
            _remove(tree.parent)


def _abandoned(private: Path) -> bool:
    """True: no process holds the folder's lock. False: one does, or nothing is known of it."""
    try:
        with (private / LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove(folder: Path) -> None:
    """Delete a folder, whatever a build left in it: also folders that nobody may write to."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for path, names, _ in os.walk(folder):
            for name in names:
                inner = Path(path, name)
                if not inner.is_symlink():
                    inner.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
