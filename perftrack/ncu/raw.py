"""What a reader hands to the summary: launches as a file told them, values in base units."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from perftrack.core.launch import Counter, Dim3


class FileKind(StrEnum):
    """What a file was found to be."""

    REPORT = "ncu report"
    RAW = "CSV, raw page"
    DETAILS = "CSV, details page"
    METRICS = "CSV, metric selection"
    TRANSPOSED = "CSV, transposed"
    PER_KERNEL = "CSV, summary per kernel"


@dataclass(frozen=True, slots=True)
class RawLaunch:
    """One launch. A per-kernel summary stands for several: `instances` then is their number."""

    id: str
    kernel: str
    grid: Dim3 | None = None
    block: Dim3 | None = None
    nvtx: str = ""
    device: str = ""
    compute_cap: str = ""
    instances: int = 1
    counters: tuple[Counter, ...] = ()
    unparsed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """One file. `warnings`: what the file itself reports (a launch that failed, a counter that was refused)."""

    kind: FileKind
    name: str
    launches: tuple[RawLaunch, ...]
    ncu_version: str = ""
    clock_control: str = ""
    warnings: tuple[str, ...] = ()
