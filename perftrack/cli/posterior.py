"""The commits of a search as a bar: how likely each is to be to blame, oldest at the left."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

BLOCKS = " ▁▂▃▄▅▆▇█"
WIDTH = 48


def posterior_bar(probabilities: Sequence[float], width: int = WIDTH) -> str:
    """One character for each commit, or for several neighbours where they are more than `width`.

    A full block is one half and more; what has less than even one commit's share of nothing known is blank.
    """
    count = len(probabilities)
    cells = min(count, width)
    if not cells:
        return "||"
    edges = [round(i * count / cells) for i in range(cells + 1)]
    held = [sum(probabilities[a:b]) for a, b in pairwise(edges)]
    least = 1.0 / (4 * count)
    return f"|{''.join(_block(h, least) for h in held)}|"


def _block(probability: float, least: float) -> str:
    if probability < least:
        return BLOCKS[0]
    return BLOCKS[1 + min(round(14 * probability), 7)]


def candidates(probabilities: Sequence[float], share: float) -> int:
    """How many commits, the likeliest first, together hold `share`."""
    total = 0.0
    for number, probability in enumerate(sorted(probabilities, reverse=True), 1):
        total += probability
        if total >= share - 1e-12:
            return number
    return len(probabilities)
