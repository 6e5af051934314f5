"""In which order to visit a line of commits so that a part of it already shows the whole."""

from __future__ import annotations

from enum import StrEnum


class Order(StrEnum):
    """Order in which a range of commits is measured."""

    NEWEST = "newest"
    OLDEST = "oldest"
    SPREAD = "spread"


def spread(count: int) -> tuple[int, ...]:
    """A permutation of 0 … count-1: both ends, then the middles of all gaps, and so on.

    However early it is cut short, the widest gap left is at most about four times the narrowest.
    """
    if count <= 2:
        return tuple(range(count - 1, -1, -1))
    visits, gaps = [count - 1, 0], [(0, count - 1)]
    while gaps:
        halves = []
        for lo, hi in gaps:
            middle = (lo + hi) // 2
            if middle in (lo, hi):
                continue
            visits.append(middle)
            halves += [(lo, middle), (middle, hi)]
        gaps = halves
    return tuple(visits)
