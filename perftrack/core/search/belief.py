"""What the readings so far say about who is to blame.

Probabilistic bisection (Horstein 1963; Waeber, Frazier & Henderson 2013) on a graph: under each candidate the
slow commits are its descendants and itself, so that candidates with the same measured descendants share one
marginal likelihood.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from perftrack.core.search.dag import CommitGraph, Mask
from perftrack.core.search.levels import FREEDOMS, LevelGrid, Readings, effective_spread, weigh
from perftrack.core.search.nonmonotone import free_log_odds, slow_again
from perftrack.core.stats import Floats
from perftrack.errors import InvalidValueError

Kinds = NDArray[np.int64]

# Places of the two ends among the readings; those of the range count from 0.
GOOD, BAD = -1, -2
ASSUMED_GAP = 1.5
GAP_LEAST, GAP_MOST = 0.3, 8.0
PRIOR_TRUST = 0.9  # history may be wrong about any commit
AT_ONCE = 40  # bits of a pattern that fit beside the number of a commit in 64
FEWEST = 3  # readings of both ends together that levels can be told from


@dataclass(frozen=True, slots=True)
class Belief:
    """Over the n commits of a range. `culprit` (n,): probability of being the culprit; `slow` (n,): of being slow.

    `gap`: distance of the levels in standard deviations of a process; `good`, `bad`: the levels on the
    readings' scale. `free_log_odds`: of more than one change against one. `measured` (m,): places with readings,
    `fast_density`, `slow_density` (m,): ln of their density at either level.
    """

    culprit: Floats
    slow: Floats
    gap: float = ASSUMED_GAP
    good: float = math.nan
    bad: float = math.nan
    free_log_odds: float = 0.0
    measured: Kinds = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    fast_density: Floats = field(default_factory=lambda: np.zeros(0))
    slow_density: Floats = field(default_factory=lambda: np.zeros(0))

    def again(self) -> Floats:
        """(m,): probability of being slow of each measured commit, where speed may change more than once."""
        return slow_again(self.fast_density, self.slow_density) if len(self.measured) else np.zeros(0)


def prior_of(graph: CommitGraph, weights: Mapping[str, float] | None) -> Floats:
    """(n,) from weights by SHA, of which a tenth is spread evenly; even without any.

    Raises InvalidValueError for weights that are negative or not finite.
    """
    even = np.full(len(graph), 1.0 / len(graph))
    if weights is None:
        return even
    given = np.array([float(weights.get(sha, 0.0)) for sha in graph.shas])
    if not np.isfinite(given).all() or (given < 0).any():
        raise InvalidValueError("weights of a prior are finite numbers of zero or above")
    if not given.any():
        return even
    mixed: Floats = PRIOR_TRUST * given / given.sum() + (1.0 - PRIOR_TRUST) * even
    return mixed


@dataclass(frozen=True, slots=True)
class Anchors:
    """What the ends say of the levels: a grid over them, and ln of the density of each end's readings on it."""

    grid: LevelGrid
    densities: tuple[Floats, Floats]

    @classmethod
    def of(cls, readings: Mapping[int, Readings]) -> Anchors | None:
        """None where the ends have too few readings."""
        good, bad = (readings.get(end, Readings.of([])) for end in (GOOD, BAD))
        if not len(good) or not len(bad) or len(good) + len(bad) < FEWEST:
            return None
        grid = LevelGrid.around(good, bad)
        at_good = grid.log_density(good, grid.good).sum(axis=0)
        return cls(grid, (at_good, grid.log_density(bad, grid.bad).sum(axis=0)))


def believe(
    graph: CommitGraph, prior: Floats, readings: Mapping[int, Readings], anchors: Anchors | None
) -> Belief:
    """The posterior from `prior` (n,) and the readings by place (larger is worse).

    Without `anchors`, made from those of the ends, nothing is concluded.
    """
    if anchors is None:
        return Belief(prior, graph.slow(prior))
    grid, at_ends = anchors.grid, anchors.densities
    places = sorted(place for place in readings if place >= 0)
    joined = [readings[place] for place in places]
    shape = at_ends[0].shape
    fast, slow = np.zeros((0, *shape)), np.zeros((0, *shape))
    if places:
        starts = np.cumsum([0, *map(len, joined[:-1])]).tolist()
        every = Readings.joined(joined)
        fast = grid.sum_by_commit(every, starts, grid.good)
        slow = grid.sum_by_commit(every, starts, grid.bad)
    kinds, patterns = _patterns(graph, places)
    chances: Floats = np.bincount(kinds, weights=prior, minlength=len(patterns)).astype(np.float64)
    found = weigh(fast, slow, at_ends, patterns, chances)
    with np.errstate(divide="ignore"):
        logs = np.log(prior) + found.evidence[kinds]
    culprit = np.exp(logs - logs.max())
    culprit /= culprit.sum()
    freedom, g, b, k = found.node
    at_good, at_bad = fast[:, freedom, g, k], slow[:, freedom, b, k]
    good, bad = float(grid.good[freedom, g]), float(grid.bad[freedom, b])
    spread = effective_spread(FREEDOMS[freedom], float(grid.scale[freedom, k]))
    return Belief(
        culprit,
        graph.slow(culprit),
        min(max((bad - good) / spread, GAP_LEAST), GAP_MOST),
        good,
        bad,
        free_log_odds(at_good, at_bad, patterns, chances),
        np.array(places, dtype=np.int64),
        at_good,
        at_bad,
    )


def _patterns(graph: CommitGraph, places: Sequence[int]) -> tuple[Kinds, Mask]:
    """Kind (n,) of each candidate, and for each kind which of the measured commits it would make slow (S, m)."""
    below = np.array([graph.ancestors(place) for place in places], dtype=bool).reshape(len(places), len(graph))
    kinds = np.zeros(len(graph), dtype=np.int64)
    for start in range(0, len(places), AT_ONCE):
        for row in below[start : start + AT_ONCE]:
            kinds = 2 * kinds + row
        kinds = np.unique(kinds, return_inverse=True)[1].astype(np.int64)
    first = np.unique(kinds, return_index=True)[1]
    return kinds, below[:, first].T
