"""The baseline of a candidate where none is named: the nearest ancestor that was measured in the same lane."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from perftrack.app.project import Project
from perftrack.core.ancestry import Lineage, Start, nearest_measured
from perftrack.core.model import Commit
from perftrack.errors import GitError
from perftrack.vcs import Repository


@dataclass(frozen=True, slots=True)
class Baseline:
    """The commit to compare with, and how it was found. `commit`: None where no ancestor is measured.

    `skipped`: unmeasured ancestors between where the search began and the baseline (or the end of the line).
    """

    commit: Commit | None
    lineage: Lineage
    skipped: int

    @property
    def found(self) -> str:
        """How it was found, as a sentence's part: `merge base with origin/main, 2 unmeasured skipped`."""
        start = self.lineage.start.value
        if self.lineage.start is Start.MERGE_BASE:
            start = f"{start} with {self.lineage.main}"
        if not self.skipped:
            return start
        return f"nearest measured ancestor from the {start} on, {self.skipped} unmeasured skipped"

    @property
    def hint(self) -> str:
        """What to do where there is none."""
        if self.lineage.cut:
            return "The clone is shallow, and its history ends before a measured commit: git fetch --unshallow"
        if not self.lineage.ancestors:
            return "The commit has no ancestor. Name a baseline: perftrack compare BASE"
        return (
            f"Record one (perftrack record {self.lineage.ancestors[0][:12]}), or name one: perftrack compare BASE"
        )


def baseline_of(project: Project, candidate: str, lanes: Collection[str] | None = None) -> Baseline:
    """The baseline of a candidate, by SHA or another name of a commit.

    Measured is a commit with a successful measurement of its own code in one of `lanes` (see
    core.history.lane_of; None: in any). Raises GitError for an unknown commit, StoreError as the store does.
    """
    lineage = lineage_of(project.repository, candidate)
    nearest = nearest_measured(lineage.ancestors, project.store.measured_shas(lanes, clean=True))
    if nearest is None:
        return Baseline(None, lineage, len(lineage.ancestors))
    return Baseline(project.repository.commit(nearest.sha), lineage, nearest.skipped)


def start_of(project: Project, candidate: str) -> Baseline:
    """The commit that a candidate starts from, measured or not: for a comparison that measures both.

    Raises GitError for an unknown commit, and for one that has no ancestor.
    """
    lineage = lineage_of(project.repository, candidate)
    found = Baseline(None, lineage, 0)
    if not lineage.ancestors:
        raise GitError(f"{candidate} has no ancestor to compare with", found.hint)
    return Baseline(project.repository.commit(lineage.ancestors[0]), lineage, 0)


def lineage_of(repository: Repository, candidate: str) -> Lineage:
    """The line of ancestors in which to look for a baseline.

    From a commit on the main branch's own line: its first parents. From a branch: the merge base with the main
    branch, or, once the branch is merged, the commit of the main line that it came from, and the first parents
    of that. A merge of two histories that are unrelated has no merge base: the first parents again.
    """
    sha = repository.resolve(candidate)
    boundary = repository.boundary()
    main = repository.main_branch()
    base = _fork(repository, sha, main) if main is not None else None
    if base is None:
        own = repository.history(sha)
        return Lineage(own[1:], Start.PARENT, cut=own[-1] in boundary)
    line = repository.history(base)
    short = (main or "").removeprefix("refs/").removeprefix("heads/").removeprefix("remotes/")
    return Lineage(line, Start.MERGE_BASE, short.removesuffix("/HEAD"), cut=line[-1] in boundary)


def _fork(repository: Repository, sha: str, main: str) -> str | None:
    """Where the commit's branch left the main branch; None for a commit of the main line, or unrelated to it."""
    mainline = repository.history(main)
    if sha in set(mainline):
        return None
    base = repository.merge_base(sha, main)
    if base != sha:
        return base
    ancestors = frozenset(repository.history(sha, first_parent=False))  # merged: all of it is in the main branch
    return next((m for m in mainline if m in ancestors), None)
