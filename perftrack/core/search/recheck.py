"""Was it slow all the way from the culprit to BAD? A search has no reason of its own to look there again.

What got slow, was fixed and got slow once more has two culprits, and a search that happens on the first never sees
the second. So before a culprit is named, the longest stretches that nobody looked at are looked at, and what does
not look slow there is measured until it does or until it is plain that it is not.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from perftrack.core.search.belief import Belief
from perftrack.core.search.dag import CommitGraph, Mask

SHORTEST = 4  # commits: a stretch up to here is let be
NATS = 3.0  # evidence that a visit is to give, on average
CLEAR = 1.0  # evidence of being slow with which a commit that was looked at is done
STRANGE = -2.0  # evidence with which one that was measured on the way is looked at
VISITS = 6  # to one commit


def to_check(
    graph: CommitGraph, first: int, belief: Belief, measurable: Mask, checked: Counter[int], most: int
) -> int | None:
    """A commit below commit `first`, the culprit, to look at; None where all that is to be looked at looks slow.

    `checked`: visits made for this, by place; `most`: how many commits to look at.
    """
    below = graph.descendants(first)
    strength = belief.slow_density - belief.fast_density
    evidence = {int(place): float(nats) for place, nats in zip(belief.measured, strength, strict=True)}
    for place, nats in evidence.items():
        least = CLEAR if checked[place] else STRANGE
        if below[place] and place != first and nats < least and checked[place] < VISITS and measurable[place]:
            return place
    if sum(bool(below[place]) for place in checked) >= most:
        return None
    return _middle(np.flatnonzero(below), set(evidence) | {first}, measurable)


def _middle(below: np.ndarray, measured: set[int], measurable: Mask) -> int | None:
    """The middle of the longest stretch without a measured commit, in the order of the range, parents first."""
    marks = [-1, *(n for n, place in enumerate(below.tolist()) if place in measured), len(below) - 1]
    longest = max(range(1, len(marks)), key=lambda n: marks[n] - marks[n - 1])
    inside = below[marks[longest - 1] + 1 : marks[longest]]
    if len(inside) < SHORTEST:
        return None
    inside = inside[measurable[inside]]
    return int(inside[len(inside) // 2]) if len(inside) else None


def processes_to_tell(gap: float, most: int) -> int:
    """So many that a commit which is fast gives NATS against being slow; `gap` in standard deviations."""
    return min(max(math.ceil(2.0 * NATS / gap**2), 1), most)
