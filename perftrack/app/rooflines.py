"""The roof over each launch of a commit's profiles: the measured ceilings of the environment it was timed in."""

from __future__ import annotations

from perftrack.app.ceilings import ceilings_in_force
from perftrack.app.explanation import Side
from perftrack.app.project import Project
from perftrack.core.caseroof import CaseRoof, case_roof
from perftrack.core.model import Status
from perftrack.core.roofline import Declared


def roofs_of(project: Project, side: Side) -> dict[str, CaseRoof]:
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
        case: case_roof(
            m.case.params,
            m.tags,
            Declared(m.flops, m.bytes_moved, m.value),
            in_force.by_key.get(m.fingerprint.key_id, ()),
        )
        for case, m in times.items()
        if m.fingerprint
    }
