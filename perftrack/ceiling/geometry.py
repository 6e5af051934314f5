"""How a matrix product's output falls into tiles, and tiles into waves over the device's units.

A kernel computes the output in tiles, one per unit (SM or CU) at a time; the last wave costs as much as a full
one however few tiles it has, and so does a tile that sticks out of the output. Both effects, and the alignment
that tensor cores want, follow Anthony et al. 2024, "The Case for Co-Designing Model Architectures with
Hardware" (arXiv:2401.14489). K appears in neither; it only sets how compute-bound the product is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from perftrack.core.ceiling import DataType, Shape

ALIGNED_BYTES = 128  # rows that start on such a boundary can be fetched whole
PRODUCT_OVERHEAD_BYTES = 256 * 2**20  # the buffer whose writing flushes the cache
MEMORY_SHARE = 0.9  # of the device's memory that operands may take
NEARLY_FULL = 0.94
STRIP_LOSS = 0.015  # for every factor e of aspect

Tile = tuple[int, int]
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Layouts:
    """Outputs (m, n) whose tiles fill `waves` waves, or nearly so, best first."""

    waves: int
    pairs: tuple[Pair, ...]

    @property
    def square(self) -> Pair:
        """The squarest of the fullest."""
        return self.pairs[0]


def alignment(dtype: DataType) -> int:
    """Elements in 128 bytes: 64 of bfloat16, 128 of fp8, 256 of fp4."""
    return ALIGNED_BYTES * 8 // dtype.bits


def round_up(value: int, step: int) -> int:
    return -(-value // step) * step


def padded(m: int, n: int, tile: Tile) -> Pair:
    """The output that the kernel computes: whole tiles."""
    return round_up(m, tile[0]), round_up(n, tile[1])


def tile_count(m: int, n: int, tile: Tile) -> int:
    return -(-m // tile[0]) * -(-n // tile[1])


def wave_count(m: int, n: int, units: int, tile: Tile) -> int:
    return -(-tile_count(m, n, tile) // units)


def wave_efficiency(m: int, n: int, units: int, tile: Tile) -> float:
    """Share of the scheduled tile slots that have a tile, in (0, 1]; 1 where the last wave is full."""
    return tile_count(m, n, tile) / (wave_count(m, n, units, tile) * units)


def tile_efficiency(m: int, n: int, tile: Tile) -> float:
    """Share of the computed output that is wanted, in (0, 1]; 1 where tiles divide the output."""
    wide, high = padded(m, n, tile)
    return m * n / (wide * high)


def operand_bytes(shape: Shape, dtype: DataType) -> float:
    """A, B, C, the values that C is rewritten from, and the buffer that flushes the cache."""
    wide = 2 if dtype.block_scaled or dtype.bits == 8 else dtype.bits / 8  # these give 16-bit results
    inputs = (shape.m + shape.n) * shape.k * dtype.bits / 8
    return inputs + 2 * shape.m * shape.n * wide + PRODUCT_OVERHEAD_BYTES


def fits(shape: Shape, dtype: DataType, memory_bytes: int | None) -> bool:
    """True also where the device's memory is not known: it will say so itself."""
    return memory_bytes is None or operand_bytes(shape, dtype) <= MEMORY_SHARE * memory_bytes


def wave_layouts(
    units: int,
    tile: Tile,
    usable: Callable[[Pair], bool],
    *,
    waves: Iterable[int] = range(1, 17),
    most: int = 12,
) -> tuple[Layouts, ...]:
    """Per number of waves, the usable outputs that fill them at least 94 %: fullest first, then squarest.

    A unit count with few divisors has no square that fills its waves; 12 x 12 tiles on 148 units then do better
    than 4 x 37. Kernels are not symmetric under transposition, so both orientations of an output count.
    """
    found = []
    for count in waves:
        pairs = {p for p in _filling(count * units, tile) if usable(p)}
        ranked = sorted(pairs, key=lambda p: promise(p, units, tile), reverse=True)
        if ranked:
            found.append(Layouts(count, tuple(ranked[:most])))
    return tuple(found)


def promise(pair: Pair, units: int, tile: Tile) -> float:
    """What an output is worth trying for, by its geometry alone; 1 at best.

    Throughput goes with the share of slots and tiles that are used; a strip loses by reading operands more often.
    """
    used = wave_efficiency(*pair, units, tile) * tile_efficiency(*pair, tile)
    return used - STRIP_LOSS * aspect(pair)


def aspect(pair: Pair) -> float:
    """|ln(m / n)|: 0 for a square, the same for a strip and its transpose."""
    return abs(math.log(pair[0] / pair[1]))


def _filling(blocks: int, tile: Tile) -> Iterator[Pair]:
    """Outputs of up to `blocks` tiles, and of no fewer than NEARLY_FULL of them."""
    for rows in range(1, blocks + 1):
        for columns in range(math.ceil(NEARLY_FULL * blocks / rows), blocks // rows + 1):
            yield tile[0] * rows, tile[1] * columns
