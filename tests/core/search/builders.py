"""Small worlds to search in: commit graphs by letter, readings by level, searches carried out to their end."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from perftrack.core.search.bisection import Search
from perftrack.core.search.dag import CommitGraph
from perftrack.core.search.settings import SearchSettings
from perftrack.core.search.visits import Failure, FailureKind, Outcome, Probe

UNIT = 0.01  # ln of a standard deviation


def chain(count: int) -> CommitGraph:
    """GOOD, then c0 … c(count-1); the last is BAD."""
    parents = {f"c{n}": (f"c{n - 1}" if n else "good",) for n in range(count)}
    return CommitGraph.between(parents, "good", f"c{count - 1}")


def graph(edges: Mapping[str, str], good: str = "good", bad: str = "bad", **options: object) -> CommitGraph:
    """From commit → parents, both written as words."""
    return CommitGraph.between({c: tuple(p.split()) for c, p in edges.items()}, good, bad, **options)  # type: ignore[arg-type]


class World:
    """Normal noise around two levels. `taken` counts the processes measured."""

    def __init__(
        self,
        slow: Iterable[str],
        *,
        shift: float = 3.0,
        broken: Iterable[str] = (),
        seed: int = 0,
        drift: Callable[[int], float] = lambda taken: 0.0,
        higher_is_better: bool = False,
    ) -> None:
        self.slow, self.broken, self.shift = set(slow), set(broken), shift
        self.rng, self.drift, self.taken = np.random.default_rng(seed), drift, 0
        self.sign = -1 if higher_is_better else 1

    def values(self, commit: str, count: int) -> list[float]:
        read = []
        for _ in range(count):
            level = self.shift * (commit in self.slow) + self.drift(self.taken)
            read.append(2.0 * math.exp(self.sign * UNIT * (float(self.rng.standard_normal()) + level)))
            self.taken += 1
        return read

    def answer(self, search: Search, probe: Probe) -> Search:
        beside = None
        if probe.beside is not None:
            beside = (probe.beside, self.values(probe.beside, probe.beside_processes))
        if probe.commit in self.broken:
            return search.observe(probe.commit, Failure(FailureKind.BUILD, "no compiler"), beside=beside)
        return search.observe(probe.commit, self.values(probe.commit, probe.processes), beside=beside)

    def carry_out(self, search: Search, most: int = 400) -> Search:
        for _ in range(most):
            probe = search.next_probe()
            if probe is None:
                return search
            search = self.answer(search, probe)
        raise AssertionError("the search did not end")

    def until(self, search: Search, done: Callable[[Search], bool], most: int = 400) -> Search:
        for _ in range(most):
            if done(search):
                return search
            probe = search.next_probe()
            assert probe is not None, search.outcome
            search = self.answer(search, probe)
        raise AssertionError("it never came to that")


def below(within: CommitGraph, culprit: str) -> list[str]:
    """The commits that are slow if this one is to blame."""
    return np.array(within.shas)[within.descendants(within.places[culprit])].tolist()


def found(search: Search) -> tuple[str, ...]:
    assert search.outcome is Outcome.FOUND, search.outcome
    return search.block.commits


QUICK = SearchSettings(build_cost=0.5)
