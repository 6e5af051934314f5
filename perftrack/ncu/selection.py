"""What is asked of the profiler: metrics, and what it does to clocks and caches meanwhile."""

from __future__ import annotations

import re
from dataclasses import dataclass

from perftrack.errors import UsageError
from perftrack.ncu.kinds import Kind
from perftrack.ncu.names import BLACKWELL, FIELDS

# Command-line values of ncu. "base" and "boost" need permission to set clocks, and undo a lock that is in force.
CLOCK_CONTROLS = ("none", "base", "boost")
CACHE_CONTROLS = ("all", "none")

# Fields of a summary that explaining a slowdown needs and the set "basic" does not fill.
_DIFF_FIELDS = (
    "dram_read_bytes",
    "dram_write_bytes",
    "dram_bytes_per_s",
    "instructions",
    "local_bytes",
    "sectors_per_request",
    "l1_hit_pct",
    "l2_hit_pct",
    "l2_read_bytes",
)


# Floating-point operations, as `operations` puts them together; the tensor cores' by type of the sources.
_SCALAR = ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd", "hmul", "hfma")
_TENSOR = ("bf16_dst_fp32", "fp16", "fp64", "tf32_dst_fp32", "fp8", "fp8_sparsity_off", "fp8_sparsity_on")


def _wanted() -> tuple[str, ...]:
    """The first choice of metrics for each field, and what stands in for it on newer chips; n/a costs nothing."""
    found: list[str] = []
    for field in _DIFF_FIELDS:
        own = [s for s in FIELDS[field] if s.seen == BLACKWELL and s.kind is not Kind.COUNT]
        for source in (FIELDS[field][0], *own):
            found += source.metrics
    found += [f"smsp__sass_thread_inst_executed_op_{name}_pred_on.sum" for name in _SCALAR]
    found += [f"sm__ops_path_tensor_src_{name}.sum" for name in _TENSOR]
    return tuple(dict.fromkeys(found))


DIFF_METRICS = _wanted()

_SET = re.compile(r"[A-Za-z][\w-]*")


def check_set(name: str) -> None:
    """Raises UsageError for what cannot be a section set: ncu would take it for something else."""
    if not _SET.fullmatch(name):
        raise UsageError(f"{name!r} is no set of Nsight Compute", "Give one like basic or full.")


@dataclass(frozen=True, slots=True)
class Selection:
    """`set`: a section set of ncu (basic, detailed, full, …), or empty for the metrics alone. `launches`: at most
    so many are profiled, None for all."""

    set: str = "basic"
    metrics: tuple[str, ...] = ()
    clock_control: str = "none"
    cache_control: str = "all"
    launches: int | None = None

    @property
    def name(self) -> str:
        """How it is kept with a profile: `basic`, `basic+diff`, `3 metrics`."""
        extra = set(self.metrics) - set(DIFF_METRICS)
        whole = set(self.metrics) >= set(DIFF_METRICS)
        count = len(extra) if whole else len(self.metrics)
        parts = [self.set, "diff" if whole else "", f"{count} metric{'s'[: count != 1]}" if count else ""]
        return "+".join(p for p in parts if p)

    @property
    def options(self) -> tuple[str, ...]:
        """ncu's options. The controls are always given: the default of the clocks' changed from base to boost."""
        chosen: tuple[str, ...] = ("--set", self.set) if self.set else ()
        if self.metrics:
            chosen += ("--metrics", ",".join(self.metrics))
        if self.launches is not None:
            chosen += ("--launch-count", str(self.launches))
        return (*chosen, "--clock-control", self.clock_control, "--cache-control", self.cache_control)
