"""The project's accepted changes, and which of them lie between two commits or cut a series."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from perftrack.app.project import Project
from perftrack.config.epochs import EPOCHS_FILE, load_epochs
from perftrack.core.epoch import Epoch, epoch_starts
from perftrack.core.model import Case
from perftrack.errors import StoreMissingError
from perftrack.vcs.descent import descending, introduced


@dataclass(frozen=True, slots=True)
class Accepted:
    """`holding`: by SHA of each epoch, the commits that have it in their history, itself among them."""

    epochs: tuple[Epoch, ...] = ()
    holding: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, project: Project, tips: Iterable[str] = ()) -> Accepted:
        """What the checkout's file accepts. `tips`: commits asked about that no branch may reach.

        A commit that HEAD's history lacks was rebased or squashed away: the one that brought the entry stands in.
        Raises ConfigError for a file that cannot be used.
        """
        found = load_epochs(project.root)
        if not found:
            return cls()
        try:
            names = project.store.known_renames()
        except StoreMissingError:
            names = project.store.renames
        epochs, known = tuple(replace(e, bench=names.case_id(e.bench)) for e in found), tuple(tips)
        head = project.repository.resolve("HEAD")
        holding = {}
        for sha in dict.fromkeys(e.sha for e in epochs):
            holding[sha] = descending(project.root, sha, known)
            if head not in holding[sha] and (instead := introduced(project.root, sha, EPOCHS_FILE)):
                holding[sha] |= descending(project.root, instead, known)
        return cls(epochs, holding)

    @property
    def unknown(self) -> tuple[str, ...]:
        """SHAs of epochs that the clone lacks and nothing stands in for: they accept nothing."""
        return tuple(sha for sha, commits in self.holding.items() if not commits)

    def between(self, case: Case, metric: str, baseline: str, candidate: str) -> tuple[Epoch, ...]:
        """Epochs of a metric that the candidate's history has and the baseline's has not."""
        return tuple(
            e
            for e in self.epochs
            if e.covers(case, metric) and candidate in self.holding[e.sha] and baseline not in self.holding[e.sha]
        )

    def last(self, epochs: Sequence[Epoch]) -> Epoch:
        """The newest of some epochs: the one that the fewest commits have in their history."""
        return min(epochs, key=lambda e: len(self.holding[e.sha]))

    def same_era(self, case: Case, metric: str, one: str, other: str) -> bool:
        """Whether no epoch of a metric is in the history of one commit and not of the other."""
        return all(
            (one in self.holding[e.sha]) is (other in self.holding[e.sha])
            for e in self.epochs
            if e.covers(case, metric)
        )

    def starts(self, case: Case, metric: str, shas: Sequence[str]) -> tuple[int, ...]:
        """Indices at which a metric's values, of commits along one line oldest first, begin anew."""
        return epoch_starts(shas, (self.holding[e.sha] for e in self.epochs if e.covers(case, metric)))

    def told(self, case: Case, metric: str, shas: Sequence[str]) -> tuple[tuple[int, str, str], ...]:
        """(index, SHA, reason) of each epoch of a metric that some of these commits are after, by index."""
        found = []
        for epoch in self.epochs:
            if epoch.covers(case, metric) and (at := epoch_starts(shas, [self.holding[epoch.sha]])):
                found.append((at[0], epoch.sha, epoch.reason))
        return tuple(sorted(found))
