"""Which commits came after another: those whose history holds it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from perftrack.vcs.command import failed, git


def descending(root: Path, sha: str, tips: Iterable[str] = ()) -> frozenset[str]:
    """A commit and all that have it in their history, of those that a branch, a tag, HEAD or `tips` reach.

    Empty where the clone lacks the commit: it was rebased away, or is older than a shallow clone. `tips` are SHAs
    of commits; what the clone lacks of them is left out.
    """
    wanted = [sha, *dict.fromkeys(tips)]
    lines = "".join(f"{name}^{{commit}}\n" for name in wanted)
    listed = git(root, ["cat-file", "--batch-check=%(objectname)"], lines).out.splitlines()
    known = [line for line in listed if " " not in line]
    if not listed or " " in listed[0]:
        return frozenset()
    starts = "".join(f"{name}\n" for name in known)
    head = ["HEAD"] if git(root, ["rev-parse", "--verify", "--quiet", "HEAD"]).status == 0 else []
    answer = git(root, ["rev-list", "--ancestry-path", "--all", *head, "--stdin"], f"{starts}^{known[0]}\n")
    if answer.status != 0:
        raise failed("rev-list", answer)
    return frozenset((known[0], *answer.out.split()))


def introduced(root: Path, text: str, path: str) -> str | None:
    """The first commit of HEAD's history whose version of a file has a text; None where none has it."""
    answer = git(root, ["log", "--format=%H", "--topo-order", "--reverse", f"-S{text}", "HEAD", "--", path])
    if answer.status != 0:
        raise failed("log", answer)
    return next(iter(answer.out.split()), None)
