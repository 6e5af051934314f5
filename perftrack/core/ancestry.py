"""Which earlier commit a candidate is compared with."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from enum import StrEnum


class Start(StrEnum):
    """Where the search for a baseline begins."""

    PARENT = "first parent"  # the candidate is on the main branch, or there is none
    MERGE_BASE = "merge base"  # it is on a branch: that branch's own commits are no baseline for it


@dataclass(frozen=True, slots=True)
class Lineage:
    """The commits that may be a candidate's baseline, nearest first: a line of first parents.

    `main`: the branch that the candidate's own branch came from; empty where there is none.
    `cut`: the line ends where a shallow clone does, not where history does.
    """

    ancestors: tuple[str, ...]
    start: Start
    main: str = ""
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Nearest:
    """A measured ancestor, and how many unmeasured ones lie between it and where the search began."""

    sha: str
    skipped: int


def nearest_measured(
    ancestors: Iterable[str], measured: Container[str], own: Container[str] = ()
) -> Nearest | None:
    """The first of `ancestors` (nearest first) that is measured; None where none is.

    `own`: commits of the candidate's own branch, which are no baseline for it even where they are measured.
    """
    skipped = 0
    for sha in ancestors:
        if sha in own:
            continue
        if sha in measured:
            return Nearest(sha, skipped)
        skipped += 1
    return None
