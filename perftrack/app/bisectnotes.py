"""What a search tells beside its answer, or in place of one."""

from __future__ import annotations

from perftrack.app.bisectvisit import Visits
from perftrack.app.bisectworkshop import Workshop
from perftrack.app.project import Project
from perftrack.core.search.bisection import Search
from perftrack.errors import WorkerError


def end_failed(search: Search) -> WorkerError:
    """Why an end gave no value."""
    for name, end in (("GOOD", search.graph.good), ("BAD", search.graph.bad)):
        failures = [s.failure for v in search.visits for s in v.sides if s.commit == end and s.failure]
        last = search.visits[-1]
        if failures and (side := last.side(end)) is not None and side.failure is not None:
            return WorkerError(
                f"{name} ({end[:12]}) cannot be measured: {failures[-1].detail}",
                f"Name another {name}, or another command with --build.",
            )
    return WorkerError("an end of the range cannot be measured", "Name other ends.")


def notes_of(project: Project, visits: Visits, workshop: Workshop) -> tuple[str, ...]:
    """What may have changed what was measured."""
    notes = []
    if workshop.lacking:
        notes.append(f"submodules are empty in {len(workshop.lacking)} commit(s): have --build fetch them")
    changed = project.changed_benchmarks()
    if changed:
        notes.append(f"measured with uncommitted changes of the benchmarks: {', '.join(changed[:3])}")
    if visits.changes:
        sha, apart = next(iter(visits.changes.items()))
        notes.append(f"{len(visits.changes)} commit(s) brought another environment, as {sha[:12]}: {apart[0]}")
    return tuple(notes)
