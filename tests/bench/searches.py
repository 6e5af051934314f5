"""Simulated searches: a machine with noise, drift and broken builds, and a search carried out on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

import numpy as np

from perftrack.core.search.bisection import Search
from perftrack.core.search.dag import CommitGraph
from perftrack.core.search.expectation import expected
from perftrack.core.search.settings import SearchSettings
from perftrack.core.search.visits import Failure, FailureKind, Outcome, Phase, Probe, Recorded
from tests.commit_graphs import SHAPES, line

SIZE = 1024
UNIT = 0.01  # ln of a standard deviation of a process's median: 1 %
CHEAP = SearchSettings(batch_most=3, build_cost=0.1)
DEAR = SearchSettings(batch_most=3, build_cost=3.0)


def gaussian(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.standard_normal(count)


def heavy(rng: np.random.Generator, count: int) -> np.ndarray:
    """Student's t with 4 degrees of freedom, of standard deviation 1."""
    return rng.standard_t(4, count) / math.sqrt(2.0)


def bimodal(rng: np.random.Generator, count: int) -> np.ndarray:
    """Two modes, as processes have whose memory lies well or badly; of standard deviation 1."""
    return rng.choice((-0.98, 0.98), count) + 0.2 * rng.standard_normal(count)


NOISES = {"Gaussian": gaussian, "heavy tail": heavy, "bimodal": bimodal}


@dataclass(frozen=True)
class Task:
    """One simulated search. `shape`: of SHAPES or a line; `drift`: σ in 100 processes; `jitter`: σ of commits."""

    shift: float
    noise: str = "Gaussian"
    shape: str = "line"
    settings: SearchSettings = CHEAP
    sorted_line: bool = False  # searched as if all commits were one line
    broken: bool = False  # a tenth, in runs of five
    known: int = 0  # recorded processes of each level
    drift: float = 0.0
    jitter: float = 0.0
    fixed: bool = False  # slow, fast and slow again


@dataclass(frozen=True)
class Run:
    """`processes`: until the culprit was named; `after`: to check and confirm it; `claimed`: its probability;
    `covered`: whether the effect's interval holds the true one; `forecast`: of all processes, before the first.
    """

    outcome: Outcome
    right: bool
    block: int
    processes: int
    after: int
    builds: int
    claimed: float
    covered: bool | None
    forecast: float
    narrowed: int

    @property
    def named(self) -> bool:
        return self.outcome in {Outcome.FOUND, Outcome.BASE}


@dataclass
class World:
    """A machine to measure commits on."""

    rng: np.random.Generator
    task: Task
    slow: frozenset[str]
    broken: frozenset[str] = frozenset()
    taken: int = 0
    own: dict[str, float] = field(default_factory=dict)

    def level(self, commit: str) -> float:
        if self.task.jitter and commit not in self.own:
            self.own[commit] = self.task.jitter * float(self.rng.standard_normal())
        return self.own.get(commit, 0.0) + self.task.shift * (commit in self.slow)

    def answer(self, search: Search, probe: Probe) -> Search:
        if probe.commit in self.broken:
            return search.observe(probe.commit, Failure(FailureKind.BUILD))
        read: dict[str, list[float]] = {}
        noises = NOISES[self.task.noise](self.rng, len(probe.order))
        for commit, noise in zip(probe.order, noises, strict=True):
            drifted = self.task.drift * self.taken / 100
            read.setdefault(commit, []).append(math.exp(UNIT * (float(noise) + self.level(commit) + drifted)))
            self.taken += 1
        beside = None if probe.beside is None else (probe.beside, read[probe.beside])
        return search.observe(probe.commit, read[probe.commit], beside=beside)


@cache
def straight(size: int) -> CommitGraph:
    return line(size)


def simulate(task: Task, seed: int) -> Run:
    """One search, all of whose chance comes from the seed."""
    rng = np.random.default_rng((seed, 7))
    graph = straight(SIZE) if task.shape == "line" else SHAPES[task.shape](rng, SIZE)
    place = int(rng.integers(len(graph)))
    slow = graph.descendants(place)
    if task.fixed:
        first, again, place = sorted(rng.choice(len(graph), 3, replace=False).tolist())
        slow = graph.descendants(first) & ~graph.descendants(again) | graph.descendants(place)
    culprit = graph.shas[place]
    broken = _runs_of_five(rng, graph) if task.broken else frozenset()
    shas = np.array(graph.shas)
    world = World(rng, task, frozenset(shas[slow].tolist()) if task.shift else frozenset(), broken)
    recorded = tuple(
        Recorded(end, (math.exp(UNIT * (float(noise) + shift)),))
        for end, shift in ((graph.good, 0.0), (graph.bad, task.shift))
        for noise in NOISES[task.noise](rng, task.known)
    )
    if task.sorted_line:
        flat = [graph.good, *graph.shas]
        graph = CommitGraph.between({s: (p,) for p, s in pairwise(flat)}, graph.good, graph.bad)
    return _carry_out(Search.begin(graph, task.settings, recorded=recorded, seed=seed), world, culprit)


def _carry_out(search: Search, world: World, culprit: str) -> Run:
    forecast, narrowed, after = expected(search, world.task.shift).measurements, 0, 0
    while True:
        if search.outcome is Outcome.NON_MONOTONE and search.part is not None:
            search, narrowed = search.narrowed(), narrowed + 1
        probe = search.next_probe()
        if probe is None:
            break
        after += len(probe.order) * (probe.phase in {Phase.CHECK, Phase.CONFIRM})
        search = world.answer(search, probe)
    named = search.outcome in {Outcome.FOUND, Outcome.BASE}
    right, told = named and culprit in search.block.commits, search.confirmation
    return Run(
        search.outcome,
        right,
        len(search.block.commits) if named else 0,
        search.spent.measurements - after,
        after,
        len(search.spent.commits),
        search.block.probability,
        told.interval.contains(UNIT * world.task.shift) if right and told and not world.task.jitter else None,
        forecast,
        narrowed,
    )


def _runs_of_five(rng: np.random.Generator, graph: CommitGraph) -> frozenset[str]:
    """A tenth of the commits; BAD builds."""
    broken: Sequence[str] | set[str] = set()
    while len(broken) < len(graph) // 10:
        start = int(rng.integers(len(graph) - 6))
        broken = {*broken, *graph.shas[start : start + 5]}
    return frozenset(broken)
