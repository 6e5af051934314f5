"""What the search needs of a device, and what it tells while it goes on. Standard library only.

A rig measures matrix products of one data type on one device. Two kinds exist: the real one, over torch and
the card's telemetry, and those that replay a model or a recorded grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from perftrack.core.ceiling import DataType, Shape
from perftrack.core.model import Reason
from perftrack.errors import DeviceError


class ShapeRefusedError(DeviceError):
    """The device cannot run this one shape: too little memory, or no kernel for it. Others may do."""


@dataclass(frozen=True, slots=True)
class RigFacts:
    """What is known of the device before anything is measured. None where it is not known.

    unit_count: SMs or CUs, for wave packing. tile_hint: (m, n) of the tile that the vendor's kernels mostly use.
    geometry_checked: auto search was compared with an exhaustive grid on this kind of device.
    telemetry: what reads clock and power ("nvml", …); empty where nothing does. power_separates: its power
    readings were shown to tell a boost burst from a saturated run, so shapes may be excluded by them.
    """

    product: str
    dtype: DataType
    unit_count: int | None = None
    tile_hint: tuple[int, int] | None = None
    geometry_checked: bool = False
    l2_bytes: int | None = None
    memory_bytes: int | None = None
    power_limit_w: float | None = None
    max_clock_mhz: float | None = None
    telemetry: str = ""
    power_separates: bool = False


@dataclass(frozen=True, slots=True)
class Burst:
    """Iterations of one shape, queued together and waited for once.

    seconds: (n,) device time of each iteration's matrix product alone, without the rewriting of C and the
    flush before it. clock_mhz: (n,) lowest SM clock sampled inside the iteration's own window (the nearest
    sample where none falls inside); power_w: (n,) mean power likewise, instantaneous where the card tells that
    apart from a running average. Both are empty where nothing was read, and hold None for single gaps.
    started_at, ended_at: on the rig's clock, around the timed iterations (warm-up excluded).
    """

    shape: Shape
    seconds: tuple[float, ...]
    clock_mhz: tuple[float | None, ...] = ()
    power_w: tuple[float | None, ...] = ()
    temperature_c: float | None = None
    event_reasons: int | None = None
    started_at: float = 0.0
    ended_at: float = 0.0


@dataclass(frozen=True, slots=True)
class IdleSibling:
    """Another card on the same board, and the share of the watched time that it idled."""

    index: int
    share: float


class SiblingWatch(Protocol):
    """Samples whether the board's other cards are idle, from `begin` to `end`, in the background."""

    def begin(self) -> None: ...
    def end(self) -> tuple[IdleSibling, ...]: ...


class KernelTuner(Protocol):
    """A library that times its kernels per shape the first time it sees one (TunableOp): paused while scouting."""

    def pause(self) -> None:
        """Untuned shapes get the default kernel from now on; tuned ones keep theirs."""
        ...

    def tune(self, shape: Shape) -> None:
        """Tune this shape, then pause again. Raises ShapeRefusedError or DeviceError."""
        ...


class Rig(Protocol):
    """Runs bursts of matrix products of `facts.dtype`. `siblings` and `tuner` are None where there are none."""

    facts: RigFacts
    siblings: SiblingWatch | None
    tuner: KernelTuner | None

    def burst(self, shape: Shape, iterations: int, *, warmup: int = 0, idle_s: float = 0.0) -> Burst:
        """Allocate, wait `idle_s` with the device idle, then queue `warmup` untimed and `iterations` timed ones.

        Operands are random; C is rewritten and the L2 cache flushed before every iteration. Bursts of the
        same shape in a row reuse its operands, so that no gap lets the clock recover between them.
        Raises ShapeRefusedError for a shape that does not fit or has no kernel, DeviceError for a device
        that failed. KeyboardInterrupt passes through.
        """
        ...

    def idle(self, seconds: float) -> None:
        """Leave the device idle."""
        ...

    def now(self) -> float:
        """Seconds on a monotonic clock (a model's own clock in a replay)."""
        ...


class Phase(StrEnum):
    """Parts of a search, in order."""

    WARMUP = "warm-up"
    SCOUT = "scout"
    REFINE = "refine"
    SCREEN = "boost screen"
    TUNE = "kernel tuning"
    SOAK = "thermal soak"
    CONFIRM_SUSTAINED = "confirm sustainable"
    LOCK_SUSTAINED = "lock in sustainable"
    STEADY = "steady window"
    CONFIRM_BOOST = "confirm achievable"
    LOCK_BOOST = "lock in achievable"
    CROSSCHECK = "cross-check"


class Progress(Protocol):
    """What a search tells while it goes on; it must not raise."""

    def phase(self, phase: Phase, total: int | None) -> None:
        """A part begins, with so many steps where that is known."""
        ...

    def measured(self, phase: Phase, burst: Burst, flops_per_s: float) -> None:
        """One burst, with the rate that the part judges it by."""
        ...

    def skipped(self, shape: Shape, why: str) -> None: ...
    def note(self, reason: Reason) -> None: ...


class SilentProgress:
    """Tells nothing."""

    def phase(self, phase: Phase, total: int | None) -> None:
        del phase, total

    def measured(self, phase: Phase, burst: Burst, flops_per_s: float) -> None:
        del phase, burst, flops_per_s

    def skipped(self, shape: Shape, why: str) -> None:
        del shape, why

    def note(self, reason: Reason) -> None:
        del reason
