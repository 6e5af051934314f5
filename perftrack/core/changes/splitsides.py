"""Many splits of the same values at once: the levels of both sides, and how far the values are from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from perftrack.core.changes.studentnoise import Spread, Weighing
from perftrack.core.stats import Floats


class _Side:
    """The values on one side of each of several splits, as columns of a matrix with a row a split.

    `own`: columns that are on this side of any split; of those in `mixed`, `others` marks what is not. What is
    reckoned of the own columns is reckoned in a matrix of them alone: much of it takes longer in a part of one.
    """

    def __init__(self, own: slice, mixed: slice, others: NDArray[np.bool_]) -> None:
        self.own, self.mixed, self.others = own, mixed, others
        self.scratch = np.empty((len(others), own.stop - own.start))
        self._mixed_scratch = self.scratch[:, mixed.start - own.start : mixed.stop - own.start]

    def alone(self, matrix: Floats) -> None:
        """Put zeros in the columns that are not of this side."""
        matrix[:, : self.own.start] = 0.0
        matrix[:, self.own.stop :] = 0.0
        np.copyto(matrix[:, self.mixed], 0.0, where=self.others)

    def levels(self, values: Floats, level: float, weighing: Weighing, matrix: Floats) -> Floats:
        """(splits, 1) location of the values on this side, fitted from `level` on. `matrix` is written over."""
        part, own = values[self.own], matrix[:, self.own]
        own[:] = weighing.weights(part, level, np.empty_like(part))  # at first the same for all splits
        self.alone(matrix)
        found = _centres(matrix, values)
        for _ in range(2):
            weighing.weights(part, found, self.scratch)
            np.copyto(self._mixed_scratch, 0.0, where=self.others)
            own[:] = self.scratch
            found = _centres(matrix, values)
        return found


def _centres(counted: Floats, values: Floats) -> Floats:
    """(splits, 1) mean of values (n,), of which each row of (splits, n) tells what they count for."""
    found: Floats = (counted.dot(values) / counted.sum(1))[:, None]
    return found


class SplitSides:
    """Both sides of splits (m,), ascending, of n values."""

    def __init__(self, splits: NDArray[np.intp], n: int) -> None:
        first, last = int(splits[0]), int(splits[-1])
        mixed = slice(first, last)
        before = np.arange(first, last) < splits[:, None]
        self.left = _Side(slice(0, last), mixed, ~before)
        self.right = _Side(slice(first, n), mixed, before)
        self.scratch = np.empty((len(splits), n))

    def squares(self, values: Floats, levels: tuple[float, float], noise: Spread) -> Floats:
        """(m, n) z² of each value from the level of its side, which is fitted for each split."""
        weighing, found = Weighing(noise), np.empty_like(self.scratch)
        for side, level in ((self.right, levels[1]), (self.left, levels[0])):
            fitted = side.levels(values, level, weighing, self.scratch)
            weighing.squares(values[side.own], fitted, side.scratch)
        first, last = self.left.mixed.start, self.left.mixed.stop
        found[:, first:] = self.right.scratch
        found[:, :first] = self.left.scratch[:, :first]
        np.copyto(found[:, first:last], self.left.scratch[:, first:], where=self.right.others)
        return found
