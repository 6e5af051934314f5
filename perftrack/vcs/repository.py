"""The user's Git repository: its history, its revisions, its changes.

Text from outside (revisions, paths) is data: it is checked, or comes after `--`, and is never an option.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from perftrack.core.model import Commit
from perftrack.errors import GitError
from perftrack.vcs import ignore, worktree
from perftrack.vcs.command import Answer, failed, git, readable

_FIELDS = ("%H", "%P", "%an", "%at", "%ct", "%s")
_FORMAT = "--format=tformat:" + "%x00".join(_FIELDS)
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository with a working tree, whose top is `root`."""

    root: Path

    @classmethod
    def find(cls, start: Path) -> Repository:
        """The repository around `start`. Raises GitError outside one, or in one without a working tree."""
        folder = start if start.is_dir() else start.parent
        if not folder.is_dir():
            raise GitError(f"there is no folder {folder}")
        answer = git(folder, ["rev-parse", "--show-toplevel"])
        if answer.status == 0:
            return cls(Path(os.fsdecode(answer.out.removesuffix("\n").encode(errors="surrogateescape"))))
        if "must be run in a work tree" in answer.err:
            raise GitError(
                f"{folder} is in a Git repository without a working tree",
                "Run perftrack in a checkout of it (git worktree add), not in a bare repository or in .git.",
            )
        if "dubious ownership" in answer.err:
            raise GitError(
                f"Git does not trust the repository at {folder}: another user owns it",
                f"If you do: git config --global --add safe.directory {folder.resolve()}",
            )
        if "not a git repository" in answer.err:
            raise GitError(f"{folder} is not in a Git repository", "Run perftrack in one, or git init first.")
        raise failed("rev-parse", answer)

    def resolve(self, revision: str) -> str:
        """SHA of the commit that a branch, tag, abbreviation or expression names.

        Raises GitError for one that is unknown, ambiguous, or names no commit.
        """
        if revision.startswith("-") or "\0" in revision:
            raise GitError(f"{revision!r} is not a revision")
        answer = self._ask("rev-parse", "--verify", "--end-of-options", revision + "^{commit}")
        if "is ambiguous" in answer.err:
            hint = "Give more digits of a SHA, or a full name: refs/heads/… or refs/tags/…."
            raise GitError(f"revision {revision!r} is ambiguous", hint)
        sha = answer.out.strip()
        if answer.status == 0 and _SHA.fullmatch(sha):
            return sha
        if revision == "HEAD" and self._ask("symbolic-ref", "--quiet", "HEAD").status == 0:
            raise GitError(f"{self.root} has no commit yet", "Commit something first.")
        hint = "git log --oneline --all lists what there is."
        if self.is_shallow():
            hint = "The clone is shallow. Get the rest of its history with: git fetch --unshallow --tags"
        raise GitError(f"there is no commit {revision!r} in {self.root}", hint)

    def commit(self, revision: str) -> Commit:
        """The commit of one revision; see `resolve`."""
        return self.commits((revision,))[0]

    def commits(self, revisions: Iterable[str]) -> tuple[Commit, ...]:
        """The commits of revisions, in their order; see `resolve`."""
        named = tuple(revisions)
        # A list of a thousand SHAs is looked up at once; the rest is resolved name by name.
        full = "".join(f"{r}\n" for r in named if _SHA.fullmatch(r))
        objects = self._run("cat-file", "--batch-check=%(objectname) %(objecttype)", given=full).splitlines()
        plain = {sha for sha, _, kind in (line.partition(" ") for line in objects) if kind == "commit"}
        shas = [r if r in plain else self.resolve(r) for r in named]
        if not shas:
            return ()
        lines = "".join(f"{sha}\n" for sha in shas)
        found = {c.sha: c for c in _parse(self._run("log", "--no-walk", "-z", _FORMAT, "--stdin", given=lines))}
        return tuple(found[sha] for sha in shas)

    def log(
        self,
        head: str = "HEAD",
        *,
        excluding: str | None = None,
        first_parent: bool = True,
        limit: int | None = None,
    ) -> tuple[Commit, ...]:
        """Commits back from `head`, newest first: no parent before its child, whatever their clocks said.

        `excluding`: a revision whose own history is left out, as Git's `excluding..head` does.
        """
        ends = self._ends(head, excluding)
        return _parse(self._run("log", "-z", _FORMAT, *_walk(first_parent, limit), *ends, "--"))

    def history(
        self,
        head: str = "HEAD",
        *,
        excluding: str | None = None,
        first_parent: bool = True,
        limit: int | None = None,
    ) -> tuple[str, ...]:
        """SHAs back from `head`, in the order of `log`."""
        ends = self._ends(head, excluding)
        return tuple(self._run("rev-list", *_walk(first_parent, limit), *ends, "--").split())

    def _ends(self, head: str, excluding: str | None) -> list[str]:
        return [self.resolve(head)] + ([] if excluding is None else ["^" + self.resolve(excluding)])

    def order(self, shas: Iterable[str]) -> tuple[str, ...]:
        """The commits oldest first, parents before children.

        Those that no branch, tag or HEAD reaches (force-pushed away, never fetched) are not in history:
        they come last, in the order given.
        """
        wanted = dict.fromkeys(shas)
        tips = ["--all", "HEAD"] if self._ask("rev-parse", "--verify", "HEAD").status == 0 else ["--all"]
        oldest_first = self._run("rev-list", "--topo-order", "--reverse", *tips, "--").split()
        known = dict.fromkeys(sha for sha in oldest_first if sha in wanted)
        return (*known, *(sha for sha in wanted if sha not in known))

    def reached(self, shas: Iterable[str]) -> frozenset[str]:
        """Those of the commits that are in the history of HEAD; none where there is no commit yet."""
        if self._ask("rev-parse", "--verify", "HEAD").status != 0:
            return frozenset()
        return frozenset(shas).intersection(self._run("rev-list", "HEAD", "--").split())

    def is_ancestor(self, ancestor: str, descendant: str) -> bool:
        """Whether the first commit is in the history of the second; a commit is in its own."""
        revisions = self.resolve(ancestor), self.resolve(descendant)
        answer = self._ask("merge-base", "--is-ancestor", *revisions)
        if answer.status > 1:
            raise failed("merge-base", answer)
        return answer.status == 0

    def merge_base(self, a: str, b: str) -> str | None:
        """The best common ancestor of two commits; None where their histories are unrelated."""
        answer = self._ask("merge-base", self.resolve(a), self.resolve(b))
        if answer.status > 1:
            raise failed("merge-base", answer)
        return answer.out.strip() or None

    def main_branch(self) -> str | None:
        """The branch that others come from: the remote's HEAD, or a local main or master; None without any."""
        remote = self._ask("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD").out.strip()
        for name in (
            remote,
            "refs/remotes/origin/main",
            "refs/remotes/origin/master",
            "refs/heads/main",
            "refs/heads/master",
        ):
            if name and self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", name).status == 0:
                return name
        return None

    def boundary(self) -> frozenset[str]:
        """Commits at which a shallow clone was cut off: their parents exist, but not here."""
        path = self.root / self._run("rev-parse", "--git-path", "shallow").removesuffix("\n")
        try:
            return frozenset(path.read_text().split())
        except FileNotFoundError:
            return frozenset()

    def is_shallow(self) -> bool:
        """Whether the clone lacks the older part of its history."""
        return self._run("rev-parse", "--is-shallow-repository").strip() == "true"

    def remote_url(self) -> str | None:
        """URL of `origin`, or of the first remote there is, without credentials; None without a remote."""
        names = self._run("remote").split()
        if not names:
            return None
        url = self._run("remote", "get-url", "--", "origin" if "origin" in names else names[0]).strip()
        url = re.sub(r"^(\w[\w+.-]*://)[^/]*@", r"\1", url)
        return url.partition("?")[0].partition("#")[0] if "://" in url else url

    def is_dirty(self, ignoring: Iterable[Path] = ()) -> tuple[str, ...]:
        """Changed tracked paths and new ones that are not ignored, relative to the root; none if clean.

        Left out are the files and folders of `ignoring`.
        """
        # Renames would put two paths in an entry; `--untracked-files=all` names files, not their folder.
        options = ("--untracked-files=all", "--no-renames", "--ignore-submodules=untracked")
        entries = self._run("status", "--porcelain=v1", "-z", *options).split("\0")[:-1]
        ours = {name for p in ignoring if (name := self._name(p))}
        inside = tuple(f"{name}/" for name in ours)
        paths = (e[3:] for e in entries)
        return tuple(readable(p) for p in paths if p not in ours and not p.startswith(inside))

    def ensure_ignored(self, *paths: Path) -> None:
        """Have Git ignore files or folders, in .git/info/exclude: no file of the project changes.

        Nothing is written for those that are ignored already or are not in the working tree.
        """
        ignore.ensure(self.root, [n for p in paths if (n := self._name(p))])

    def worktree(self, revision: str) -> AbstractContextManager[Path]:
        """A detached worktree of a commit in a private temporary folder, removed however the block ends.

        The user's index, stash, HEAD and files stay as they are, and no hook runs.
        """
        return worktree.detached(self.root, self.resolve(revision))

    def _name(self, path: Path) -> str | None:
        """A path relative to the root, as Git writes it; None for the root and outside of it."""
        whole = Path(os.path.normpath(self.root / path))
        place = whole.parent.resolve() / whole.name
        inside = place.is_relative_to(self.root) and place != self.root
        return place.relative_to(self.root).as_posix() if inside else None

    def _ask(self, *arguments: str) -> Answer:
        return git(self.root, arguments)

    def _run(self, *arguments: str, given: str = "") -> str:
        answer = git(self.root, arguments, given)
        if answer.status != 0:
            raise failed(arguments[0], answer)
        return answer.out


def _parse(output: str) -> tuple[Commit, ...]:
    fields = readable(output).split("\0")[:-1]
    rows = zip(*(fields[i :: len(_FIELDS)] for i in range(len(_FIELDS))), strict=True)
    return tuple(
        Commit(sha, tuple(parents.split()), author, int(author_time), int(commit_time), subject)
        for sha, parents, author, author_time, commit_time, subject in rows
    )


def _walk(first_parent: bool, limit: int | None) -> list[str]:
    options = ["--topo-order"] + ["--first-parent"] * first_parent
    return options if limit is None else [*options, f"--max-count={limit}"]
