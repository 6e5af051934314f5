"""Splits a series into stretches of one level: every cut passes a test whose error rate is known."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from perftrack.core.changes.autocorrelation import whitened
from perftrack.core.changes.commitrange import quick_place
from perftrack.core.changes.nulltable import SHORTEST, arc_least, arc_p, split_p
from perftrack.core.changes.rankscan import RankSums
from perftrack.core.changes.splitbound import seen, surely
from perftrack.core.changes.studentnoise import Spread, centre
from perftrack.core.stats import Floats

# Chance that one look at a stretch without a change finds one; splits and arcs have their parts of it. Looks at
# a growing series repeat most of the last look: 200 of them alarm with a chance near 1 % (see changepoint).
SPLIT_ALPHA = 5e-4
ARC_ALPHA = 2e-4
ALPHA = SPLIT_ALPHA + ARC_ALPHA
# A cut that was found, moved to its best place between its neighbours, must still be seen there.
KEEP_ALPHA = 0.01


@dataclass(frozen=True, slots=True)
class Cut:
    """Index of the first value of a stretch, and the p-value of the scan that found it."""

    at: int
    p_value: float


def segment(values: Floats, phi: float, noise: Spread) -> tuple[Cut, ...]:
    """Cuts of values (n,), ascending. `phi`: their lag-1 autocorrelation; `noise`: their spread about a level."""
    found = _split(values, phi)
    return _Settling(values, phi, noise).settled(found) if found else ()


def _split(values: Floats, phi: float) -> list[Cut]:
    """Cut where the evidence is strongest, then look at the pieces."""
    cuts: list[Cut] = []
    waiting = [(0, len(values))]
    while waiting:
        start, end = waiting.pop()
        n = end - start
        if n < SHORTEST:
            continue
        p_value, inner = _strongest(whitened(values[start:end], phi))
        if p_value > ALPHA:
            continue
        edges = [start, *(start + k for k in inner), end]
        cuts += [Cut(at, p_value) for at in edges[1:-1]]
        waiting += pairwise(edges)
    return sorted(cuts, key=lambda cut: cut.at)


def _strongest(values: Floats) -> tuple[float, list[int]]:
    """p-value of the best split or arc, whichever is less likely by chance, and the cuts that it makes.

    After a step some arc often beats the split, with one edge at the step and the other anywhere: where a
    split is enough, an arc counts only if both edges are seen, each without the other.
    """
    sums = RankSums(values)
    split = sums.best_split()
    p = split_p(split.statistic, sums.n)
    by_split = p * ALPHA / SPLIT_ALPHA
    if p == 0.0:
        return p, [split.start]  # nothing is less likely
    least = arc_least(min(p / SPLIT_ALPHA, 1.0) * ARC_ALPHA, sums.n)
    arc = sums.best_arc(least)
    if arc.statistic < least:
        return min(by_split, 1.0), [split.start]  # no arc is less likely, or none is to be seen
    by_arc = arc_p(arc.statistic, sums.n) * ALPHA / ARC_ALPHA
    edges = [k for k in (arc.start, arc.end) if 0 < k < sums.n]
    if by_split <= by_arc or (by_split <= ALPHA and not _both_seen(values, edges)):
        return min(by_split, 1.0), [split.start]
    return min(by_arc, 1.0), edges


def _both_seen(values: Floats, edges: list[int]) -> bool:
    bounds = [0, *edges, len(values)]
    return all(
        seen(values[start:end], at - start, ALPHA)
        for start, at, end in zip(bounds, bounds[1:], bounds[2:], strict=False)
    )


class _Settling:
    """Cuts as they are moved about in values (n,). What was asked of a stretch once is not reckoned again."""

    def __init__(self, values: Floats, phi: float, noise: Spread) -> None:
        self._values, self._phi, self._noise = values, phi, noise
        self._places: dict[tuple[int, int, int], int] = {}
        self._chances: dict[tuple[int, int, int], float] = {}
        self._levels: dict[tuple[int, int], float] = {}

    def settled(self, cuts: list[Cut]) -> tuple[Cut, ...]:
        """Move each cut to its best place between its neighbours and drop those not seen there, weakest first."""
        for _ in range(2):
            for index in range(len(cuts)):
                self._move(cuts, index)
        chances = [self._chance(cuts, index) for index in range(len(cuts))]
        while cuts:
            weakest = chances.index(max(chances))
            if chances[weakest] <= KEEP_ALPHA:
                break
            del cuts[weakest], chances[weakest]
            beside = [index for index in (weakest - 1, weakest) if 0 <= index < len(cuts)]
            for index in beside:
                self._move(cuts, index)
            for index in range(max(weakest - 2, 0), min(weakest + 2, len(cuts))):
                chances[index] = self._chance(cuts, index)
        return tuple(cuts)

    def _move(self, cuts: list[Cut], index: int) -> None:
        if self._noise.scale <= 0:
            return
        start, end = _between(cuts, index, len(self._values))
        key = (start, cuts[index].at, end)
        if key not in self._places:
            at = cuts[index].at
            levels = self._level(start, at), self._level(at, end)
            self._places[key] = start + quick_place(self._values[start:end], levels, self._noise)
        cuts[index] = Cut(self._places[key], cuts[index].p_value)

    def _level(self, start: int, end: int) -> float:
        if (start, end) not in self._levels:
            self._levels[start, end] = centre(self._values[start:end], self._noise)
        return self._levels[start, end]

    def _chance(self, cuts: list[Cut], index: int) -> float:
        """p-value of the cut between its neighbours; 0 where it is surely small enough for the cut to stay."""
        start, end = _between(cuts, index, len(self._values))
        key = (start, cuts[index].at, end)
        if key not in self._chances:
            values, k = whitened(self._values[start:end], self._phi), cuts[index].at - start
            sure = surely(values, k, KEEP_ALPHA)
            self._chances[key] = 0.0 if sure else split_p(RankSums(values).split_at(k), len(values))
        return self._chances[key]


def _between(cuts: list[Cut], index: int, n: int) -> tuple[int, int]:
    """The stretch that holds this cut and no other."""
    start = cuts[index - 1].at if index else 0
    end = cuts[index + 1].at if index + 1 < len(cuts) else n
    return start, end
