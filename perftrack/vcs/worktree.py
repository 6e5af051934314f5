"""A worktree of a commit that leaves everything of the user's alone and is gone afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from perftrack.vcs.command import failed, git


@contextlib.contextmanager
def detached(root: Path, sha: str) -> Iterator[Path]:
    """A detached worktree in a private temporary folder; see Repository.worktree."""
    private = Path(tempfile.mkdtemp(prefix="perftrack-")).resolve()
    tree = str(private / f"perftrack-{sha[:12]}")
    try:
        added = git(root, ["worktree", "add", "--detach", "--", tree, sha])
        if added.status != 0:
            raise failed("worktree add", added)
        yield Path(tree)
    finally:
        removal = ["worktree", "remove", "--force", "--force", "--", tree]
        done = git(root, removal).status == 0
        _remove(private)
        if not done:  # a build left files that Git could not delete; now only its entry is left
            git(root, removal)


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
