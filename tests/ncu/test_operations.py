from __future__ import annotations

import pytest

from perftrack.core.launches.launch import Counter
from tests.ncu.launches import counter, summary

BUSY = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"


def executed(unit: str = "smsp", ending: str = "", **counts: float) -> list[Counter]:
    name = f"{unit}__sass_thread_inst_executed_op_{{}}_pred_on.sum{ending}"
    return [counter(name.format(op), n, "inst/cycle" if ending else "inst") for op, n in counts.items()]


def tensor(**counts: float) -> list[Counter]:
    return [counter(f"sm__ops_path_tensor_{name}.sum", n, "") for name, n in counts.items()]


ALL = [
    *executed(fadd=1, fmul=2, ffma=3),
    *executed(dadd=10, dmul=20, dfma=30),
    *executed(hadd=100, hmul=200, hfma=300),
    *tensor(src_bf16_dst_fp32=1e6),
]


def test_a_fused_multiply_add_is_two_operations_and_packed_halves_are_twice_as_many() -> None:
    s = summary(*ALL)
    assert s.flops == (1 + 2 + 6) + (10 + 20 + 60) + 2 * (100 + 200 + 600) + 1e6
    assert s.filled == ()


def test_rates_per_cycle_count_by_the_cycles_of_the_same_unit() -> None:
    rates = executed(ending=".per_cycle_elapsed", fadd=0.5, fmul=0.0, ffma=2.0)
    cycles = counter("smsp__cycles_elapsed.avg", 1000.0)
    assert summary(*rates, cycles).flops == 4500
    assert summary(*rates).flops is None


def test_counts_of_whole_sms_stand_in() -> None:
    assert summary(*executed("sm", fadd=1, fmul=1, ffma=1)).flops == 4


def test_one_precision_alone_is_told_to_be_that() -> None:
    assert summary(*executed(fadd=1, fmul=1, ffma=1)).filled == (("flops", "fp32 operations only"),)


def test_a_precision_with_an_instruction_missing_is_not_counted() -> None:
    assert summary(*executed(fadd=1, fmul=1)).flops is None


def test_none_executed_is_zero_and_none_counted_is_missing() -> None:
    assert summary(*executed(fadd=0, fmul=0, ffma=0)).flops == 0
    assert summary().flops is None


def test_tensor_cores_that_were_busy_and_not_counted_leave_operations_unknown() -> None:
    s = summary(*executed(fadd=1, fmul=1, ffma=1), counter(BUSY, 80.0))
    assert s.flops is None
    assert s.unparsed == ("flops: tensor cores worked and their operations were not counted",)


def test_moves_on_the_tensor_pipe_are_no_operations() -> None:
    assert summary(*executed(fadd=1, fmul=1, ffma=1), counter(BUSY, 0.2)).flops == 4


@pytest.mark.parametrize(
    ("counts", "flops"),
    [
        ({"src_fp16": 8.0, "src_fp16_dst_fp16": 5.0, "src_fp16_dst_fp32": 3.0}, 8.0),
        ({"src_fp16_dst_fp16": 5.0, "src_fp16_dst_fp32": 3.0}, 8.0),
        ({"src_fp8_sparsity_off": 4.0, "src_fp8_sparsity_on": 2.0, "src_fp64": 1.0}, 7.0),
        ({"src_int8": 9.0, "src_bf16_dst_fp32": 1.0}, 1.0),
    ],
)
def test_tensor_operations_of_a_type_are_counted_once(counts: dict[str, float], flops: float) -> None:
    assert summary(*tensor(**counts)).flops == flops
