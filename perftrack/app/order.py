"""The order of commits that changes are looked for in: HEAD's line of first parents, or all of its history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from perftrack.app.project import Project


@dataclass(frozen=True, slots=True)
class Order:
    """`shas`: oldest first, no parent after its child; `positions` is its inverse."""

    shas: tuple[str, ...]
    positions: Mapping[str, int]
    all_parents: bool = False

    @classmethod
    def of(cls, project: Project, *, all_parents: bool = False) -> Order:
        """Raises GitError where there is no commit yet."""
        shas = project.repository.history("HEAD", first_parent=not all_parents)[::-1]
        return cls(shas, {sha: at for at, sha in enumerate(shas)}, all_parents)

    def start_after(self, project: Project, revision: str) -> int:
        """Position of the first commit that the revision's history lacks; the length where it lacks none.

        Raises GitError for a revision that there is not.
        """
        new = project.repository.history("HEAD", excluding=revision, first_parent=not self.all_parents)
        return min((self.positions[sha] for sha in new), default=len(self.shas))
