"""What is above the launches of one case: the measured ceilings of its environment. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.core.ceiling import Definition
from perftrack.core.ceilingcase import dtype_of
from perftrack.core.launches.launch import LaunchSummary, Profile
from perftrack.core.model import Params
from perftrack.core.roofline import Declared, Peak, Placement, place
from perftrack.core.share import DEVICE_BYTES, StoredCeiling


@dataclass(frozen=True, slots=True)
class CaseRoof:
    """Peaks over a case; None where they were not measured. `declared`: of one call of it."""

    compute: Peak | None = None
    memory: Peak | None = None
    declared: Declared | None = None

    def over(self, profile: Profile) -> tuple[Placement, ...]:
        """The place of each launch. What a call declares is a launch's where that is the only one."""
        summaries: Sequence[LaunchSummary] = [launch.summary for launch in profile.launches]
        alone = len(summaries) == 1 and summaries[0].instances == 1
        declared = self.declared if alone else None
        return tuple(place(s, self.compute, self.memory, declared) for s in summaries)


def case_roof(
    params: Params, tags: Sequence[str], declared: Declared, ceilings: Sequence[StoredCeiling]
) -> CaseRoof:
    """`ceilings`: those of its environment. A case that names no type has no peak of arithmetic."""
    dtype = dtype_of(params, tuple(tags))
    products = [c for c in ceilings if c.definition is Definition.MAMF and c.dtype is dtype and dtype is not None]
    copies = [c for c in ceilings if c.definition in DEVICE_BYTES]
    return CaseRoof(_fastest(products), _fastest(copies), declared)


def _fastest(ceilings: Sequence[StoredCeiling]) -> Peak | None:
    best = max(ceilings, key=lambda c: c.value, default=None)
    return None if best is None else Peak(best.name, best.value)
