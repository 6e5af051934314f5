"""What a device can do at most, measured in passing, to refuse results that claim more. Standard library only.

Not a ceiling to be proud of reaching: three bursts of a large copy and of a large bf16 product, once a
process. A result beyond it by more than the margins here did not do the work it declares.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from perftrack.errors import DeviceError, MeasurementError
from perftrack.timing.devices.base import Device

BURSTS, CALLS = 3, 8
COPY_ELEMENTS = 2**28  # of float32: 1 GiB, many times any L2
PRODUCT = 8192
# A short burst is not the device's best, and its clock may rise: the same kernels read up to 6 % apart here.
BANDWIDTH_MARGIN = 1.25
# Four-bit products run at four times the rate of bf16 ones, and the declared number says nothing of its type.
FLOPS_MARGIN = 4 * 1.25


@dataclass(frozen=True, slots=True)
class Limits:
    """Measured rates of a device; `l2_bytes`: what may stay in its cache and never reach memory."""

    bytes_per_s: float
    flops_per_s: float
    l2_bytes: int


@cache
def measured_limits(kind: str, index: int) -> Limits | None:
    """Rates of a CUDA or ROCm device, measured once a process; None for others, or where memory is short."""
    if kind not in ("cuda", "rocm"):
        return None
    import torch

    from perftrack.timing.devices import open_device

    device = open_device(kind, index)
    try:
        return Limits(
            bytes_per_s=_copy_rate(torch, device, index),
            flops_per_s=_product_rate(torch, device, index),
            l2_bytes=int(torch.cuda.get_device_properties(index).L2_cache_size),
        )
    except (RuntimeError, DeviceError, AttributeError):  # out of memory beside the benchmark's own tensors
        return None
    finally:
        device.close()


def _copy_rate(torch: Any, device: Device, index: int) -> float:
    source = torch.empty(COPY_ELEMENTS, dtype=torch.float32, device=f"cuda:{index}").normal_()
    target = torch.empty_like(source)
    seconds = min(device.burst(lambda: target.copy_(source), CALLS) for _ in range(BURSTS))
    return float(2 * source.numel() * source.element_size() / seconds)


def _product_rate(torch: Any, device: Device, index: int) -> float:
    a = torch.empty(PRODUCT, PRODUCT, dtype=torch.bfloat16, device=f"cuda:{index}").normal_()
    out = torch.empty_like(a)
    seconds = min(device.burst(lambda: torch.matmul(a, a, out=out), CALLS) for _ in range(BURSTS))
    return float(2 * PRODUCT**3 / seconds)


def check_limits(
    seconds: float, flops: float | None, bytes_moved: float | None, limits: Limits | None, *, cold: bool
) -> None:
    """Refuse a time in which the device could not have done what is declared.

    Raises MeasurementError naming both numbers. Not raising means only that it was not shown impossible. Bytes
    are checked for a flushed cache alone: with a hot one they need not come from memory.
    """
    if limits is None or seconds <= 0:
        return
    if flops is not None and flops / seconds > FLOPS_MARGIN * limits.flops_per_s:
        raise _impossible(
            flops / seconds / 1e12, limits.flops_per_s / 1e12, "Tflop/s", "bf16 matrix products", "flops"
        )
    through_memory = max(0.0, (bytes_moved or 0.0) - limits.l2_bytes)
    if cold and through_memory / seconds > BANDWIDTH_MARGIN * limits.bytes_per_s:
        raise _impossible(through_memory / seconds / 1e9, limits.bytes_per_s / 1e9, "GB/s", "a copy", "bytes")


def _impossible(claimed: float, measured: float, unit: str, what: str, option: str) -> MeasurementError:
    return MeasurementError(
        f"{claimed:.4g} {unit} by what is declared, but {what} on this device reached {measured:.4g} {unit}",
        f"Check `{option}=` of the benchmark, and that its callable does all of the work it is declared to do.",
    )
