"""What Git is told to ignore, without a change to any file of the project."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from perftrack.errors import GitError
from perftrack.vcs.command import failed, git


def ensure(root: Path, names: Iterable[str]) -> None:
    """Add names, relative to the root, to .git/info/exclude unless they are ignored already."""
    names = [n for n in names if "\n" not in n]
    names = [n for n in names if git(root, ["check-ignore", "--no-index", "-q", "--", n]).status]
    patterns = ["/" + re.sub(r"([\\*?\[ ])", r"\\\1", n) for n in names]
    if not patterns:
        return
    place = git(root, ["rev-parse", "--git-path", "info/exclude"])
    if place.status != 0:
        raise failed("rev-parse", place)
    exclude = root / place.out.removesuffix("\n")
    try:
        before = exclude.read_text(errors="surrogateescape") if exclude.exists() else ""
        lines = "".join(f"{p}\n" for p in patterns if p not in before.splitlines())
        exclude.parent.mkdir(exist_ok=True)
        with exclude.open("a", errors="surrogateescape") as file:
            file.write(("\n" if before and not before.endswith("\n") else "") + lines)
    except OSError as error:
        raise GitError(
            f"cannot write {exclude}: {error.strerror}", f"Add to .gitignore: {' '.join(patterns)}"
        ) from error
