"""Commit graphs with the statistics of public repositories, for simulations and tests.

- `pull_requests`: most changes come as a branch of a few commits from a recent point of the main line. Rails: 20 %
  of all commits are merges, none of more than two parents (G. Bernhardt, "The biggest and weirdest commits in
  Linux kernel Git history", 2017). Commits of a merged pull request: quartiles 1, 1 and 3, mean 3.3 (C. Teyton,
  "Observations on 10,000 pull requests on GitHub", 2021).
- `topics`: series that cook for long: branches from old points of the main line, some on top of one another, all
  merged one by one, as Git's own history has them. A quarter of the commits are merges.
- `subsystems`: trees of maintainers that merge one another's, joined to the main line once a cycle, all from a few
  release points. Linux: 7.2 % merges, 3.3 % of them octopuses (Bernhardt, as above).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from perftrack.core.search.dag import CommitGraph

OLDER = 60  # commits of the main line before GOOD, which branches may start from


@dataclass
class Builder:
    """Commits in the order they are made; `main` is the line of first parents."""

    rng: np.random.Generator
    parents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    main: list[str] = field(default_factory=list)

    def commit(self, *parents: str) -> str:
        sha = f"{len(self.parents):06x}" + "0" * 34
        self.parents[sha] = tuple(dict.fromkeys(parents))
        return sha

    def land(self, *others: str) -> str:
        """A commit on the main line; with `others`, a merge of them."""
        self.main.append(self.commit(*self.main[-1:], *others))
        return self.main[-1]

    def chain(self, start: str, length: int) -> str:
        for _ in range(length):
            start = self.commit(start)
        return start

    def back(self, mean: float) -> str:
        """A point of the main line, on average `mean` commits ago."""
        lag = min(int(self.rng.geometric(1 / (mean + 1))), len(self.main))
        return self.main[-lag]

    def begin(self) -> str:
        for _ in range(OLDER):
            self.land()
        return self.main[-1]

    def graph(self, good: str) -> CommitGraph:
        return CommitGraph.between(self.parents, good, self.main[-1])

    def count(self, good: str) -> int:
        return len(self.parents) - list(self.parents).index(good) - 1


def line(size: int) -> CommitGraph:
    shas = [f"{n:06x}" + "0" * 34 for n in range(size + 1)]
    parents = {sha: (shas[n],) for n, sha in enumerate(shas[1:])}
    return CommitGraph.between(parents, shas[0], shas[-1])


def pull_requests(rng: np.random.Generator, size: int) -> CommitGraph:
    made = Builder(rng)
    good = made.begin()
    while len(made.parents) < size + OLDER:
        if rng.random() < 0.4:
            made.land()
            continue
        length = 1 if rng.random() < 0.55 else 1 + int(rng.geometric(0.2))
        tip = made.chain(made.back(12), length)
        if rng.random() < 0.1:  # brought up to date before it was merged
            tip = made.commit(tip, made.back(2))
        made.land(tip)
    return made.graph(good)


def topics(rng: np.random.Generator, size: int) -> CommitGraph:
    made = Builder(rng)
    good = made.begin()
    cooking: deque[str] = deque()
    while len(made.parents) < size + OLDER:
        below = cooking[int(rng.integers(len(cooking)))] if cooking and rng.random() < 0.2 else made.back(25)
        cooking.append(made.chain(below, int(rng.geometric(1 / 3.2))))
        if len(cooking) > 15 and rng.random() < 0.95:
            place = int(rng.integers(5))
            made.land(cooking[place])
            del cooking[place]
        if rng.random() < 0.1:
            made.land()
    while cooking:
        made.land(cooking.popleft())
    return made.graph(good)


def subsystems(rng: np.random.Generator, size: int) -> CommitGraph:
    made = Builder(rng)
    good = made.begin()
    releases = [made.main[-20], good]
    while len(made.parents) < size + OLDER:
        trees = []
        for _ in range(int(rng.integers(3, 8))):
            tip = made.chain(releases[-1 - int(rng.random() < 0.3)], int(rng.geometric(1 / 8)))
            for _ in range(int(rng.integers(0, 4))):
                several = 2 + int(rng.integers(3)) if rng.random() < 0.065 else 1
                starts = [releases[-1] if rng.random() < 0.5 else tip for _ in range(several)]
                subs = [made.chain(start, int(rng.geometric(1 / 14))) for start in starts]
                tip = made.chain(made.commit(tip, *subs), int(rng.geometric(1 / 4)))
            trees.append(tip)
        for tip in trees:
            made.land(tip)
        made.main.append(made.chain(made.main[-1], int(rng.geometric(1 / 6))))
        releases.append(made.main[-1])
    return made.graph(good)


SHAPES = {"pull requests": pull_requests, "topics": topics, "subsystems": subsystems}


@dataclass(frozen=True)
class Statistics:
    commits: int
    merges: float  # share of the commits
    octopuses: float  # share of the merges
    mainline: float  # share of the commits on the line of first parents

    @classmethod
    def of(cls, graph: CommitGraph) -> Statistics:
        counts = np.array([len(p) for p in graph.parents])
        merges = counts > 1
        place: int | None = len(graph) - 1
        line_length = 0
        while place is not None:
            line_length += 1
            place = graph.places.get(graph.parents[place][0])
        octopuses = float((counts > 2).sum() / max(merges.sum(), 1))
        return cls(len(graph), float(merges.mean()), octopuses, line_length / len(graph))
