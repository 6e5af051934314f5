"""What a commit says and what it changed; and the folder in the repository that is nobody's but ours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from perftrack.vcs.command import failed, git, readable

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


def message_of(root: Path, sha: str) -> str:
    """The whole message of a commit by SHA. Raises GitError."""
    answer = git(root, ["log", "-1", "--format=%B", sha, "--"])
    if answer.status != 0:
        raise failed("log", answer)
    return readable(answer.out).strip()


def private_folder(root: Path) -> Path:
    """`perftrack` inside the repository's Git folder, shared by its worktrees; maybe not there yet."""
    answer = git(root, ["rev-parse", "--git-common-dir"])
    if answer.status != 0:
        raise failed("rev-parse", answer)
    return (root / answer.out.removesuffix("\n")).resolve() / "perftrack"
