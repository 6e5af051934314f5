"""Blocks: the smallest sets of commits that a culprit can be narrowed down to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perftrack.core.search.dag import CommitGraph, Mask
from perftrack.core.stats import Floats


@dataclass(frozen=True, slots=True)
class Block:
    """Commits that no measurable commit tells apart, parents first, with the probability that one is to blame.

    `after` is the measurable commit that has all of it, `before` one that has none of it: what to compare. None
    where there is no such commit. `merge`: it is one commit that joins histories each of which is fast.
    """

    commits: tuple[str, ...]
    probability: float
    before: str | None
    after: str | None
    merge: bool


def leading_block(graph: CommitGraph, culprit: Floats, measurable: Mask) -> Block:
    """The block with most probability; the first of several equal ones."""
    labels = graph.blocks(measurable)
    mass = np.bincount(labels, weights=culprit, minlength=len(graph))
    first = int(np.argmax(mass))
    return _block(graph, np.flatnonzero(labels == first), float(mass[first]), measurable)


def credible_blocks(graph: CommitGraph, culprit: Floats, measurable: Mask, confidence: float) -> tuple[Block, ...]:
    """The fewest blocks that together hold `confidence`, most likely first."""
    labels = graph.blocks(measurable)
    mass = np.bincount(labels, weights=culprit, minlength=len(graph))
    order = np.argsort(-mass, kind="stable")
    enough = int(np.searchsorted(np.cumsum(mass[order]), confidence - 1e-12)) + 1
    return tuple(
        _block(graph, np.flatnonzero(labels == label), float(mass[label]), measurable)
        for label in order[:enough].tolist()
        if mass[label] > 0.0
    )


def _block(graph: CommitGraph, places: np.ndarray, probability: float, measurable: Mask) -> Block:
    members = [int(p) for p in places]
    told = [p for p in members if measurable[p]]
    after = told[0] if told else None
    if after is None:
        below = np.flatnonzero(graph.descendants(members[0]) & measurable)
        after = int(below[0]) if len(below) else None
    commits = tuple(graph.shas[p] for p in members)
    return Block(
        commits,
        min(probability, 1.0),
        _before(graph, members, measurable),
        None if after is None else graph.shas[after],
        len(members) == 1 and len(graph.parents[members[0]]) > 1,
    )


def _before(graph: CommitGraph, members: list[int], measurable: Mask) -> str | None:
    """The nearest commit on the line of first parents that is outside of the block and can be measured."""
    if graph.base is not None and members[0] == 0:
        return graph.good
    place, block = members[0], set(members)
    while above := graph.parents[place]:
        parent = graph.places.get(above[0])
        if parent is None:
            return above[0]  # history of GOOD
        if parent not in block and measurable[parent]:
            return above[0]
        place = parent
    return None
