"""Operands: the layouts and scales that torch needs, on the fake and on a real CPU torch."""

from __future__ import annotations

from typing import Any

import pytest

from perftrack.ceiling.formats import FORMATS
from perftrack.ceiling.operands import Operands
from perftrack.ceiling.protocols import ShapeRefusedError
from perftrack.core.ceiling import DataType, Shape
from tests.ceiling.fake_rig import Products, matrix_torch
from tests.timing.fake_torch import FakeGpu

SHAPE = Shape(256, 384, 512)


def run(dtype: DataType, shape: Shape = SHAPE, kind: str = "cuda") -> tuple[Any, Products]:
    gpu = FakeGpu()
    products = Products(gpu)
    torch = matrix_torch(gpu, products)
    product = Operands(torch, kind, "cuda:0", dtype).product(shape)
    product.run()
    assert product.result.shape == (shape.m, shape.n) == product.fill.shape
    return torch, products


@pytest.mark.parametrize(
    ("dtype", "call", "data", "result"),
    [
        (DataType.BFLOAT16, "mm", "bfloat16", "bfloat16"),
        (DataType.FLOAT16, "mm", "float16", "float16"),
        (DataType.FLOAT32, "mm", "float32", "float32"),
        (DataType.TF32, "mm", "float32", "float32"),
        (DataType.FLOAT8_E4M3FN, "_scaled_mm", "float8_e4m3fn", "float8_e4m3fn"),
        (DataType.FLOAT8_E4M3FNUZ, "_scaled_mm", "float8_e4m3fnuz", "float8_e4m3fnuz"),
        (DataType.MXFP8, "_scaled_mm", "float8_e4m3fn", "bfloat16"),
        (DataType.NVFP4, "_scaled_mm", "float4_e2m1fn_x2", "bfloat16"),
        (DataType.MXFP4, "_scaled_mm_v2", "float4_e2m1fn_x2", "bfloat16"),
    ],
)
def test_each_type_has_its_call_and_its_types(dtype: DataType, call: str, data: str, result: str) -> None:
    _, products = run(dtype)
    assert products.calls == [(call, (data, data, result))]


def test_every_type_has_a_format() -> None:
    assert set(FORMATS) == set(DataType)


@pytest.mark.parametrize(
    ("dtype", "shape", "a", "b"),
    [
        # Rows in whole tiles of 128, blocks along K in whole tiles of 4.
        (DataType.MXFP8, Shape(256, 384, 512), 256 * 16, 384 * 16),
        (DataType.MXFP8, Shape(200, 16, 96), 256 * 4, 128 * 4),
        (DataType.NVFP4, Shape(256, 384, 512), 256 * 32, 384 * 32),
        (DataType.MXFP4, Shape(256, 384, 1024), 256 * 32, 384 * 32),
    ],
)
def test_block_scales_are_as_many_as_the_tiles_need(dtype: DataType, shape: Shape, a: int, b: int) -> None:
    torch, _ = run(dtype, shape)
    scale = "float8_e4m3fn" if dtype is DataType.NVFP4 else "float8_e8m0fnu"
    assert torch.scales == [((a,), scale), ((b,), scale)]


def test_intel_s_library_takes_scales_without_padding() -> None:
    torch, _ = run(DataType.MXFP4, Shape(200, 16, 96), kind="xpu")
    assert [shape for shape, _ in torch.scales] == [(600,), (48,)]
    assert torch.recipe == ([3], [0])


def test_mxfp4_names_its_recipe_and_swizzle() -> None:
    torch, _ = run(DataType.MXFP4)
    assert torch.recipe == ([3], [1])


@pytest.mark.parametrize("dtype", [DataType.MXFP8, DataType.MXFP4, DataType.NVFP4])
def test_a_k_that_is_no_whole_block_is_refused(dtype: DataType) -> None:
    with pytest.raises(ShapeRefusedError, match="multiple of 32, got 520"):
        run(dtype, Shape(256, 256, 520))


def test_pools_grow_to_the_largest_shape_and_are_cut_for_smaller_ones() -> None:
    gpu = FakeGpu()
    operands = Operands(matrix_torch(gpu, Products(gpu)), "cuda", "cuda:0", DataType.BFLOAT16)
    operands.product(Shape(64, 64, 64))
    operands.product(Shape(128, 64, 64))
    launched = len(gpu.log)
    operands.product(Shape(64, 64, 64))
    operands.product(Shape(128, 64, 32))
    assert len(gpu.log) == launched  # no element was made anew
    assert {name: pool.numel() for name, pool in operands._pools.items()} == {
        "a": 128 * 64, "b": 64 * 64, "c": 128 * 64, "fill": 128 * 64,
    }  # fmt: skip


@pytest.mark.torch
@pytest.mark.parametrize("dtype", [DataType.BFLOAT16, DataType.FLOAT16, DataType.FLOAT32, DataType.FLOAT8_E4M3FN])
def test_a_real_torch_multiplies_what_the_operands_say(dtype: DataType) -> None:
    torch: Any = pytest.importorskip("torch")
    operands = Operands(torch, "cpu", "cpu", dtype)
    operands.product(Shape(64, 96, 128))
    product = operands.product(Shape(48, 32, 64))
    product.result.copy_(product.fill)
    before = product.result.float().clone()
    product.run()
    a = operands._pools["a"][: 48 * 64].view(48, 64).float()
    b = operands._pools["b"][: 32 * 64].view(32, 64).float()
    torch.testing.assert_close(product.result.float(), a @ b.T, rtol=0.07, atol=0.15)
    assert not torch.equal(before, product.result.float())


@pytest.mark.torch
def test_real_elements_are_random_and_of_both_signs() -> None:
    torch: Any = pytest.importorskip("torch")
    for dtype in (DataType.BFLOAT16, DataType.FLOAT8_E4M3FN):
        operands = Operands(torch, "cpu", "cpu", dtype)
        operands.product(Shape(64, 64, 64))
        values = operands._pools["a"].float()
        assert 0.9 < values.std() < 1.1 and abs(values.mean()) < 0.1


@pytest.mark.torch
def test_real_four_bit_elements_are_random_bits() -> None:
    torch: Any = pytest.importorskip("torch")
    if not hasattr(torch, "float4_e2m1fn_x2"):
        pytest.skip("this torch has no four-bit type")
    operands = Operands(torch, "cpu", "cpu", DataType.NVFP4)
    product = operands.product(Shape(128, 128, 256))
    assert product.result.dtype is torch.bfloat16
    assert operands._pools["a"].numel() == 128 * 128
    assert len(operands._pools["a"].unique()) > 200
