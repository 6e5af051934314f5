"""What the store knows before a search begins: runs that are evidence, and changes that are a prior."""

from __future__ import annotations

from dataclasses import dataclass

from perftrack.app.project import Project
from perftrack.core.model import Direction
from perftrack.core.search.dag import CommitGraph
from perftrack.core.search.pastrun import PastRun, evidence, prior_weights
from perftrack.core.search.visits import Recorded
from perftrack.errors import StoreMissingError, StoreVersionError
from perftrack.store.blames import past_runs

FAR_BACK = 500  # commits before the range whose runs tell a change from noise


@dataclass(frozen=True, slots=True)
class Past:
    """`recorded`: runs of the lane in the range; `prior`: weights by SHA, None where history shows no change."""

    recorded: tuple[Recorded, ...] = ()
    prior: dict[str, float] | None = None

    @property
    def suspects(self) -> int:
        return len(self.prior or ())


def past_of(
    project: Project,
    graph: CommitGraph,
    case_id: str,
    metric: str,
    direction: Direction,
    lane: str,
    code_hash: str,
) -> Past:
    """What is stored of the case's metric. Runs of the lane are evidence; those of other lanes make the prior."""
    try:
        runs = past_runs(project.store, case_id, metric)
    except (StoreMissingError, StoreVersionError):
        return Past()  # searching needs no store
    if not runs:
        return Past()
    others = [r for r in runs if not _same(r, lane, code_hash)]
    order = project.repository.history(graph.bad, first_parent=False, limit=len(graph) + FAR_BACK)[::-1]
    return Past(evidence(graph, runs, lane, code_hash), prior_weights(graph, others, order, direction))


def _same(run: PastRun, lane: str, code_hash: str) -> bool:
    return run.lane == lane and run.code_hash == code_hash
