"""What a kernel profiler said of launches, in base units: s, byte, byte/s, Hz; percentages carry `_pct`.

A missing value is None, never 0: a counter that was not collected says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

Dim3 = tuple[int, int, int]


class Bound(StrEnum):
    """Which unit limits a launch, by its share of peak (see `ncu.summary`)."""

    MEMORY = "memory-bound"
    COMPUTE = "compute-bound"
    LATENCY = "latency-bound"
    MIXED = "mixed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Counter:
    """One metric of one launch as collected: a number in `unit` (base units), or text as it stood.

    `section` is the heading that a details page files it under; empty for metrics with raw names.
    """

    name: str
    value: float | str
    unit: str = ""
    section: str = ""


@dataclass(frozen=True, slots=True)
class Stall:
    """Why warps waited. `value`: samples, cycles per issued instruction or % of active warps; see `source`."""

    reason: str
    value: float
    share_pct: float | None
    source: str  # "pcsamp", "ratio" or "pct"


@dataclass(frozen=True, slots=True)
class LaunchSummary:
    """One launch, condensed. Fields are None where the profile did not collect what they need.

    Identity: `kernel` (demangled, template arguments kept), `grid`, `block`, `nvtx`, and `occurrence`, the
    position among launches that are equal in all these.
    """

    kernel: str
    grid: Dim3 | None = None
    block: Dim3 | None = None
    occurrence: int = 0
    nvtx: str = ""
    device: str = ""
    compute_cap: str = ""
    duration_s: float | None = None
    cycles: float | None = None  # SM cycles elapsed
    sm_clock_hz: float | None = None
    dram_clock_hz: float | None = None
    dram_read_bytes: float | None = None
    dram_write_bytes: float | None = None
    dram_bytes_per_s: float | None = None
    dram_pct: float | None = None  # of the peak that the profiler knows
    sm_pct: float | None = None
    mem_pct: float | None = None
    l1_hit_pct: float | None = None
    l2_hit_pct: float | None = None
    l2_read_bytes: float | None = None
    occupancy_achieved_pct: float | None = None
    occupancy_theoretical_pct: float | None = None
    occupancy_limiter: str | None = None
    registers: float | None = None  # per thread
    shared_bytes: float | None = None  # per block, static and dynamic
    waves: float | None = None
    instructions: float | None = None  # executed, warp level
    local_bytes: float | None = None  # local-memory traffic through L1: spills and indexed local arrays
    sectors_per_request: float | None = None  # global loads: 4 is coalesced 4-byte access, 32 the worst
    flops: float | None = None
    top_stalls: tuple[Stall, ...] = ()
    bound: Bound = Bound.UNKNOWN
    code_hash: str = ""  # of the machine code, where it could be had
    instances: int = 1  # launches that it stands for: more than one in a summary per kernel
    filled: tuple[tuple[str, str], ...] = ()  # field → the metric it came from, where not the first choice
    unparsed: tuple[str, ...] = ()  # values that were there and could not be read, with why

    @property
    def identity(self) -> tuple[str, Dim3 | None, Dim3 | None, str, int]:
        return self.kernel, self.grid, self.block, self.nvtx, self.occurrence


@dataclass(frozen=True, slots=True)
class Launch:
    """A summary with everything it was made from."""

    summary: LaunchSummary
    counters: Sequence[Counter] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    """Launches of one case of one commit as one profiler run saw them. Immutable once stored.

    Durations of two profiles are comparable only where `clock_control`, `cache_control` and the device agree,
    and never with event timings: the profiler serialises, flushes and may hold clocks.
    """

    sha: str
    case_id: str
    taken_at: float  # unix seconds
    launches: tuple[Launch, ...]
    run_id: str = ""  # of the recording it belongs to; empty for imported files
    dirty: bool = False
    ncu_version: str = ""
    clock_control: str = ""  # base, boost, none, …; empty: not known
    cache_control: str = ""
    collection: str = ""  # metric set or selection asked for
    source: str = ""  # name of the file, or the command that took it
    limitations: tuple[str, ...] = field(default=())
