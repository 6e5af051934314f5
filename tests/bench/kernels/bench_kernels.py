"""Kernels that GPU validation measures: power-capped, latency-bound, memory-bound and launch-bound ones.

`WORKS` builds each by name; `more` is the relative amount of extra work in the kernel.
"""

from __future__ import annotations

from collections.abc import Callable

import perftrack as pt

Work = Callable[[], object]


def gemm(n: int, more: float) -> Work:
    import torch

    k = n + round(n * more / 32) * 32
    a = torch.randn(n, k, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(k, n, device="cuda", dtype=torch.bfloat16)
    out = torch.empty(n, n, device="cuda", dtype=torch.bfloat16)
    return lambda: torch.matmul(a, b, out=out)


def softmax(more: float) -> Work:
    import torch

    x = torch.randn(round(8192 * (1 + more)), 4096, device="cuda", dtype=torch.bfloat16)
    return lambda: torch.softmax(x, -1)


def layer_norm(more: float) -> Work:
    import torch

    x = torch.randn(round(8192 * (1 + more)), 4096, device="cuda", dtype=torch.bfloat16)
    return lambda: torch.nn.functional.layer_norm(x, (4096,))


def copy(more: float) -> Work:
    import torch

    source = torch.randn(round(2**28 * (1 + more)), device="cuda", dtype=torch.float32)
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def tiny_add(more: float) -> Work:
    import torch

    x = torch.randn(round(4096 * (1 + more)), device="cuda")
    out = torch.empty_like(x)
    return lambda: torch.add(x, 1, out=out)


def triton_scale(more: float) -> Work:
    import torch
    import triton
    from scale_kernel import scale

    # A length that 16 does not divide is another kernel: Triton compiles it without vector loads.
    x = torch.randn(round(2**26 * (1 + more) / 1024) * 1024, device="cuda", dtype=torch.float32)
    out = torch.empty_like(x)
    grid = (triton.cdiv(x.numel(), 1024),)
    return lambda: scale[grid](out, x, x.numel(), BLOCK=1024)


WORKS: dict[str, Callable[[float], Work]] = {
    "gemm8192": lambda more: gemm(8192, more),
    "gemm1024": lambda more: gemm(1024, more),
    "softmax": softmax,
    "layer_norm": layer_norm,
    "copy_1gib": copy,
    "tiny_add": tiny_add,
    "triton_scale": triton_scale,
}


@pt.benchmark(params={"kernel": list(WORKS)}, device="cuda")
def kernel(kernel: str) -> Work:
    return WORKS[kernel](0.0)
