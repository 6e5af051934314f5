"""Random operands for products of one data type, cut from pools that grow with the largest shape so far.

A and B are both contiguous along K, the layout that every type's kernels accept. Elements are standard normal
(random bits where there is no cast), because a card's power, and so its clock, depends on the bits that switch:
the same product of zeros runs a tenth faster. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from perftrack.ceiling.formats import FORMATS, K_STEP, Format
from perftrack.ceiling.protocols import ShapeRefusedError
from perftrack.core.ceiling import DataType, Shape

SEED = 20
_CHUNK = 1 << 26  # elements cast at a time: 256 MiB of float32


@dataclass(frozen=True, slots=True)
class Product:
    """`run` writes A·B to `result`; copying `fill` there first makes that write change memory."""

    shape: Shape
    run: Callable[[], object]
    result: Any
    fill: Any


class Operands:
    """Makes products. `place`: torch's name of the device."""

    def __init__(self, torch: Any, kind: str, place: str, dtype: DataType) -> None:
        self._torch = torch
        self._kind = kind
        self._place = place
        self._dtype = dtype
        self._form = FORMATS[dtype]
        self._pools: dict[str, Any] = {}
        torch.manual_seed(SEED)

    def product(self, shape: Shape) -> Product:
        """Operands of a shape. Raises ShapeRefusedError for a K without kernels, and what torch raises."""
        form = self._form
        if form.block and shape.k % K_STEP:
            raise ShapeRefusedError(f"{self._dtype} needs a K that is a multiple of {K_STEP}, got {shape.k}")
        a = self._matrix("a", shape.m, shape.k)
        b = self._matrix("b", shape.n, shape.k).t()
        result = self._pool("c", form.result, shape.m * shape.n).view(shape.m, shape.n)
        fill = self._pool("fill", form.result, shape.m * shape.n).view(shape.m, shape.n)
        return Product(shape, self._call(form, shape, a, b, result), result, fill)

    def release(self) -> None:
        """Give all memory back."""
        self._pools.clear()

    def _matrix(self, name: str, rows: int, columns: int) -> Any:
        form = self._form
        if form.packed == 1:
            return self._pool(name, form.data, rows * columns).view(rows, columns)
        stored = self._pool(name, "uint8", rows * columns // form.packed)
        return stored.view(rows, columns // form.packed).view(getattr(self._torch, form.data))

    def _pool(self, name: str, dtype: str, count: int) -> Any:
        held = self._pools.get(name)
        if held is None or held.numel() < count:
            del held
            self._pools.pop(name, None)  # first, or the old and the new one must fit together
            held = self._pools[name] = self._random(dtype, count)
        return held[:count]

    def _random(self, dtype: str, count: int) -> Any:
        torch, place = self._torch, self._place
        if dtype == "uint8":
            return torch.randint(0, 256, (count,), dtype=torch.uint8, device=place)
        made = torch.empty(count, dtype=getattr(torch, dtype), device=place)
        for start in range(0, count, _CHUNK):
            part = made[start : start + _CHUNK]
            part.copy_(torch.randn(part.numel(), device=place))
        return made

    def _call(self, form: Format, shape: Shape, a: Any, b: Any, result: Any) -> Callable[[], object]:
        torch = self._torch
        if form.block is None:
            return lambda: torch.mm(a, b, out=result)
        if form.block == 0:
            one = torch.ones(1, dtype=torch.float32, device=self._place)
            return lambda: torch._scaled_mm(a, b, one, one, out=result)
        scale_a, scale_b = (self._scales(form, rows, shape.k) for rows in (shape.m, shape.n))
        if not form.recipe:
            return lambda: torch._scaled_mm(a, b, scale_a, scale_b, out_dtype=result.dtype, out=result)
        functional = torch.nn.functional
        recipe = [functional.ScalingType.BlockWise1x32.value]
        swizzles = functional.SwizzleType
        swizzle = [(swizzles.NO_SWIZZLE if self._plain_scales else swizzles.SWIZZLE_32_4_4).value]
        return lambda: torch._scaled_mm_v2(
            a, b, [scale_a], recipe, swizzle, [scale_b], recipe, swizzle, None, result.dtype, out=result
        )

    @property
    def _plain_scales(self) -> bool:
        """oneDNN, on Intel's devices, takes scales as they are; cuBLAS and hipBLASLt in tiles of 128 by 4."""
        return self._kind == "xpu"

    def _scales(self, form: Format, rows: int, k: int) -> Any:
        """All ones, so that only the number of them matters, and not the order in which a library reads them."""
        assert form.block
        blocks = -(-k // form.block)
        count = rows * blocks if self._plain_scales else _up(rows, 128) * _up(blocks, 4)
        return self._torch.ones(count, device=self._place).to(getattr(self._torch, form.scale))


def _up(value: int, step: int) -> int:
    return -(-value // step) * step
