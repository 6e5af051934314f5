"""What a measured hardware limit is: how it is defined, and what a result carries. Standard library only.

Units: flop/s or byte/s for values, MHz, W and °C where the name says so. None means not read, never zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from perftrack.core.model import Interval, Reason


class CeilingKind(StrEnum):
    MAMF = "mamf"  # maximum achievable matmul FLOPS: a burst at boost clock
    MSMF = "msmf"  # maximum sustainable matmul FLOPS: saturated, near the power limit
    COPY = "copy"
    TRIAD = "triad"


class Definition(StrEnum):
    """How a ceiling is measured. The value is part of the protocol key: different definitions never compare."""

    MAMF = "mamf-median5"
    MAMF_PEAK = "mamf-peak"
    MSMF = "msmf-repeats"
    MSMF_STEADY = "msmf-steady"
    COPY_DEVICE = "copy-device"
    COPY_L2 = "copy-l2"
    TRIAD_DEVICE = "triad-device"
    TRIAD_L2 = "triad-l2"

    @property
    def kind(self) -> CeilingKind:
        return CeilingKind(self.value.split("-", 1)[0])

    @property
    def unit(self) -> str:
        return "flop/s" if self.kind in {CeilingKind.MAMF, CeilingKind.MSMF} else "byte/s"

    @property
    def sentence(self) -> str:
        """The definition in words, to be shown wherever its number is."""
        return _SENTENCES[self]


_SENTENCES = {
    Definition.MAMF: (
        "maximum achievable: median of a shape's five fastest iterations, of those whose own SM clock was within "
        "3 % of the highest seen in the run, in short bursts after an idle pause"
    ),
    Definition.MAMF_PEAK: (
        "maximum achievable, single fastest iteration of those whose own SM clock was within 3 % of the highest "
        "seen in the run"
    ),
    Definition.MSMF: (
        "maximum sustainable: trimmed median of back-to-back repeats on a soaked, saturated device; shapes that "
        "draw too little power or still boost are excluded, and the winner is measured again"
    ),
    Definition.MSMF_STEADY: (
        "maximum sustainable, steady window: throughput over at least 2 s whose second half is at most 1 % slower"
    ),
    Definition.COPY_DEVICE: "bytes read and written per second, copying an array far larger than the caches",
    Definition.COPY_L2: "bytes read and written per second, copying an array that stays in the L2 cache",
    Definition.TRIAD_DEVICE: "bytes moved per second by a = b + s·c on arrays far larger than the caches",
    Definition.TRIAD_L2: "bytes moved per second by a = b + s·c on arrays that stay in the L2 cache",
}

DEFINITION_VERSION = 1  # raise it when a definition above, or how the search carries it out, changes


class DataType(StrEnum):
    """What is multiplied. TF32 is float32 operands on tensor cores, named so that the two never mix."""

    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"
    FLOAT32 = "float32"
    TF32 = "tf32"
    FLOAT8_E4M3FN = "float8_e4m3fn"
    FLOAT8_E4M3FNUZ = "float8_e4m3fnuz"
    MXFP8 = "mxfp8"
    MXFP4 = "mxfp4"
    NVFP4 = "nvfp4"

    @property
    def bits(self) -> int:
        """Of one element of an operand, scales not counted."""
        return _BITS.get(self, 16)

    @property
    def block_scaled(self) -> bool:
        return self in {DataType.MXFP8, DataType.MXFP4, DataType.NVFP4}


_BITS = {
    DataType.FLOAT32: 32, DataType.TF32: 32, DataType.FLOAT8_E4M3FN: 8, DataType.FLOAT8_E4M3FNUZ: 8,
    DataType.MXFP8: 8, DataType.MXFP4: 4, DataType.NVFP4: 4,
}  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """A matrix product: (m, k) times (k, n)."""

    m: int
    n: int
    k: int

    @property
    def flops(self) -> float:
        """2·m·n·k: a multiplication and an addition per term."""
        return 2.0 * self.m * self.n * self.k

    @property
    def volume(self) -> int:
        return self.m * self.n * self.k

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}"


@dataclass(frozen=True, slots=True)
class CeilingResult:
    """One measured ceiling.

    `value` and `interval` in `definition.unit`; the interval is at 95 % for what a repeat would read, from
    `repeats`: one number per independent repeat of the final measurement. `peak`: the fastest single iteration.
    `clock_mhz`, `power_w`, `temperature_c`: medians over the iterations that `value` is from. `validated`:
    telemetry showed that the definition's conditions held. `partial`: the search ended before it was done.
    `protocol`: key of the definition with the settings that change its meaning.
    """

    definition: Definition
    protocol: str
    value: float
    interval: Interval | None
    shape: Shape | None = None
    dtype: DataType | None = None
    peak: float | None = None
    repeats: tuple[float, ...] = ()
    clock_mhz: float | None = None
    power_w: float | None = None
    temperature_c: float | None = None
    event_reasons: int | None = None
    validated: bool = False
    partial: bool = False
    warnings: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class RegimeReading:
    """A shape in one regime: flop/s with the clock and power it ran at."""

    value: float
    clock_mhz: float | None = None
    power_w: float | None = None


@dataclass(frozen=True, slots=True)
class CrossCheck:
    """One headline shape in both regimes. `roles`: which headlines it is the shape of."""

    shape: Shape
    roles: tuple[CeilingKind, ...]
    boost: RegimeReading | None
    saturated: RegimeReading | None

    @property
    def ratio(self) -> float | None:
        """Saturated over boost; None where one of them was not measured."""
        if self.boost is None or self.saturated is None or self.boost.value <= 0:
            return None
        return self.saturated.value / self.boost.value


class Ending(StrEnum):
    """Why a search ended. Everything but `complete` makes its results partial."""

    COMPLETE = "complete"
    OUT_OF_TIME = "out-of-time"
    INTERRUPTED = "interrupted"
    DEVICE_ERROR = "device-error"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A shape that the device could not run, and why."""

    shape: Shape
    why: str


@dataclass(frozen=True, slots=True)
class CeilingReport:
    """What a search found. `shapes`: distinct ones measured; `bursts`: measurements taken of them in all."""

    results: tuple[CeilingResult, ...]
    ending: Ending
    crosscheck: tuple[CrossCheck, ...] = ()
    warnings: tuple[Reason, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    shapes: int = 0
    bursts: int = 0
    duration_s: float = 0.0

    @property
    def partial(self) -> bool:
        return self.ending is not Ending.COMPLETE

    def of(self, definition: Definition) -> CeilingResult | None:
        return next((r for r in self.results if r.definition is definition), None)
