"""A card that exists on paper: how fast each shape runs at a clock, and which clock its power limit leaves.

It has what makes ceilings hard to measure: kernels that suit some outputs better than others, a boost clock that
lasts for milliseconds, a power limit that a saturated product runs into, gaps between iterations that let short
products keep a higher clock, and heat that eats into the limit. Being a formula, it also knows the answers. Its
constants give about what an H200 does: 690 Tflop/s and 1.6 GHz sustained on an 8192-cube in bfloat16.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

from perftrack.ceiling.geometry import Tile, fits, tile_efficiency, wave_efficiency
from perftrack.core.ceiling import DataType, Shape

LAUNCH_S = 3e-6
HALF_SPEED_K = 180.0  # prologue and epilogue of a tile cost as much as so many steps along K
VOLTAGE_POWER = 1.2  # power per operation grows with the clock's voltage
FLUSH_BYTES = 256 * 2**20
FLUSH_W = 330.0
LEAK_PER_C = 0.008
REFERENCE_C = 40.0
MAX_DRAW_W = 960.0  # what a full-rate product would draw at the top clock, beyond idling


@dataclass(frozen=True, slots=True)
class Sustained:
    """A shape at thermal equilibrium."""

    rate: float
    clock_mhz: float
    power_w: float


@dataclass(frozen=True, slots=True)
class CardModel:
    """`seed` draws how well kernels suit shapes: `roughness` per (m, n), a quarter of it again per shape.

    top_clock_mhz: what the clock reaches, below max_clock_mhz on a card whose clocks are locked or capped.
    """

    seed: int = 0
    dtype: DataType = DataType.BFLOAT16
    units: int = 132
    tile: Tile = (128, 256)
    flops_per_cycle: float = 4096.0  # per unit
    max_clock_mhz: float = 1980.0
    top_clock_mhz: float = 1980.0
    low_clock_mhz: float = 345.0
    power_limit_w: float = 700.0
    idle_w: float = 90.0
    memory_bytes: int = 141 * 10**9
    memory_rate: float = 4.0e12
    efficiency: float = 0.83
    roughness: float = 0.015
    ambient_c: float = 30.0
    c_per_w: float = 0.05

    def fits(self, shape: Shape) -> bool:
        return fits(shape, self.dtype, self.memory_bytes)

    def share(self, shape: Shape) -> float:
        """Share of the units' peak rate that the shape's kernel reaches when its clock holds."""
        rough = self.roughness * self._draw("pair", shape.m, shape.n)
        rough += 0.25 * self.roughness * self._draw("shape", shape.m, shape.n, shape.k)
        waves = wave_efficiency(shape.m, shape.n, self.units, self.tile)
        whole = tile_efficiency(shape.m, shape.n, self.tile)
        return self.efficiency * waves * whole * shape.k / (shape.k + HALF_SPEED_K) * math.exp(rough)

    def seconds(self, shape: Shape, clock_mhz: float) -> float:
        """One product at this clock: computing or moving, whichever is slower, with a soft corner."""
        peak = self.units * self.flops_per_cycle * clock_mhz * 1e6
        compute = shape.flops / (peak * self.share(shape))
        moved = self._bytes(shape) / self.memory_rate
        return math.sqrt(math.sqrt(math.sqrt(compute**8 + moved**8))) + LAUNCH_S

    def gap(self, shape: Shape) -> float:
        """Seconds between two products: the cache is flushed and C rewritten."""
        return (FLUSH_BYTES + 2 * 2 * shape.m * shape.n) / self.memory_rate + LAUNCH_S

    def power(self, shape: Shape, clock_mhz: float, heat_c: float) -> float:
        """Mean draw over products and gaps at this clock and temperature, were there no limit."""
        busy, gap = self.seconds(shape, clock_mhz), self.gap(shape)
        work = self.share(shape) / self.efficiency * self._activity(shape)
        product = MAX_DRAW_W * work * math.pow(clock_mhz / self.max_clock_mhz, 1 + VOLTAGE_POWER)
        return self._leak(heat_c) + (busy * product + gap * FLUSH_W) / (busy + gap)

    def settled_clock(self, shape: Shape, heat_c: float) -> float:
        """The highest clock at which the shape stays within the power limit."""
        low, high = self.low_clock_mhz, self.top_clock_mhz
        if self.power(shape, high, heat_c) <= self.power_limit_w:
            return high
        for _ in range(24):
            middle = 0.5 * (low + high)
            if self.power(shape, middle, heat_c) <= self.power_limit_w:
                low = middle
            else:
                high = middle
        return low

    def settled_heat(self, power_w: float) -> float:
        return self.ambient_c + self.c_per_w * power_w

    def boost_rate(self, shape: Shape) -> float:
        """flop/s at the top clock: the answer to which shape has the MAMF."""
        return shape.flops / self.seconds(shape, self.top_clock_mhz)

    def sustained(self, shape: Shape) -> Sustained:
        """Clock, rate and power at equilibrium, on a card that its limit has heated."""
        heat = self.settled_heat(self.power_limit_w)
        clock = self.settled_clock(shape, heat)
        return Sustained(shape.flops / self.seconds(shape, clock), clock, self.power(shape, clock, heat))

    def _leak(self, heat_c: float) -> float:
        return self.idle_w * (1 + LEAK_PER_C * (heat_c - REFERENCE_C))

    def _activity(self, shape: Shape) -> float:
        """Draw per operation against the mean; moving operands more often costs more."""
        moved = self._bytes(shape) / shape.flops * 2e2
        return 0.97 + 0.05 * min(moved, 2.0) + 0.02 * self._draw("activity", shape.m, shape.n)

    def _bytes(self, shape: Shape) -> float:
        """Read and written once per product; operands that a wave re-reads come from the cache."""
        return (shape.m + shape.n) * shape.k * self.dtype.bits / 8 + 4.0 * shape.m * shape.n

    def _draw(self, *key: str | int) -> float:
        return _normal(self.seed, key)


@lru_cache(maxsize=100_000)
def _normal(seed: int, key: tuple[str | int, ...]) -> float:
    """A standard normal number that depends on seed and key only."""
    digest = hashlib.blake2b(f"{seed}/{key}".encode(), digest_size=8).digest()
    return NormalDist().inv_cdf((int.from_bytes(digest, "big") + 0.5) / 2.0**64)
