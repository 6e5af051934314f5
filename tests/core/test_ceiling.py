from __future__ import annotations

import pytest

from perftrack.core.ceiling import (
    CeilingKind,
    CeilingReport,
    CeilingResult,
    CrossCheck,
    DataType,
    Definition,
    Ending,
    RegimeReading,
    Shape,
)

SHAPE = Shape(1536, 2816, 6144)


@pytest.mark.parametrize("definition", Definition)
def test_every_definition_has_a_kind_a_unit_and_a_sentence(definition: Definition) -> None:
    assert definition.value.startswith(definition.kind.value)
    assert definition.unit in {"flop/s", "byte/s"}
    assert len(definition.sentence) > 30


def test_matmul_ceilings_are_rates_of_work_and_streams_of_bytes() -> None:
    assert Definition.MSMF_STEADY.unit == "flop/s"
    assert Definition.TRIAD_L2.unit == "byte/s"


def test_a_product_has_a_multiplication_and_an_addition_per_term() -> None:
    assert Shape(2, 3, 5).flops == 60
    assert str(SHAPE) == "1536x2816x6144"


@pytest.mark.parametrize(
    ("dtype", "bits"),
    [(DataType.BFLOAT16, 16), (DataType.TF32, 32), (DataType.FLOAT8_E4M3FN, 8), (DataType.NVFP4, 4)],
)
def test_elements_have_their_bits(dtype: DataType, bits: int) -> None:
    assert dtype.bits == bits


def test_the_ratio_of_regimes_needs_both() -> None:
    both = CrossCheck(SHAPE, (CeilingKind.MAMF,), RegimeReading(800.0), RegimeReading(600.0))
    assert both.ratio == 0.75
    assert CrossCheck(SHAPE, (), RegimeReading(800.0), None).ratio is None


def test_a_report_finds_its_result_and_is_partial_unless_complete() -> None:
    result = CeilingResult(Definition.MAMF, "v1/mamf-median5", 8.5e14, None, SHAPE)
    report = CeilingReport((result,), Ending.INTERRUPTED)
    assert report.of(Definition.MAMF) is result
    assert report.of(Definition.MSMF) is None
    assert report.partial
    assert not CeilingReport((), Ending.COMPLETE).partial
