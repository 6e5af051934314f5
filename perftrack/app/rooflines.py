"""The roof over each launch of a commit's profiles: the measured ceilings of the environment it was timed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.app.ceilings import ceilings_in_force
from perftrack.app.explanation import Side
from perftrack.app.project import Project
from perftrack.core.ceiling import Definition
from perftrack.core.ceilingcase import dtype_of
from perftrack.core.launches.launch import LaunchSummary, Profile
from perftrack.core.model import Measurement, Status
from perftrack.core.roofline import Declared, Peak, Placement, place
from perftrack.core.share import DEVICE_BYTES, StoredCeiling


@dataclass(frozen=True, slots=True)
class Roof:
    """What is above the launches of one case; None where it was not measured. `declared`: of one call of it."""

    compute: Peak | None = None
    memory: Peak | None = None
    declared: Declared | None = None

    def over(self, profile: Profile) -> tuple[Placement, ...]:
        """The place of each launch. What a call declares is a launch's where that is the only one."""
        summaries: Sequence[LaunchSummary] = [launch.summary for launch in profile.launches]
        alone = len(summaries) == 1 and summaries[0].instances == 1
        declared = self.declared if alone else None
        return tuple(place(s, self.compute, self.memory, declared) for s in summaries)


def roofs_of(project: Project, side: Side) -> dict[str, Roof]:
    """By case id, for the profiles of a commit; those without a stored time have none."""
    if side.commit is None:
        return {}
    in_force = ceilings_in_force(project)
    times = {
        m.case.id: m
        for m in reversed(project.store.measurements(side.commit.sha, dirty=side.dirty))
        if m.metric == "time" and m.status is Status.OK and m.fingerprint is not None
    }
    return {
        case: roof_of(m, in_force.by_key.get(m.fingerprint.key_id, ()))
        for case, m in times.items()
        if m.fingerprint
    }


def roof_of(timed: Measurement, ceilings: Sequence[StoredCeiling]) -> Roof:
    """Of a measured time; `ceilings`: those of its environment. Without a type there is no peak of arithmetic."""
    dtype = dtype_of(timed.case.params, timed.tags)
    products = [c for c in ceilings if c.definition is Definition.MAMF and c.dtype is dtype and dtype is not None]
    copies = [c for c in ceilings if c.definition in DEVICE_BYTES]
    return Roof(_fastest(products), _fastest(copies), Declared(timed.flops, timed.bytes_moved, timed.value))


def _fastest(ceilings: Sequence[StoredCeiling]) -> Peak | None:
    best = max(ceilings, key=lambda c: c.value, default=None)
    return None if best is None else Peak(best.name, best.value)
