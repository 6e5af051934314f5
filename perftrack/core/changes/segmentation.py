"""Splits a series into stretches of one level: every cut passes a test whose error rate is known."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from perftrack.core.changes.autocorrelation import whitened
from perftrack.core.changes.commitrange import Spread, quick_place
from perftrack.core.changes.nulltable import SHORTEST, arc_p, split_p
from perftrack.core.changes.rankscan import RankSums
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
    return _settle(values, found, phi, noise)


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
    split, arc = sums.best_split(), sums.best_arc()
    by_split = split_p(split.statistic, sums.n) * ALPHA / SPLIT_ALPHA
    by_arc = arc_p(arc.statistic, sums.n) * ALPHA / ARC_ALPHA
    edges = [k for k in (arc.start, arc.end) if 0 < k < sums.n]
    if by_split <= by_arc or (by_split <= ALPHA and not _both_seen(values, edges)):
        return min(by_split, 1.0), [split.start]
    return min(by_arc, 1.0), edges


def _both_seen(values: Floats, edges: list[int]) -> bool:
    bounds = [0, *edges, len(values)]
    return all(
        split_p(RankSums(values[start:end]).split_at(at - start), end - start) <= ALPHA
        for start, at, end in zip(bounds, bounds[1:], bounds[2:], strict=False)
    )


def _settle(values: Floats, cuts: list[Cut], phi: float, noise: Spread) -> tuple[Cut, ...]:
    """Move each cut to its best place between its neighbours and drop those not seen there, the weakest first."""
    for _ in range(2):
        for index in range(len(cuts)):
            _move(values, cuts, index, noise)
    chances = [_chance(values, cuts, index, phi) for index in range(len(cuts))]
    while cuts:
        weakest = int(np.argmax(chances))
        if chances[weakest] <= KEEP_ALPHA:
            break
        del cuts[weakest], chances[weakest]
        beside = [index for index in (weakest - 1, weakest) if 0 <= index < len(cuts)]
        for index in beside:
            _move(values, cuts, index, noise)
        for index in range(max(weakest - 2, 0), min(weakest + 2, len(cuts))):
            chances[index] = _chance(values, cuts, index, phi)
    return tuple(cuts)


def _move(values: Floats, cuts: list[Cut], index: int, noise: Spread) -> None:
    if noise.scale > 0:
        start, end = _between(cuts, index, len(values))
        at = start + quick_place(values[start:end], cuts[index].at - start, noise)
        cuts[index] = Cut(at, cuts[index].p_value)


def _between(cuts: list[Cut], index: int, n: int) -> tuple[int, int]:
    """The stretch that holds this cut and no other."""
    start = cuts[index - 1].at if index else 0
    end = cuts[index + 1].at if index + 1 < len(cuts) else n
    return start, end


def _chance(values: Floats, cuts: list[Cut], index: int, phi: float) -> float:
    start, end = _between(cuts, index, len(values))
    sums = RankSums(whitened(values[start:end], phi))
    return split_p(sums.split_at(cuts[index].at - start), sums.n)
