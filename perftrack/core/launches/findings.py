"""What differs between two launches, in words and numbers. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Origin(StrEnum):
    """What a finding puts a difference down to."""

    CODE = "code"  # what the compiler made of the source, or how it is launched
    WORK = "work"  # the same code did more or less: its input, or where that lies
    ENVIRONMENT = "environment"  # clocks, device, how it was profiled
    SYMPTOM = "symptom"  # shows where time goes, not why


class FindingCode(StrEnum):
    SAME_CODE = "same-code"
    CODE_CHANGED = "code-changed"
    CLOCK = "clock"
    DURATION = "duration"
    NO_DURATION = "duration-not-comparable"
    LAUNCH_SHAPE = "launch-shape"
    REGISTERS = "registers"
    SHARED_MEMORY = "shared-memory"
    OCCUPANCY = "occupancy"
    LOCAL_MEMORY = "local-memory"
    INSTRUCTIONS = "instructions"
    OPERATIONS = "operations"
    COALESCING = "coalescing"
    DRAM_BYTES = "dram-bytes"
    DRAM_RATE = "dram-rate"
    L2_READS = "l2-reads"
    L1_HITS = "l1-hits"
    L2_HITS = "l2-hits"
    BOUND = "bound"
    STALLS = "stalls"
    NOT_BOTH = "not-in-both"


@dataclass(frozen=True, slots=True)
class Delta:
    """One number on both sides, in base units; None where that side does not have it."""

    field: str
    baseline: float | None
    candidate: float | None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """`message`: whole, with its numbers. `weight`: its part in the change of the launch's time, in log units, as
    far as that can be told: positive explains a slower candidate, negative a faster one. Rankings are by its size.
    """

    code: FindingCode
    origin: Origin
    message: str
    deltas: tuple[Delta, ...] = ()
    weight: float = 0.0
