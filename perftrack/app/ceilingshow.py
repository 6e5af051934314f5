"""Show stored ceilings: those in force, or all, each with what its run kept of it."""

from __future__ import annotations

from dataclasses import dataclass

from perftrack.app.ceilingruns import StoredResult, results_in
from perftrack.app.ceilings import ceilings_in_force, stored_ceilings
from perftrack.app.project import Project


@dataclass(frozen=True, slots=True)
class ShownCeiling:
    """A stored ceiling with its run. `in_force`: results are held against it."""

    result: StoredResult
    run_id: str
    sha: str
    started_at: float
    in_force: bool


def show_ceilings(project: Project, *, everything: bool = False) -> tuple[ShownCeiling, ...]:
    """Newest run first, in the order of each run. Without `everything`, those in force, and what is only partial
    where nothing better is. Raises StoreMissingError where there is no store."""
    project.store.case_ids()  # a missing store is told here: no ceilings in it is another answer
    in_force = [c for own in ceilings_in_force(project).by_key.values() for c in own]
    held = {(c.run_id, c.key, c.definition, c.dtype) for c in in_force}
    known = stored_ceilings(project)
    order = sorted({(c.started_at, c.run_id, c.sha) for c in known}, reverse=True)
    found: list[ShownCeiling] = []
    settled: set[tuple[object, ...]] = set()
    for started_at, run_id, sha in order:
        for result in results_in(project.store.run(run_id)):
            key = result.fingerprint.key_id
            holds = (run_id, key, result.definition, result.dtype) in held and not result.partial
            place = key, result.case.id
            if everything or holds or (result.partial and place not in settled):
                found.append(ShownCeiling(result, run_id, sha, started_at, holds))
            settled.add(place)
    if everything:
        return tuple(found)
    better = {(s.result.fingerprint.key_id, s.result.case.id) for s in found if s.in_force}
    return tuple(s for s in found if s.in_force or (s.result.fingerprint.key_id, s.result.case.id) not in better)
