"""Floating-point operations that a launch executed, from its counters.

Counted as the profiler's own roofline sections count them (`SpeedOfLight_RooflineChart.section` and its
hierarchical relatives): an add or a multiply is one operation a thread, a fused multiply-add two; instructions on
packed halves do two of each. Tensor cores have counters of operations. So does Yang, Kurth & Williams (2020),
"Hierarchical Roofline analysis for GPUs", doi 10.1002/cpe.5547, but for the packed halves.
"""

from __future__ import annotations

from perftrack.ncu.kinds import Kind
from perftrack.ncu.lookup import Lookup

# Precision → (instruction, operations a thread). Of one precision all three must be there.
_SCALAR = {
    "fp32": (("fadd", 1.0), ("fmul", 1.0), ("ffma", 2.0)),
    "fp64": (("dadd", 1.0), ("dmul", 1.0), ("dfma", 2.0)),
    "fp16": (("hadd", 2.0), ("hmul", 2.0), ("hfma", 4.0)),
}
_UNITS = ("smsp", "sm")  # the same instructions, counted per sub-partition or per SM
_CYCLES = "{}__cycles_elapsed.avg"
# Tensor operations by type of the sources. Their names differ between chips; none is part of another.
_TENSOR = (
    ("src_bf16_dst_fp32", "src_bf16_dst_fp32_sparsity_off", "src_bf16_dst_fp32_sparsity_on"),
    ("src_fp16", "src_fp16_dst_fp16", "src_fp16_dst_fp32"),
    ("src_fp64",),
    ("src_tf32_dst_fp32", "src_tf32_dst_fp32_sparsity_off", "src_tf32_dst_fp32_sparsity_on"),
    ("src_fp8", "src_fp8_sparsity_off", "src_fp8_sparsity_on"),
)
_TENSOR_BUSY = (
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active",
)
_BUSY_PCT = 1.0  # below it, what ran there were moves that the compiler hid on that pipe: 0.2 % in an fp32 kernel


def is_operations(metric: str) -> bool:
    return (
        "_sass_thread_inst_executed_op_" in metric
        or metric.startswith("sm__ops_path_tensor_src_")
        or metric in _TENSOR_BUSY
        or metric in {_CYCLES.format(u) for u in _UNITS}
    )


def operations(lookup: Lookup) -> tuple[float | None, str]:
    """Operations of all precisions that were counted, and which those are if not fp32, fp64, fp16 and tensor.

    None, with no precisions, where nothing was counted, or where the tensor cores worked and their operations were
    not counted: the rest would pass for the whole.
    """
    counts: dict[str, float] = {}
    for precision, instructions in _SCALAR.items():
        count = _scalar(lookup, instructions)
        if count is not None:
            counts[precision] = count
    tensor = _tensor(lookup)
    if tensor is not None:
        counts["tensor"] = tensor
    elif _tensor_busy(lookup):
        if counts:
            lookup.problems.append("flops: tensor cores worked and their operations were not counted")
        return None, ""
    if not counts:
        return None, ""
    whole = len(counts) == len(_SCALAR) + 1
    return sum(counts.values()), "" if whole else f"{', '.join(counts)} operations only"


def _scalar(lookup: Lookup, instructions: tuple[tuple[str, float], ...]) -> float | None:
    for unit in _UNITS:
        total = 0.0
        for name, factor in instructions:
            count = _executed(lookup, unit, name)
            if count is None:
                break
            total += factor * count
        else:
            return total
    return None


def _executed(lookup: Lookup, unit: str, name: str) -> float | None:
    """Threads that executed the instruction: counted, or as the rooflines collect it, per cycle."""
    metric = f"{unit}__sass_thread_inst_executed_op_{name}_pred_on.sum"
    count = lookup.number("flops", metric, Kind.COUNT)
    if count is not None:
        return count
    rate = lookup.number("flops", f"{metric}.per_cycle_elapsed", Kind.COUNT)
    if rate is None:
        return None
    cycles = lookup.number("flops", _CYCLES.format(unit), Kind.CYCLES)
    return None if cycles is None else rate * cycles


def _tensor(lookup: Lookup) -> float | None:
    """Operations over all source types; None where no type was counted."""
    found = []
    for whole, *parts in _TENSOR:
        count = lookup.number("flops", f"sm__ops_path_tensor_{whole}.sum", Kind.COUNT)
        if count is None:
            counted = [lookup.number("flops", f"sm__ops_path_tensor_{part}.sum", Kind.COUNT) for part in parts]
            known = [c for c in counted if c is not None]
            count = sum(known) if known else None
        if count is not None:
            found.append(count)
    return sum(found) if found else None


def _tensor_busy(lookup: Lookup) -> bool:
    shares = (lookup.number("flops", metric, Kind.PERCENT) for metric in _TENSOR_BUSY)
    return any(share is not None and share > _BUSY_PCT for share in shares)
