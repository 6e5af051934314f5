"""Ceilings as cases, and the types that benchmarks say they multiply."""

from __future__ import annotations

import pytest

from perftrack.core.ceiling import CeilingResult, DataType, Definition
from perftrack.core.ceilingcase import ceiling_case, definition_of, dtype_of, is_tuned, only_ceilings
from perftrack.core.history import Point, RunSummary, Series
from perftrack.core.model import Case, Direction, MeasurementTier, Status


def result(definition: Definition, dtype: DataType | None = None, protocol: str = "v1/x") -> CeilingResult:
    return CeilingResult(definition, protocol, 1.0, None, dtype=dtype)


def test_a_ceiling_s_case_names_definition_and_type() -> None:
    case = ceiling_case(result(Definition.MAMF, DataType.BFLOAT16))
    assert case.id == "ceiling[definition=mamf-median5,dtype=bfloat16]"
    assert ceiling_case(result(Definition.COPY_L2)).id == "ceiling[definition=copy-l2]"
    assert definition_of(case) is Definition.MAMF


def test_knobs_that_change_the_meaning_make_another_case() -> None:
    tuned = ceiling_case(result(Definition.MSMF, DataType.TF32, "v1/msmf-repeats/soak_s=5/lock_reps=3"))
    assert dict(tuned.params)["tuned"] == "soak_s=5/lock_reps=3"
    assert is_tuned(tuned)
    assert not is_tuned(ceiling_case(result(Definition.MSMF, DataType.TF32, "v1/msmf-repeats")))


@pytest.mark.parametrize(
    "case",
    [Case("ceiling"), Case("ceiling", (("definition", "height"),)), Case("roof", (("definition", "copy-l2"),))],
)
def test_a_benchmark_that_is_called_ceiling_is_none(case: Case) -> None:
    assert definition_of(case) is None


@pytest.mark.parametrize(
    ("params", "tags", "dtype"),
    [
        ((("dtype", "bfloat16"),), (), DataType.BFLOAT16),
        ((("dtype", "torch.float16"),), (), DataType.FLOAT16),
        ((("dtype", "BF16"),), ("fp16",), DataType.BFLOAT16),
        ((), ("gemm", "fp8"), DataType.FLOAT8_E4M3FN),
        ((), ("tf32",), DataType.TF32),
        ((), ("bf16", "fp16"), None),
        ((), ("bf16", "bfloat16"), DataType.BFLOAT16),
        ((("dtype", 16),), (), None),
        ((("type", "bf16"),), ("gemm",), None),
    ],
)
def test_the_type_is_the_parameter_s_or_the_one_tag_s(params, tags, dtype) -> None:
    assert dtype_of(params, tags) is dtype


def series(case: Case, *runs: str) -> Series:
    points = tuple(
        Point(r, "sha", 0.0, False, Status.OK, 1.0, None, MeasurementTier.B, (), (), "lane") for r in runs
    )
    return Series(case, "rate", "flop/s", Direction.HIGHER, (), "", points)


def run(run_id: str, ok: int) -> RunSummary:
    return RunSummary(run_id, "sha", 0.0, 0.0, False, "", "", "", (), ok, 0, 0)


def test_a_run_of_nothing_but_ceilings_is_told_from_one_with_benchmarks() -> None:
    all_series = [
        series(ceiling_case(result(Definition.MAMF, DataType.BFLOAT16)), "only", "both"),
        series(ceiling_case(result(Definition.COPY_DEVICE)), "only"),
        series(Case("work"), "both", "none"),
    ]
    assert only_ceilings(all_series, [run("only", 2), run("both", 2), run("none", 1)]) == {"only"}
