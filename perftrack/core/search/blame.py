"""What a search has come to, as it is kept and shown: who is to blame, how surely, by how much, at what price."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perftrack.core.identity import content_id
from perftrack.core.model import Direction, Interval
from perftrack.core.search.prehistory import was_slow_before
from perftrack.core.search.visits import Outcome

if TYPE_CHECKING:  # who reads searches that were stored makes none
    from perftrack.core.search.bisection import Search

NAMED = frozenset({Outcome.FOUND, Outcome.BASE})
TOLD = 1e-4  # a commit with less is left out of what is kept of the posterior


@dataclass(frozen=True, slots=True)
class Blame:
    """The answer of one search for one metric of one case.

    `commits`: the block that is to blame, or the credible set where none was found, parents first, holding
    `probability`; empty where nothing was searched; of a BASE the commit where the histories part. `before`,
    `after`: what was compared to confirm it. `effect`, its 95 % `interval` and `p_value` come from the processes
    made for that alone: positive is worse, a log ratio, or a difference in `unit` where not `logs`. `explained`:
    the effect as a share of that between the ends. `posterior`: commits with a probability worth telling.
    `earlier`: good ends of wider ranges in which the speed changed more than once.
    """

    case_id: str
    metric: str
    unit: str
    direction: Direction
    good: str
    bad: str
    outcome: Outcome
    commits: tuple[str, ...]
    probability: float
    confidence: float
    merge: bool
    before: str
    after: str
    effect: float | None
    interval: Interval | None
    p_value: float | None
    logs: bool
    explained: float | None
    posterior: tuple[tuple[str, float], ...]
    earlier: tuple[str, ...]
    measurements: int
    builds: int
    seconds: float
    seed: int
    lane: str = ""
    finished_at: float = 0.0

    @property
    def id(self) -> str:
        return content_id(self)

    @property
    def named(self) -> bool:
        """Whether one block was found to be to blame."""
        return self.outcome in NAMED

    @property
    def culprit(self) -> str | None:
        """The one commit to blame; None where it could not be narrowed down to one."""
        return self.commits[0] if self.outcome is Outcome.FOUND and len(self.commits) == 1 else None

    @classmethod
    def of(cls, search: Search, case_id: str, metric: str, unit: str) -> Blame:
        """Where a search stands, whether it is at its end or not."""
        block, spent = search.block, search.spent
        blame = cls(
            case_id=case_id,
            metric=metric,
            unit=unit,
            direction=search.settings.direction,
            good=search.graph.good,
            bad=search.graph.bad,
            outcome=search.outcome,
            commits=(),
            probability=0.0,
            confidence=search.settings.confidence,
            merge=False,
            before="",
            after="",
            effect=None,
            interval=None,
            p_value=None,
            logs=True,
            explained=None,
            posterior=(),
            earlier=search.earlier,
            measurements=spent.measurements,
            builds=len(spent.commits),
            seconds=round(spent.seconds, 3),
            seed=search.seed,
        )
        if not search.reproduction.searching:
            return blame
        posterior = tuple((sha, p) for sha, p in search.posterior().items() if p >= TOLD)
        if not blame.named:
            held = search.credible()
            kept = {sha for part in held for sha in part.commits}
            inside = tuple(sha for sha in search.graph.shas if sha in kept)
            return replace(
                blame, commits=inside, probability=min(sum(b.probability for b in held), 1.0), posterior=posterior
            )
        told = search.confirmation
        # Slow before the range already: it is the commit where the histories part that is told, as for a base.
        parted = was_slow_before(search)
        return replace(
            blame,
            commits=(block.before or "",) if parted else block.commits,
            probability=block.probability,
            merge=block.merge and not parted,
            before=block.before or "",
            after=block.after or "",
            effect=None if told is None else told.effect,
            interval=None if told is None else told.interval,
            p_value=None if told is None else told.p_value,
            logs=told is None or told.logs,
            explained=search.explained,
            posterior=posterior,
        )
