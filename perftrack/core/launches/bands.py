"""By how much the profiler's own numbers differ between equal launches: what a difference must exceed.

The widths hold every pair of equal launches that was recorded, with something to spare: eleven kernels of 2.6 µs
to 1.1 ms (equal in machine code, shape and input), two to six launches each in up to four profiles, on an H200
whose clocks were not controlled. Seen: duration 3.8 %, cycles 2.0 %, SM clock 0.9 %, DRAM clock 0.6 %, shares of
peak 1.3 points, achieved occupancy 0.2 points, L2 hit rate 1.0, L1 hit rate 0.1, byte rate 0.4 %, DRAM bytes 0.2
%. At 2.6 µs: duration 0.13 µs (4.9 %), 293 cycles (5.8 %), clocks 2.1 %, occupancy 6.1 points. Where next to
nothing is written, DRAM bytes differ by up to 1,500.

Registers, shared memory, launch shape, instructions, sectors and requests were equal to the last digit, as they
must be for the same code on the same data: these are compared exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Band:
    """`relative`: of the larger side; `absolute`: in the field's unit. A difference within either is none."""

    relative: float = 0.0
    absolute: float = 0.0

    def holds(self, baseline: float, candidate: float) -> bool:
        """Whether the two differ by no more than the band."""
        gap = abs(candidate - baseline)
        return gap <= self.absolute or gap <= self.relative * max(abs(baseline), abs(candidate))

    def __str__(self) -> str:
        return f"±{100 * self.relative:g} %" if self.relative else f"±{self.absolute:g}"


EXACT = Band()
_SHARE = Band(absolute=3.0)  # percentage points
BANDS = {
    "duration_s": Band(0.05, 0.25e-6),
    "cycles": Band(0.03, 500),
    "sm_clock_hz": Band(0.025),
    "dram_clock_hz": Band(0.025),
    "dram_read_bytes": Band(0.01, 65536),
    "dram_write_bytes": Band(0.01, 65536),
    "dram_bytes_per_s": Band(0.05),
    "l2_read_bytes": Band(0.01, 65536),
    "dram_pct": _SHARE,
    "sm_pct": _SHARE,
    "mem_pct": _SHARE,
    "l1_hit_pct": Band(absolute=2.0),
    "l2_hit_pct": Band(absolute=2.0),
    "occupancy_achieved_pct": Band(absolute=7.0),
    # Counted exactly, and printed as rates per cycle with two decimals.
    "flops": Band(0.005),
    # A quotient of exact counts.
    "sectors_per_request": Band(0.001),
}


def band(field: str) -> Band:
    """The field's band; an exact one where equal launches have equal values."""
    return BANDS.get(field, EXACT)


def changed(field: str, baseline: float | None, candidate: float | None) -> bool:
    """Whether both sides have the value and they differ by more than equal launches do."""
    if baseline is None or candidate is None:
        return False
    return not band(field).holds(baseline, candidate)


def log_ratio(baseline: float | None, candidate: float | None) -> float | None:
    """ln(candidate / baseline); None where a side is missing or not positive."""
    if not baseline or not candidate or baseline < 0 or candidate < 0:
        return None
    return math.log(candidate / baseline)
