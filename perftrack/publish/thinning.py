"""Fewer points of a long series, with everything that a reader looks for among those that stay."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from perftrack.publish.points import SeriesPoints, distinct

LONG = 2500  # points that a page draws at once without being slow, and that are a file of some kilobytes
_BUCKETS = 700


def thinned(points: SeriesPoints, kept: Iterable[int]) -> NDArray[np.intp]:
    """Positions of the points to show first, ascending: all of a series that is not longer than LONG.

    Of each stretch of commits stay its least and greatest value, of every lane; of the whole the ends, the first
    point on either side of each change of lane, tier or status, and `kept`.
    """
    count = len(points)
    if count <= LONG:
        return np.arange(count)
    flags = np.zeros(count, dtype=np.bool_)
    flags[[0, count - 1, *kept]] = True
    lane = points.lane
    lanes = distinct(lane)
    for one in lanes:
        own = np.flatnonzero((lane == one) & np.isfinite(points.value))
        if len(own):
            flags[_extremes(points.value[own], own, max(_BUCKETS // len(lanes), 8))] = True
    turns = np.flatnonzero(np.diff(points.facet))
    if 2 * len(turns) <= LONG:  # where machines take turns there is a turn at every commit
        flags[turns] = flags[turns + 1] = True
    return np.flatnonzero(flags)


def _extremes(values: NDArray[np.float64], at: NDArray[np.intp], buckets: int) -> NDArray[np.intp]:
    """Where the least and the greatest of each of so many stretches of equal length are, and both ends."""
    bounds = np.linspace(0, len(values), buckets + 1).astype(np.intp)
    edges = bounds[np.flatnonzero(np.diff(bounds))]
    stretch = np.repeat(np.arange(len(edges)), np.diff(np.append(edges, len(values))))
    order = np.lexsort((values, stretch))
    ends = np.append(edges[1:], len(values)) - 1
    return np.concatenate((at[order[edges]], at[order[ends]], at[[0, -1]]))
