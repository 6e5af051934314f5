"""Along a line of history: which tag came last, and which commits have the same files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from perftrack.vcs.command import failed, git, readable


def newest_tag(root: Path, revision: str) -> str | None:
    """Full name of the nearest tag in the history of a commit by SHA, other than its own; None without one."""
    answer = git(root, ["describe", "--tags", "--abbrev=0", f"{revision}^"])
    name = answer.out.removesuffix("\n")
    return f"refs/tags/{readable(name)}" if answer.status == 0 and name else None


def trees(root: Path, shas: Iterable[str]) -> dict[str, str]:
    """Hash of all files of each commit by SHA; what the clone lacks is left out."""
    asked = list(dict.fromkeys(shas))
    lines = "".join(f"{sha}^{{tree}}\n" for sha in asked)
    answer = git(root, ["cat-file", "--batch-check=%(objectname)"], lines)
    if answer.status != 0:
        raise failed("cat-file", answer)
    found = zip(asked, answer.out.splitlines(), strict=True)
    return {sha: tree for sha, tree in found if " " not in tree}
