"""Floating-point operations that a launch executed, from its counters.

Counted as the profiler's own roofline sections count them (`SpeedOfLight_RooflineChart.section` and its
hierarchical relatives): an add or a multiply is one operation a thread, a fused multiply-add two; instructions on
packed halves do two of each. Tensor cores have counters of operations. So does Yang, Kurth & Williams (2020),
"Hierarchical Roofline analysis for GPUs", doi 10.1002/cpe.5547, but for the packed halves.
"""

from __future__ import annotations

from collections.abc import Iterable

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
# Precision → unit → (metric, operations a thread)
_EXECUTED = {
    precision: {
        unit: tuple((f"{unit}__sass_thread_inst_executed_op_{name}_pred_on.sum", n) for name, n in instructions)
        for unit in _UNITS
    }
    for precision, instructions in _SCALAR.items()
}
_PER_CYCLE = {
    metric: f"{metric}.per_cycle_elapsed"
    for units in _EXECUTED.values()
    for metrics in units.values()
    for metric, _ in metrics
}
# Tensor operations by type of the sources. Their names differ between chips; none is part of another.
_TENSOR = tuple(
    tuple(f"sm__ops_path_tensor_{name}.sum" for name in names)
    for names in (
        ("src_bf16_dst_fp32", "src_bf16_dst_fp32_sparsity_off", "src_bf16_dst_fp32_sparsity_on"),
        ("src_fp16", "src_fp16_dst_fp16", "src_fp16_dst_fp32"),
        ("src_fp64",),
        ("src_tf32_dst_fp32", "src_tf32_dst_fp32_sparsity_off", "src_tf32_dst_fp32_sparsity_on"),
        ("src_fp8", "src_fp8_sparsity_off", "src_fp8_sparsity_on"),
    )
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


def _has_any(metrics: Iterable[str]) -> bool:
    return any(map(is_operations, metrics))


def operations(lookup: Lookup) -> tuple[float | None, str]:
    """Operations of all precisions that were counted, and which those are if not fp32, fp64, fp16 and tensor.

    None, with no precisions, where nothing was counted, or where the tensor cores worked and their operations were
    not counted: the rest would pass for the whole.
    """
    if not lookup.shared(_has_any):
        return None, ""
    counts: dict[str, float] = {}
    cycles: dict[str, float | None] = {}  # by unit, once they were needed
    for precision, instructions in _EXECUTED.items():
        count = _scalar(lookup, instructions, cycles)
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


def _scalar(
    lookup: Lookup, instructions: dict[str, tuple[tuple[str, float], ...]], cycles: dict[str, float | None]
) -> float | None:
    """Threads that executed these: counted, or as the rooflines collect it, per cycle."""
    for unit, metrics in instructions.items():
        total = 0.0
        for metric, factor in metrics:
            count = lookup.number("flops", metric, Kind.COUNT)
            if count is None:
                rate = lookup.number("flops", _PER_CYCLE[metric], Kind.COUNT)
                if rate is None:
                    break
                if unit not in cycles:
                    cycles[unit] = lookup.number("flops", _CYCLES.format(unit), Kind.CYCLES)
                elapsed = cycles[unit]
                if elapsed is None:
                    break
                count = rate * elapsed
            total += factor * count
        else:
            return total
    return None


def _tensor(lookup: Lookup) -> float | None:
    """Operations over all source types; None where no type was counted."""
    found = []
    for whole, *parts in _TENSOR:
        count = lookup.number("flops", whole, Kind.COUNT)
        if count is None:
            counted = [lookup.number("flops", part, Kind.COUNT) for part in parts]
            known = [c for c in counted if c is not None]
            count = sum(known) if known else None
        if count is not None:
            found.append(count)
    return sum(found) if found else None


def _tensor_busy(lookup: Lookup) -> bool:
    shares = (lookup.number("flops", metric, Kind.PERCENT) for metric in _TENSOR_BUSY)
    return any(share is not None and share > _BUSY_PCT for share in shares)
