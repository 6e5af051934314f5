"""Many splits of the same values at once: the levels of both sides, and how far the values are from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from perftrack.core.changes.studentnoise import Spread, squares, weights
from perftrack.core.stats import Floats


class _Side:
    """The values on one side of each of several splits, as columns of a matrix with a row a split.

    `own`: columns that are on this side of any split; of those in `mixed`, `others` marks what is not.
    """

    def __init__(self, own: slice, mixed: slice, others: NDArray[np.bool_]) -> None:
        self.own, self.mixed, self.others = own, mixed, others

    def alone(self, matrix: Floats) -> None:
        """Put zeros in the columns that are not of this side."""
        matrix[:, : self.own.start] = 0.0
        matrix[:, self.own.stop :] = 0.0
        np.copyto(matrix[:, self.mixed], 0.0, where=self.others)

    def levels(self, values: Floats, level: float, noise: Spread, matrix: Floats) -> Floats:
        """(splits, 1) location of the values on this side, fitted from `level` on. `matrix` is written over."""
        part, own = values[self.own], matrix[:, self.own]
        own[:] = weights(part, level, noise)  # at first the same for all splits
        self.alone(matrix)
        found: Floats = (matrix @ values / matrix.sum(1))[:, None]
        for _ in range(2):
            weights(part, found, noise, out=own)
            np.copyto(matrix[:, self.mixed], 0.0, where=self.others)
            found = (matrix @ values / matrix.sum(1))[:, None]
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
        left = self.left.levels(values, levels[0], noise, self.scratch)
        right = self.right.levels(values, levels[1], noise, self.scratch)
        found = np.empty_like(self.scratch)
        squares(values[self.right.own], right, noise, found[:, self.right.own])
        before = squares(values[self.left.own], left, noise, self.scratch[:, self.left.own])
        first = self.left.mixed.start
        found[:, :first] = before[:, :first]
        np.copyto(found[:, self.left.mixed], before[:, first:], where=self.right.others)
        return found
