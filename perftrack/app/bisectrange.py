"""The commits that a search is about: from two revisions to the graph of what may be to blame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perftrack.core.model import Commit
from perftrack.core.search.dag import CommitGraph
from perftrack.errors import GitError, UsageError
from perftrack.vcs import Repository


@dataclass(frozen=True, slots=True)
class SearchRange:
    """`commits`: those of the range and its ends, by SHA."""

    graph: CommitGraph
    commits: Mapping[str, Commit]

    @property
    def merges(self) -> int:
        return sum(len(parents) > 1 for parents in self.graph.parents)


def range_of(repository: Repository, good: str, bad: str, *, first_parent: bool = False) -> SearchRange:
    """What lies between two revisions.

    Raises GitError for an unknown one, UsageError where nothing lies between, or BAD comes first, and GitError
    where their histories have nothing in common, or a shallow clone lacks a part of the range.
    """
    ends = repository.commits((good, bad))
    first, last = (c.sha for c in ends)
    if first == last:
        raise UsageError(f"{good} and {bad} are the same commit", "perftrack bisect GOOD BAD: name two commits.")
    if repository.is_ancestor(last, first):
        raise UsageError(
            f"{bad} is in the history of {good}: nothing that came after GOOD is in BAD",
            "GOOD comes first, BAD second: perftrack bisect GOOD BAD.",
        )
    base = None
    if not repository.is_ancestor(first, last):
        base = repository.merge_base(first, last)
        if base is None:
            hint = "Name two commits of one history."
            if repository.is_shallow():
                hint = "The clone is shallow. Get the rest of its history with: git fetch --unshallow"
            raise GitError(f"the histories of {good} and {bad} have nothing in common", hint)
    inside = repository.log(last, excluding=first, first_parent=False)
    known = {c.sha: c for c in (*inside, *ends, *(repository.commits((base,)) if base else ()))}
    parents = {c.sha: c.parents for c in inside}
    graph = CommitGraph.between(parents, first, last, base=base, first_parent=first_parent)
    cut = [sha for sha, above in zip(graph.shas, graph.parents, strict=True) if not above and sha != base]
    if cut and repository.is_shallow():
        raise GitError(
            f"the clone is shallow: what is before {cut[0][:12]}, which may be to blame, is not here",
            "Get the rest of its history with: git fetch --unshallow",
        )
    return SearchRange(graph, {sha: known[sha] for sha in (first, *graph.shas)})


def skipped(repository: Repository, graph: CommitGraph, revisions: Sequence[str]) -> tuple[str, ...]:
    """SHAs that revisions and ranges `A..B` mean. Raises UsageError for one outside of the search."""
    found: dict[str, None] = {}
    for given in revisions:
        start, dots, end = given.partition("..")
        if dots:
            shas = repository.history(end.lstrip(".") or "HEAD", excluding=start or "HEAD", first_parent=False)
        else:
            shas = (repository.resolve(given),)
        inside = [sha for sha in shas if sha in graph.places or sha == graph.good]
        if not inside:
            raise UsageError(
                f"--skip {given}: not among the commits that can be to blame",
                f"git log {graph.good[:12]}..{graph.bad[:12]} lists them.",
            )
        found |= dict.fromkeys(inside)
    for name, end in (("GOOD", graph.good), ("BAD", graph.bad)):
        if end in found:
            raise UsageError(f"--skip: {end[:12]} is {name}, an end of the range", "Name other ends instead.")
    return tuple(found)
