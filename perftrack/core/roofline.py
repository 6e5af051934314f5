"""Where a launch stands under the roof of its device (Williams, Waterman & Patterson 2009, "Roofline").

Arithmetic intensity is operations per byte of DRAM traffic; the roof at an intensity is the lower of the peak of
arithmetic and intensity times the peak of bandwidth. The peaks are measured ceilings where they are given. Where
not, the profiler's own shares of its own peaks say how near the launch came to either; those peaks are
theoretical, and which it was is always said.

Reference: Communications of the ACM 52(4), doi 10.1145/1498765.1498785.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from perftrack.core.launches.launch import LaunchSummary


class Roof(StrEnum):
    """What a launch is measured against."""

    MEASURED = "measured ceilings"
    PROFILER = "the profiler's peaks"
    NONE = "nothing"


class Side(StrEnum):
    """Which part of the roof is above a launch."""

    MEMORY = "memory"
    COMPUTE = "compute"


class Counted(StrEnum):
    """Where a number of operations or bytes comes from."""

    DECLARED = "declared"
    COUNTERS = "counters"


@dataclass(frozen=True, slots=True)
class Peak:
    """A ceiling in flop/s or byte/s; `name` says which one, to be shown with it."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Placement:
    """A launch's place. `intensity` in flop/byte, `ridge` where the roof bends; rates in flop/s and byte/s.

    `fraction`: of the roof above it, 0 to 1 or a little more; `side`: which part that is. None where it cannot be
    told; `missing` says what for. `seconds_source`: whose time the rates are of.
    """

    against: Roof
    side: Side | None
    fraction: float | None
    intensity: float | None
    ridge: float | None
    flops_per_s: float | None
    bytes_per_s: float | None
    flops_source: Counted | None
    bytes_source: Counted | None
    seconds_source: str
    compute: Peak | None
    memory: Peak | None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declared:
    """What is known of a launch besides its counters: its operations, bytes, and time outside the profiler."""

    flops: float | None = None
    bytes: float | None = None
    seconds: float | None = None


def place(
    launch: LaunchSummary,
    compute: Peak | None = None,
    memory: Peak | None = None,
    declared: Declared | None = None,
) -> Placement:
    """Place a launch under the measured ceilings, or with either of them missing under the profiler's peaks.

    What is declared goes before counters: it is what the work needs, where counters have what was done.
    """
    known = declared or Declared()
    flops, flops_source = _pick(known.flops, launch.flops)
    moved, bytes_source = _pick(known.bytes, _dram_bytes(launch))
    seconds = known.seconds if known.seconds else launch.duration_s
    told = "the recorded time" if known.seconds else "the profiler's duration"
    intensity = flops / moved if flops is not None and moved else None
    rates = [value / seconds if value is not None and seconds else None for value in (flops, moved)]
    ridge = compute.value / memory.value if compute and memory else None
    missing = _missing(flops, moved, seconds)
    if compute and memory and any(r is not None for r in rates):
        against, side, fraction = Roof.MEASURED, *_under(rates, intensity, compute, memory)
    else:
        against, side, fraction = _own(launch)
    return Placement(
        against, side, fraction, intensity, ridge, rates[0], rates[1], flops_source, bytes_source, told,
        compute, memory, missing,
    )  # fmt: skip


def _pick(declared: float | None, counted: float | None) -> tuple[float | None, Counted | None]:
    if declared is not None:
        return declared, Counted.DECLARED
    return (counted, Counted.COUNTERS) if counted is not None else (None, None)


def _dram_bytes(launch: LaunchSummary) -> float | None:
    """Bytes read and written; a details page has their rate alone."""
    if launch.dram_read_bytes is not None and launch.dram_write_bytes is not None:
        return launch.dram_read_bytes + launch.dram_write_bytes
    if launch.dram_bytes_per_s is not None and launch.duration_s is not None:
        return launch.dram_bytes_per_s * launch.duration_s
    return None


def _under(
    rates: list[float | None], intensity: float | None, compute: Peak, memory: Peak
) -> tuple[Side | None, float | None]:
    """The part of the roof above the launch and how near it is; with one rate unknown, that of the other."""
    shares = [
        rate / peak.value if rate is not None else None
        for rate, peak in zip(rates, (compute, memory), strict=True)
    ]
    if intensity is not None:
        side = Side.COMPUTE if intensity * memory.value >= compute.value else Side.MEMORY
        return side, shares[0] if side is Side.COMPUTE else shares[1]
    if shares[0] is None:
        return Side.MEMORY, shares[1]
    return Side.COMPUTE, shares[0]


def _own(launch: LaunchSummary) -> tuple[Roof, Side | None, float | None]:
    """The busier of DRAM and the SMs, by the profiler's shares of peak."""
    if launch.dram_pct is None or launch.sm_pct is None:
        return Roof.NONE, None, None
    side = Side.MEMORY if launch.dram_pct >= launch.sm_pct else Side.COMPUTE
    return Roof.PROFILER, side, max(launch.dram_pct, launch.sm_pct) / 100


def _missing(flops: float | None, moved: float | None, seconds: float | None) -> tuple[str, ...]:
    needs = (
        (flops is None, "operations: declare them, or profile with floating-point counters"),
        (
            moved is None,
            "DRAM bytes: declare them, or profile with dram__bytes_read.sum and dram__bytes_write.sum",
        ),
        (not seconds, "a duration"),
        (moved == 0, "DRAM traffic: there was none, so that intensity has no end"),
    )
    return tuple(what for is_missing, what in needs if is_missing)
