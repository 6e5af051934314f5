"""Which earlier commit a candidate is compared with."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass


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
