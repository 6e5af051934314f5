"""What each field of a summary is called across releases and kinds of file: one table.

A field has sources in order of preference. A source is one metric under one name (or several, put together as
its rule says) and carries where that name was seen: "raw" is the metric's own name, as reports, the raw page and
metric selections have it; "details" is the label that the details page, its text form and per-kernel summaries
print. Labels recur: "Memory Throughput" is a percentage in one section and a rate in another, so a label counts
only in its sections, or where no other metric of the file has that label.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from perftrack.ncu.kinds import Kind


class Rule(StrEnum):
    """How the metrics of a source make its value."""

    SUM = "+"
    RATIO = "/"


@dataclass(frozen=True, slots=True, eq=False)  # told by identity: each is made once
class Source:
    """`kind`: of each of its metrics; `factor`: what the value is multiplied by. `sections`: of a label."""

    metrics: tuple[str, ...]
    kind: Kind
    seen: str
    sections: tuple[str, ...] = ()
    rule: Rule = Rule.SUM
    factor: float = 1.0

    @property
    def title(self) -> str:
        """As it is named to people: `dram__sectors_read.sum × 32`, `SOL FB`."""
        joined = f" {self.rule} ".join(self.metrics)
        if self.factor == 1.0:
            return joined
        return f"{f'({joined})' if len(self.metrics) > 1 else joined} × {self.factor:g}"


SECTOR_BYTES = 32.0  # of L1, L2 and DRAM alike (Kernel Profiling Guide, "Sector")

SPEED = (
    "GPU Speed Of Light Throughput",
    "GPU Speed Of Light",
)  # the second: as releases of 2019 and 2020 print it
MEMORY = ("Memory Workload Analysis",)
LAUNCH = ("Launch Statistics",)
OCCUPANCY = ("Occupancy",)
INSTRUCTIONS = ("Instruction Statistics",)

# Where a name was seen. CUDA 10.2 came with release 2019.5.
OWN = "raw, 2025.3 on compute capability 9.0"
LABEL = "details, 2019.5 and 2025.3"
NEW_LABEL = "details, 2025.3"
SELECTED = "raw, metric selections"
BLACKWELL = "raw, 2025.x on compute capability 12.0"


def _raw(*metrics: str, kind: Kind, seen: str = OWN, rule: Rule = Rule.SUM, factor: float = 1.0) -> Source:
    return Source(metrics, kind, seen, rule=rule, factor=factor)


def _label(*metrics: str, sections: tuple[str, ...], kind: Kind, seen: str = LABEL) -> Source:
    return Source(metrics, kind, seen, sections=sections)


_LOADS = "l1tex__t_{}_pipe_lsu_mem_global_op_ld.sum"
_LOCAL = tuple(f"l1tex__t_sectors_pipe_lsu_mem_local_op_{op}.sum" for op in ("ld", "st"))
_LOCAL_BYTES = tuple(f"l1tex__t_bytes_pipe_lsu_mem_local_op_{op}.sum" for op in ("ld", "st"))
_SHARED = tuple(f"launch__shared_mem_per_block_{part}" for part in ("static", "dynamic"))

# Field of LaunchSummary → its sources. The first raw and the first details source are what a current file has;
# a value from any other is reported as filled from it.
FIELDS: dict[str, tuple[Source, ...]] = {
    "duration_s": (
        _raw("gpu__time_duration.sum", kind=Kind.TIME),
        _label("Duration", sections=SPEED, kind=Kind.TIME),
        _raw("gpu__time_duration.avg", kind=Kind.TIME, seen=SELECTED),
    ),
    "cycles": (
        _raw("gpc__cycles_elapsed.max", kind=Kind.CYCLES),
        _label("Elapsed Cycles", sections=SPEED, kind=Kind.CYCLES),
        _raw("sm__cycles_elapsed.max", kind=Kind.CYCLES),
        _raw("sm__cycles_elapsed.avg", kind=Kind.CYCLES),
    ),
    "sm_clock_hz": (
        _raw("gpc__cycles_elapsed.avg.per_second", kind=Kind.FREQUENCY),
        _label("SM Frequency", sections=SPEED, kind=Kind.FREQUENCY),
        _raw("sm__cycles_elapsed.avg.per_second", kind=Kind.FREQUENCY),
        _raw("smsp__cycles_elapsed.avg.per_second", kind=Kind.FREQUENCY),
    ),
    "dram_clock_hz": (
        _raw("dram__cycles_elapsed.avg.per_second", kind=Kind.FREQUENCY),
        _label("DRAM Frequency", sections=SPEED, kind=Kind.FREQUENCY, seen="details, 2020.3 and 2025.3"),
        _label("Memory Frequency", sections=SPEED, kind=Kind.FREQUENCY, seen="details, 2019.5"),
    ),
    "dram_read_bytes": (
        _raw("dram__bytes_read.sum", kind=Kind.BYTES),
        _raw("dram__bytes_op_read.sum", kind=Kind.BYTES, seen=BLACKWELL),
        _raw("dram__sectors_read.sum", kind=Kind.COUNT, seen=SELECTED, factor=SECTOR_BYTES),
        _raw("dram__sectors_op_read.sum", kind=Kind.COUNT, seen=BLACKWELL, factor=SECTOR_BYTES),
    ),
    "dram_write_bytes": (
        _raw("dram__bytes_write.sum", kind=Kind.BYTES),
        _raw("dram__bytes_op_write.sum", kind=Kind.BYTES, seen=BLACKWELL),
        _raw("dram__sectors_write.sum", kind=Kind.COUNT, seen=SELECTED, factor=SECTOR_BYTES),
        _raw("dram__sectors_op_write.sum", kind=Kind.COUNT, seen=BLACKWELL, factor=SECTOR_BYTES),
    ),
    "dram_bytes_per_s": (
        _raw("dram__bytes.sum.per_second", kind=Kind.RATE),
        _label("Memory Throughput", sections=MEMORY, kind=Kind.RATE),
    ),
    "dram_pct": (
        _raw("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", kind=Kind.PERCENT),
        _label("DRAM Throughput", sections=SPEED, kind=Kind.PERCENT, seen=NEW_LABEL),
        _raw("dram__throughput.avg.pct_of_peak_sustained_elapsed", kind=Kind.PERCENT, seen=SELECTED),
        _label("SOL DRAM", sections=SPEED, kind=Kind.PERCENT, seen="details, 2020.3"),
        _label("SOL FB", sections=SPEED, kind=Kind.PERCENT, seen="details, 2019.5"),
    ),
    "sm_pct": (
        _raw("sm__throughput.avg.pct_of_peak_sustained_elapsed", kind=Kind.PERCENT),
        _label("Compute (SM) Throughput", sections=SPEED, kind=Kind.PERCENT, seen=NEW_LABEL),
        _label("Compute (SM) [%]", sections=SPEED, kind=Kind.PERCENT, seen="details, between 2020.3 and 2025.3"),
        _label("SM [%]", sections=SPEED, kind=Kind.PERCENT, seen="details, 2019.5 and 2020.3"),
    ),
    "mem_pct": (
        _raw("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", kind=Kind.PERCENT),
        _label("Memory Throughput", sections=SPEED, kind=Kind.PERCENT, seen=NEW_LABEL),
        _label("Memory [%]", sections=SPEED, kind=Kind.PERCENT, seen="details, 2019.5 and 2020.3"),
    ),
    "l1_hit_pct": (
        _raw("l1tex__t_sector_hit_rate.pct", kind=Kind.PERCENT),
        _label("L1/TEX Hit Rate", sections=MEMORY, kind=Kind.PERCENT, seen="details, 2020.3 and 2025.3"),
    ),
    "l2_hit_pct": (
        _raw("lts__t_sector_hit_rate.pct", kind=Kind.PERCENT),
        _label("L2 Hit Rate", sections=MEMORY, kind=Kind.PERCENT),
    ),
    "l2_read_bytes": (
        _raw("lts__t_sectors_srcunit_tex_op_read.sum", kind=Kind.COUNT, factor=SECTOR_BYTES),
        _raw("lts__t_sectors_op_read.sum", kind=Kind.COUNT, seen=SELECTED, factor=SECTOR_BYTES),
    ),
    "occupancy_achieved_pct": (
        _raw("sm__warps_active.avg.pct_of_peak_sustained_active", kind=Kind.PERCENT),
        _label("Achieved Occupancy", sections=OCCUPANCY, kind=Kind.PERCENT),
    ),
    "occupancy_theoretical_pct": (
        _raw("sm__maximum_warps_per_active_cycle_pct", kind=Kind.PERCENT),
        _label("Theoretical Occupancy", sections=OCCUPANCY, kind=Kind.PERCENT),
    ),
    "registers": (
        _raw("launch__registers_per_thread", kind=Kind.COUNT),
        _label("Registers Per Thread", sections=LAUNCH, kind=Kind.COUNT),
    ),
    "shared_bytes": (
        _raw(*_SHARED, kind=Kind.BYTES),
        _label(
            "Static Shared Memory Per Block",
            "Dynamic Shared Memory Per Block",
            sections=LAUNCH,
            kind=Kind.BYTES,
        ),
    ),
    "waves": (
        _raw("launch__waves_per_multiprocessor", kind=Kind.COUNT),
        _label("Waves Per SM", sections=LAUNCH, kind=Kind.COUNT),
    ),
    "instructions": (
        _raw("smsp__inst_executed.sum", kind=Kind.COUNT),
        _label("Executed Instructions", sections=INSTRUCTIONS, kind=Kind.COUNT),
        _raw("sm__inst_executed.sum", kind=Kind.COUNT, seen=SELECTED),
        _raw("inst_executed", kind=Kind.COUNT, seen="raw, source counters of 2025.3"),
    ),
    "local_bytes": (
        _raw(*_LOCAL, kind=Kind.COUNT, factor=SECTOR_BYTES),
        _raw(*_LOCAL_BYTES, kind=Kind.BYTES, seen=SELECTED),
    ),
    "sectors_per_request": (
        _raw(_LOADS.format("sectors"), _LOADS.format("requests"), kind=Kind.COUNT, rule=Rule.RATIO),
        _raw(
            "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
            kind=Kind.COUNT,
            seen=SELECTED,
        ),
    ),
}

# What holds blocks on an SM back: name for people → sources of the most blocks that it allows.
LIMITS: dict[str, tuple[Source, ...]] = {
    name: (
        _raw(f"launch__occupancy_limit_{metric}", kind=Kind.COUNT),
        _label(f"Block Limit {label}", sections=OCCUPANCY, kind=Kind.COUNT),
    )
    for name, metric, label in (
        ("registers", "registers", "Registers"),
        ("shared memory", "shared_mem", "Shared Mem"),
        ("warps", "warps", "Warps"),
        ("blocks per SM", "blocks", "SM"),
        ("barriers", "barriers", "Barriers"),
    )
}

GRID = tuple(f"launch__grid_dim_{axis}" for axis in "xyz")
BLOCK = tuple(f"launch__block_dim_{axis}" for axis in "xyz")
DEVICE_NAME = "device__attribute_display_name"
CAPABILITY = tuple(f"device__attribute_compute_capability_{part}" for part in ("major", "minor"))


_STORED_UNITS = {
    metric: source.kind.stored
    for sources in (*FIELDS.values(), *LIMITS.values())
    for source in sources
    if not source.sections
    for metric in source.metrics
} | {f"{unit}__cycles_elapsed.avg": Kind.CYCLES.stored for unit in ("smsp", "sm")}


def stored_unit(metric: str) -> str:
    """The unit that a report stores this metric in; empty for counts, and where the table has none."""
    return _STORED_UNITS.get(metric, "")
