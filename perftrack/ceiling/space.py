"""The lattice of shapes that an automatic search moves on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from perftrack.ceiling.geometry import Tile, alignment, round_up
from perftrack.core.ceiling import DataType, Shape

K_STEP = 1024


@dataclass(frozen=True, slots=True)
class Space:
    """Axes in ascending order. `only`: the shapes that exist, where not all combinations do."""

    m: tuple[int, ...]
    n: tuple[int, ...]
    k: tuple[int, ...]
    only: frozenset[Shape] | None = None

    def __contains__(self, shape: Shape) -> bool:
        if self.only is not None:
            return shape in self.only
        return shape.m in self.m and shape.n in self.n and shape.k in self.k

    def nearest(self, shape: Shape) -> Shape | None:
        """The shape whose axis values are nearest (the smaller of two); None where that one does not exist."""
        found = Shape(_nearest(self.m, shape.m), _nearest(self.n, shape.n), _nearest(self.k, shape.k))
        return found if found in self else None

    def snapped(self, shapes: Iterable[Shape]) -> Iterator[Shape]:
        """Each shape's nearest in the space, every one once, in order."""
        yield from dict.fromkeys(s for shape in shapes if (s := self.nearest(shape)) is not None)

    def around(self, shape: Shape, radius_mn: int, radius_k: int) -> Iterator[Shape]:
        """Neighbours along M and N (a box at the same K) and along K (at the same M and N), nearest first."""
        at = _index(self.m, shape.m), _index(self.n, shape.n), _index(self.k, shape.k)
        reach = range(-radius_mn, radius_mn + 1)
        steps = [(i, j, 0) for i, j in product(reach, reach)]
        steps += [(0, 0, i) for i in range(-radius_k, radius_k + 1)]
        for di, dj, dk in sorted(set(steps) - {(0, 0, 0)}, key=lambda s: (sum(map(abs, s)), s)):
            i, j, k = at[0] + di, at[1] + dj, at[2] + dk
            if 0 <= i < len(self.m) and 0 <= j < len(self.n) and 0 <= k < len(self.k):
                found = Shape(self.m[i], self.n[j], self.k[k])
                if found in self:
                    yield found


def device_space(tile: Tile, dtype: DataType, *, max_size: int, max_k: int) -> Space:
    """Whole tiles along M and N, aligned rows, K in steps of 1024: where auto search looks on a device."""
    aligned = alignment(dtype)
    steps = tile[0], round_up(tile[1], aligned), round_up(K_STEP, aligned)
    limits = max_size, max_size, max_k
    m, n, k = (tuple(range(step, limit + 1, step)) for step, limit in zip(steps, limits, strict=True))
    return Space(m, n, k)


def space_of(shapes: Sequence[Shape]) -> Space:
    """The space that holds these shapes and no others."""
    return Space(
        m=tuple(sorted({s.m for s in shapes})),
        n=tuple(sorted({s.n for s in shapes})),
        k=tuple(sorted({s.k for s in shapes})),
        only=frozenset(shapes),
    )


def _index(axis: Sequence[int], value: int) -> int:
    return axis.index(_nearest(axis, value))


def _nearest(axis: Sequence[int], value: int) -> int:
    at = bisect_left(axis, value)
    return min(axis[max(at - 1, 0) : at + 1], key=lambda a: abs(a - value))
