"""Runs recorded before a search: evidence where they share its lane, a prior where they are of another one.

No run is both, or it would count twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from perftrack.core.changes.changepoint import ChangePoint, Shift, detect
from perftrack.core.model import Direction
from perftrack.core.noise import ASSUMED, lane_noise
from perftrack.core.search.dag import CommitGraph
from perftrack.core.search.visits import Recorded

FEWEST = 4  # values below which a lane is not looked at for changes


@dataclass(frozen=True, slots=True)
class PastRun:
    """One stored run of the case. `values`: its process medians; `code_hash`: of the benchmark itself."""

    run_id: str
    sha: str
    lane: str
    code_hash: str
    started_at: float
    value: float
    within_variance: float | None
    values: tuple[float, ...]


def evidence(graph: CommitGraph, runs: Sequence[PastRun], lane: str, code_hash: str) -> tuple[Recorded, ...]:
    """The runs of this lane and this very benchmark at the ends or inside the range.

    How far runs of the lane lie apart with nothing changed is learnt from all of them.
    """
    own = [r for r in runs if r.lane == lane and r.code_hash == code_hash]
    noise = lane_noise([r.value for r in own], [r.within_variance or 0.0 for r in own]) or ASSUMED
    inside = [r for r in own if r.sha in graph.places or r.sha == graph.good]
    return tuple(Recorded(r.sha, r.values, noise.sigma) for r in inside)


def prior_weights(
    graph: CommitGraph, runs: Iterable[PastRun], order: Sequence[str], direction: Direction
) -> dict[str, float] | None:
    """Weights by SHA from change points of other lanes; None where they show no change for the worse in the range.

    `order`: SHAs of the history of BAD, oldest first. Each lane has as much to say as any other.
    """
    places = {sha: n for n, sha in enumerate(order)}
    lanes: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        if run.sha in places:
            lanes[run.lane, run.code_hash][run.sha].append(run.value)
    weights: dict[str, float] = defaultdict(float)
    for levels in lanes.values():
        line = sorted(levels, key=places.__getitem__)
        if len(line) >= FEWEST:
            for sha, weight in _weights(graph, line, levels, direction).items():
                weights[sha] += weight
    return dict(weights) or None


def _weights(
    graph: CommitGraph, line: Sequence[str], levels: Mapping[str, Sequence[float]], direction: Direction
) -> dict[str, float]:
    worse = Shift.UP if direction is Direction.LOWER else Shift.DOWN
    found: dict[str, float] = defaultdict(float)
    for change in detect([sum(levels[sha]) / len(levels[sha]) for sha in line]):
        suspects = _suspects(graph, line, change) if change.direction is worse else []
        for sha in suspects:
            found[sha] += change.probability / len(suspects)
    total = sum(found.values())
    return {sha: weight / total for sha, weight in found.items()}


def _suspects(graph: CommitGraph, line: Sequence[str], change: ChangePoint) -> list[str]:
    """Commits of the range that lead to the last value of the change's range and not to the one before it."""
    last = graph.places.get(line[change.last])
    if last is None:
        return []
    leading = graph.ancestors(last)
    before = graph.places.get(line[change.first - 1]) if change.first else None
    if before is not None:
        leading = leading & ~graph.ancestors(before)
    return [sha for sha, is_in in zip(graph.shas, leading, strict=True) if is_in]
