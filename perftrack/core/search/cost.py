"""What a search has spent, and what its next steps may cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.core.search.settings import BUILD_COST, SearchSettings
from perftrack.core.search.visits import Visit


@dataclass(frozen=True, slots=True)
class Spent:
    """`measurements`: processes; `commits`: those built or tried; `builds`: visits that took time to build, and
    `building`: how many seconds of all `seconds`.
    """

    measurements: int = 0
    seconds: float = 0.0
    commits: frozenset[str] = frozenset()
    builds: int = 0
    building: float = 0.0

    @classmethod
    def on(cls, visits: Sequence[Visit]) -> Spent:
        spent = cls()
        for visit in visits:
            spent = spent.after(visit)
        return spent

    def after(self, visit: Visit) -> Spent:
        fresh = {side.commit for side in visit.sides} - self.commits
        return Spent(
            self.measurements + visit.processes,
            self.seconds + visit.seconds,
            self.commits | fresh if fresh else self.commits,
            self.builds + (visit.build_seconds > 0),
            self.building + visit.build_seconds,
        )

    @property
    def process_seconds(self) -> float:
        """Of one process; 0.0 where nobody counts."""
        return max(self.seconds - self.building, 0.0) / self.measurements if self.measurements else 0.0

    def build_cost(self, settings: SearchSettings) -> float:
        """Of one build, in processes."""
        if settings.build_cost is not None:
            return settings.build_cost
        if not self.process_seconds:
            return BUILD_COST
        return self.building / max(self.builds, 1) / self.process_seconds

    def left(self, settings: SearchSettings) -> float:
        """Processes that the budget still allows; infinite without a budget."""
        left = math.inf if settings.measurements is None else float(settings.measurements - self.measurements)
        if settings.seconds is not None:
            remaining = settings.seconds - self.seconds
            left = min(left, remaining / self.process_seconds if self.process_seconds else left)
            left = left if remaining > 0 else 0.0
        return left
