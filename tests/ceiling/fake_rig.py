"""A torch with matrices on the GPU that exists in virtual time, and a card whose clock and power are scripted."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from perftrack.timing.devices.backend import Backend
from tests.timing.fake_torch import FakeGpu, make_torch


class OutOfMemoryError(RuntimeError):
    pass


@dataclass
class FakeTensor:
    """Elements of a type on the fake GPU; views share nothing but the shape."""

    gpu: FakeGpu
    shape: tuple[int, ...]
    dtype: str

    def numel(self) -> int:
        return math.prod(self.shape)

    def __getitem__(self, part: slice) -> FakeTensor:
        return FakeTensor(self.gpu, (len(range(*part.indices(self.shape[0]))),), self.dtype)

    def view(self, *shape: Any) -> FakeTensor:
        if len(shape) == 1 and isinstance(shape[0], str):
            return FakeTensor(self.gpu, self.shape, shape[0])
        assert math.prod(shape) == self.numel()
        return FakeTensor(self.gpu, shape, self.dtype)

    def t(self) -> FakeTensor:
        return FakeTensor(self.gpu, self.shape[::-1], self.dtype)

    def to(self, dtype: str) -> FakeTensor:
        return FakeTensor(self.gpu, self.shape, dtype)

    def copy_(self, other: FakeTensor) -> None:
        assert self.numel() == other.numel()
        self.gpu.launch("copy", 2e-6)


@dataclass
class Products:
    """What multiplying takes: `seconds(m, n, k)`; `fail` may raise for a shape instead."""

    gpu: FakeGpu
    flops_per_s: float = 8e14
    memory_elements: float = math.inf
    fail: Callable[[int, int, int], None] = lambda m, n, k: None
    held: list[FakeTensor] = field(default_factory=list)
    calls: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def run(self, name: str, a: FakeTensor, b: FakeTensor, out: FakeTensor) -> None:
        (m, k), (_, n) = a.shape, b.shape
        packed = 2 if a.dtype == "float4_e2m1fn_x2" else 1
        self.fail(m, n, k)
        self.calls.append((name, (a.dtype, b.dtype, out.dtype)))
        self.gpu.launch("product", 2 * m * n * k * packed / self.flops_per_s)

    def make(self, count: int, dtype: str) -> FakeTensor:
        if count > self.memory_elements:
            raise OutOfMemoryError("CUDA out of memory. Tried to allocate much")
        return FakeTensor(self.gpu, (count,), dtype)


TYPES = (
    "bfloat16", "float16", "float32", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2",
)  # fmt: skip


def matrix_torch(gpu: FakeGpu, products: Products, *, hip: str | None = None) -> Any:
    """The fake torch with random matrices and products, plain and scaled."""
    torch = make_torch(gpu, hip=hip)
    for name in TYPES:
        setattr(torch, name, name)
    torch.manual_seed = lambda seed: None
    torch.empty = lambda count, dtype, device: products.make(count, dtype)
    torch.randn = lambda count, device: FakeTensor(gpu, (count,), "float32")
    torch.ones = lambda count, device, dtype="float32": FakeTensor(gpu, (count,), dtype)
    torch.randint = lambda low, high, shape, dtype, device: products.make(shape[0], dtype)
    torch.mm = lambda a, b, out: products.run("mm", a, b, out)
    torch.scales = []

    def scaled(a: Any, b: Any, scale_a: Any, scale_b: Any, out_dtype: Any = None, *, out: Any) -> None:
        torch.scales = [(s.shape, s.dtype) for s in (scale_a, scale_b)]
        products.run("_scaled_mm", a, b, out)

    def scaled_v2(
        a: Any, b: Any, scale_a: Any, recipe: Any, swizzle: Any, scale_b: Any, *rest: Any, out: Any
    ) -> None:
        assert rest[:2] == (recipe, swizzle)
        torch.scales = [(s.shape, s.dtype) for (s,) in (scale_a, scale_b)]
        torch.recipe = (recipe, swizzle)
        products.run("_scaled_mm_v2", a, b, out)

    torch._scaled_mm, torch._scaled_mm_v2 = scaled, scaled_v2
    torch.nn = SimpleNamespace(
        functional=SimpleNamespace(
            ScalingType=SimpleNamespace(BlockWise1x32=SimpleNamespace(value=3)),
            SwizzleType=SimpleNamespace(
                NO_SWIZZLE=SimpleNamespace(value=0), SWIZZLE_32_4_4=SimpleNamespace(value=1)
            ),
        )
    )
    torch.precision = "highest"
    torch.set_float32_matmul_precision = lambda value: setattr(torch, "precision", value)
    torch.cuda.get_device_capability = lambda index: (9, 0)
    torch.cuda.empty_cache = lambda: None
    return torch


def platform(torch: Any, gpu: FakeGpu, kind: str = "cuda") -> Backend:
    """timing's own backend over the fake: what the rig gets on a real device."""
    event = torch.cuda.Event
    return Backend(
        kind,
        0,
        lambda: event(enable_timing=True),
        gpu.synchronize,
        lambda size: torch.zeros(size, device="cuda:0"),
        120 << 20,
        ("CUDA error", "AcceleratorError"),
    )


@dataclass
class GpuClock:
    """The rig's clock: the fake's host time."""

    gpu: FakeGpu
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.gpu.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.gpu.sleep(seconds)


@dataclass
class Card:
    """Readings that never change."""

    clock: float | None = 1980.0
    power: float | None = 650.0
    reasons: int | None = 4
    read: int = 0

    def clock_mhz(self) -> float | None:
        self.read += 1
        return self.clock

    def power_w(self) -> float | None:
        return self.power

    def temperature_c(self) -> float | None:
        return 55.0

    def event_reasons(self) -> int | None:
        return self.reasons
