"""Which device multiplies which type, and why not."""

from __future__ import annotations

from typing import Any

import pytest

from perftrack.ceiling.formats import choose_precision, refusal
from perftrack.core.ceiling import DataType
from tests.ceiling.fake_rig import Products, matrix_torch
from tests.timing.fake_torch import FakeGpu, Properties


def torch_of(*, hip: str | None = None, capability: tuple[int, int] = (9, 0), target: str = "gfx942") -> Any:
    gpu = FakeGpu()
    torch = matrix_torch(gpu, Products(gpu), hip=hip)
    torch.cuda.get_device_capability = lambda index: capability
    torch.cuda.get_device_properties = lambda index: Properties(gcnArchName=f"{target}:sramecc+:xnack-")
    return torch


def why(dtype: DataType, kind: str = "cuda", environ: dict[str, str] | None = None, **torch: Any) -> str | None:
    return refusal(torch_of(**torch), kind, 0, dtype, environ or {})


@pytest.mark.parametrize(
    "dtype", [DataType.BFLOAT16, DataType.FLOAT16, DataType.FLOAT32, DataType.TF32, DataType.FLOAT8_E4M3FN]
)
def test_a_hopper_card_multiplies_these(dtype: DataType) -> None:
    assert why(dtype) is None


@pytest.mark.parametrize("dtype", [DataType.MXFP8, DataType.MXFP4, DataType.NVFP4])
def test_block_scales_need_blackwell(dtype: DataType) -> None:
    assert "compute capability 9.0" in (why(dtype) or "")
    assert why(dtype, capability=(10, 0)) is None


def test_older_cards_have_neither_tf32_nor_fp8() -> None:
    assert "needs 8.0" in (why(DataType.TF32, capability=(7, 5)) or "")
    assert "needs 8.9" in (why(DataType.FLOAT8_E4M3FN, capability=(8, 0)) or "")


def test_amd_s_fp8_is_amd_s() -> None:
    assert "AMD's" in (why(DataType.FLOAT8_E4M3FNUZ) or "")
    assert "AMD's" in (why(DataType.FLOAT8_E4M3FNUZ, "xpu") or "")
    assert why(DataType.FLOAT8_E4M3FNUZ, "rocm", hip="6.4") is None
    assert "float8_e4m3fnuz" in (why(DataType.FLOAT8_E4M3FN, "rocm", hip="6.4") or "")


def test_mi350_changes_sides() -> None:
    mi350 = {"hip": "7.0", "target": "gfx950"}
    assert why(DataType.FLOAT8_E4M3FN, "rocm", **mi350) is None
    assert why(DataType.MXFP4, "rocm", **mi350) is None
    assert "gfx942" in (why(DataType.FLOAT8_E4M3FNUZ, "rocm", **mi350) or "")
    assert "gfx950" in (why(DataType.MXFP8, "rocm", hip="6.4") or "")
    assert "mxfp4" in (why(DataType.NVFP4, "rocm", **mi350) or "")


def test_a_torch_without_the_type_or_the_call_says_so() -> None:
    torch = torch_of(capability=(10, 0))
    del torch.float4_e2m1fn_x2
    assert "has no float4_e2m1fn_x2" in (refusal(torch, "cuda", 0, DataType.NVFP4, {}) or "")
    torch = torch_of(capability=(10, 0))
    del torch._scaled_mm_v2
    assert "recipe" in (refusal(torch, "cuda", 0, DataType.MXFP4, {}) or "")
    del torch._scaled_mm
    assert "scaled products" in (refusal(torch, "cuda", 0, DataType.FLOAT8_E4M3FN, {}) or "")


def test_the_driver_s_override_decides_between_float32_and_tf32() -> None:
    assert "forbids" in (why(DataType.TF32, environ={"NVIDIA_TF32_OVERRIDE": "0"}) or "")
    assert "tf32" in (why(DataType.FLOAT32, environ={"NVIDIA_TF32_OVERRIDE": "1"}) or "")
    assert why(DataType.FLOAT32, environ={"NVIDIA_TF32_OVERRIDE": "0"}) is None


@pytest.mark.parametrize("kind", ["hpu", "mps"])
def test_devices_without_tf32_say_so(kind: str) -> None:
    assert "no TF32" in (why(DataType.TF32, kind) or "")


@pytest.mark.parametrize(
    ("dtype", "precision"),
    [(DataType.TF32, "high"), (DataType.FLOAT32, "highest"), (DataType.BFLOAT16, "untouched")],
)
def test_the_precision_of_float32_products_is_switched_for_those_alone(dtype: DataType, precision: str) -> None:
    torch = torch_of()
    torch.precision = "untouched"
    choose_precision(torch, dtype)
    assert torch.precision == precision
