"""What a commit says and what it changed; and the folder in the repository that is nobody's but ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perftrack.errors import GitError
from perftrack.vcs.command import failed, git, readable
from perftrack.vcs.line import trees

# What a first commit is a change of, by the length of a SHA in the repository's object format.
EMPTY_TREES = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """Lines `added` and `removed`; None for a file that is not text."""

    path: str
    added: int | None
    removed: int | None


def changed_files(root: Path, before: str | None, after: str) -> tuple[ChangedFile, ...]:
    """Files that differ between two commits by SHA; most lines first. All of `after` where there is none before.

    Raises GitError.
    """
    before = before or EMPTY_TREES[len(after)]
    options = ("--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv")
    answer = git(root, ["diff", *options, before, after, "--"])
    if answer.status != 0:
        raise failed("diff", answer)
    found = []
    for entry in answer.out.split("\0"):
        if entry:
            added, removed, path = entry.split("\t", 2)
            text = added != "-"
            found.append(ChangedFile(readable(path), int(added) if text else None, int(removed) if text else None))
    return tuple(sorted(found, key=lambda f: (-((f.added or 0) + (f.removed or 0)), f.path)))


def changed_paths(root: Path, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Paths that differ between the two commits of each pair, by SHA; git is started twice for all of them.

    Raises GitError.
    """
    known = trees(root, (sha for pair in pairs for sha in pair))
    if lost := next((sha for pair in pairs for sha in pair if sha not in known), None):
        raise GitError(f"git cat-file: no commit {lost}")
    between = [(known[before], known[after]) for before, after in pairs]
    asked = [pair for pair in dict.fromkeys(between) if pair[0] != pair[1]]
    if not asked:
        return [()] * len(pairs)
    lines = "".join(f"{before} {after}\n" for before, after in asked)
    answer = git(root, ["diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff"], lines)
    if answer.status != 0:
        raise failed("diff-tree", answer)
    found = dict(zip(asked, _listed(answer.out), strict=True))
    return [found.get(pair, ()) for pair in between]


def _listed(out: str) -> list[tuple[str, ...]]:
    """Paths by pair of trees: a pair in a line, and of each file what differs, from a colon on, and its path."""
    found: list[list[str]] = []
    parts = iter(out.split("\0"))
    for part in parts:
        if not part.startswith(":"):
            found += [[] for _ in range(part.count("\n"))]
        if part.startswith(":") or "\n:" in part:
            found[-1].append(readable(next(parts)))
    return [tuple(paths) for paths in found]


def message_of(root: Path, sha: str) -> str:
    """The whole message of a commit by SHA. Raises GitError."""
    answer = git(root, ["log", "-1", "--format=%B", sha, "--"])
    if answer.status != 0:
        raise failed("log", answer)
    return readable(answer.out).strip()


def is_committed(root: Path, name: str) -> bool:
    """Whether a file, relative to the root, is what HEAD has of it: tracked, and without uncommitted changes."""
    tracked = git(root, ["ls-files", "--error-unmatch", "--", name]).status == 0
    return tracked and git(root, ["diff", "--quiet", "--no-ext-diff", "HEAD", "--", name]).status == 0


def private_folder(root: Path) -> Path:
    """`perftrack` inside the repository's Git folder, shared by its worktrees; maybe not there yet."""
    answer = git(root, ["rev-parse", "--git-common-dir"])
    if answer.status != 0:
        raise failed("rev-parse", answer)
    return (root / answer.out.removesuffix("\n")).resolve() / "perftrack"
