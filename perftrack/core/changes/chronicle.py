"""What the history tells of changes: events with their commits, causes and what searches came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from perftrack.core.changes.appraisal import CaseChange
from perftrack.core.changes.watch import Standing
from perftrack.core.model import Commit, Reason
from perftrack.core.search.blame import Blame

SETTLED = 10  # values at the new level that make an alert a confirmed one


class State(StrEnum):
    NEW = "new"
    CONFIRMED = "confirmed"  # the level stayed, or a search found who is to blame
    SUSPECT = "suspect"
    ACCEPTED = "accepted"
    FIXED = "fixed"
    MINOR = "minor"
    PAST = "past"


# A change that stands says more of an event than one that is settled.
_BY_STANDING = (
    (Standing.ALERT, State.NEW),
    (Standing.SUSPECT, State.SUSPECT),
    (Standing.ACCEPTED, State.ACCEPTED),
    (Standing.RECOVERED, State.FIXED),
    (Standing.MINOR, State.MINOR),
    (Standing.PAST, State.PAST),
)


@dataclass(frozen=True, slots=True)
class Chapter:
    """One event. `commits`: those of its range, oldest first, `count` of them in all; `likely` is its likeliest.

    `candidates`: SHAs of those that can be to blame for all of it. `words`: by case id, what profiles on both
    sides show. `blames`: what searches for it came to, newest first.
    """

    changes: tuple[CaseChange, ...]
    commits: tuple[Commit, ...]
    count: int
    likely: Commit
    candidates: tuple[str, ...] = ()
    hints: tuple[Reason, ...] = ()
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    blames: tuple[Blame, ...] = ()

    @property
    def id(self) -> str:
        """The name of its weightiest change, by which it is addressed; those of the others lead to it too."""
        return self.changes[0].id

    @property
    def state(self) -> State:
        standings = {c.standing for c in self.changes}
        found = next(state for standing, state in _BY_STANDING if standing in standings)
        return State.CONFIRMED if found is State.NEW and self._settled() else found

    def _settled(self) -> bool:
        stayed = any(
            c.standing is Standing.ALERT and len(c.trend.points) - c.change.last > SETTLED for c in self.changes
        )
        return stayed or any(blame.named for blame in self.blames)

    @property
    def worse(self) -> int:
        return sum(c.worse for c in self.changes)

    @property
    def better(self) -> int:
        return len(self.changes) - self.worse


def concerns(blame: Blame, changes: Sequence[CaseChange], commits: Sequence[str]) -> bool:
    """Whether a search was for one of the changes: of its case and metric, and of commits in its range."""
    cases = {(c.case.id, c.series.metric) for c in changes}
    return (blame.case_id, blame.metric) in cases and bool(set(blame.commits) & set(commits))
