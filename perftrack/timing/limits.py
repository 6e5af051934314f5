"""What a device can do at most, to refuse results that claim more. Standard library only.

Best known from its ceilings, measured and stored for its environment. Where there are none, it is measured in
passing, once a process: three bursts of a large copy and of a large bf16 product, with wider margins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from perftrack.core.limit import KnownLimit, limit_for
from perftrack.errors import DeviceError, MeasurementError
from perftrack.timing.devices.base import Device

BURSTS, CALLS = 3, 8
COPY_ELEMENTS = 2**28  # of float32: 1 GiB, many times any L2
PRODUCT = 8192
# A short burst is not the device's best, and its clock may rise: the same kernels read up to 6 % apart here.
# Of a stored ceiling too: work that only reads is faster than one that also writes.
BANDWIDTH_MARGIN = 1.25
# Four-bit products run at four times the rate of bf16 ones, and the declared number says nothing of its type.
FLOPS_MARGIN = 4 * 1.25
# A ceiling is that of the vendor's library, which a kernel of one's own may beat by a few percent, not by more.
CEILING_MARGIN = 1.1
BANDWIDTH = ""  # where a type is asked for


@dataclass(frozen=True, slots=True)
class Bound:
    """A result beyond `rate` by more than the factor `margin` is refused; `what` reached the rate."""

    rate: float
    margin: float
    what: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Of a device. `l2_bytes`: what may stay in its cache and never reach memory. None: not known."""

    flops: Bound | None
    bandwidth: Bound | None
    l2_bytes: int


def limits_of(
    kind: str,
    index: int,
    stored: Sequence[KnownLimit],
    key: str,
    *,
    dtype: str | None,
    needs_flops: bool = True,
    needs_bytes: bool = True,
) -> Limits | None:
    """From the ceilings of the environment `key`, and what they lack measured; None for a device without either.

    dtype: what the work multiplies, None where it does not say; then no ceiling of products is known to be its
    own. Only what is needed is measured. Raises nothing: where memory is short a limit is missing.
    """
    flops = limit_for(stored, key, dtype) if dtype is not None and needs_flops else None
    copied = limit_for(stored, key, BANDWIDTH) if needs_bytes else None
    return _limits(
        Bound(flops.rate, CEILING_MARGIN, f"the {flops.name} of this environment")
        if flops
        else (_quick(kind, index, _product_rate, FLOPS_MARGIN, "bf16 matrix products") if needs_flops else None),
        Bound(copied.rate, BANDWIDTH_MARGIN, f"the {copied.name} bandwidth of this environment")
        if copied
        else (_quick(kind, index, _copy_rate, BANDWIDTH_MARGIN, "a copy") if needs_bytes else None),
        _l2_bytes(kind, index),
    )


def _limits(flops: Bound | None, bandwidth: Bound | None, l2_bytes: int | None) -> Limits | None:
    if l2_bytes is None:  # without the cache's size no amount of bytes is known to reach memory
        bandwidth = None
    return None if flops is None and bandwidth is None else Limits(flops, bandwidth, l2_bytes or 0)


@cache
def _quick(
    kind: str, index: int, rate: Callable[[Any, Device, int], float], margin: float, what: str
) -> Bound | None:
    """A rate of a CUDA or ROCm device, measured once a process; None for others, or where memory is short."""
    if kind not in ("cuda", "rocm"):
        return None
    import torch

    from perftrack.timing.devices import open_device

    device = open_device(kind, index)
    try:
        return Bound(rate(torch, device, index), margin, what + " on this device")
    except (RuntimeError, DeviceError):  # out of memory beside the benchmark's own tensors
        return None
    finally:
        device.close()


def _l2_bytes(kind: str, index: int) -> int | None:
    if kind not in ("cuda", "rocm"):
        return None
    import torch

    size = getattr(torch.cuda.get_device_properties(index), "L2_cache_size", None)
    return None if size is None else int(size)


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
    if flops is not None and _beyond(flops / seconds, limits.flops):
        raise _impossible(flops / seconds, 1e12, "Tflop/s", limits.flops, "flops")
    through_memory = max(0.0, (bytes_moved or 0.0) - limits.l2_bytes)
    if cold and _beyond(through_memory / seconds, limits.bandwidth):
        raise _impossible(through_memory / seconds, 1e9, "GB/s", limits.bandwidth, "bytes")


def _beyond(rate: float, bound: Bound | None) -> bool:
    return bound is not None and rate > bound.margin * bound.rate


def _impossible(claimed: float, scale: float, unit: str, bound: Bound | None, option: str) -> MeasurementError:
    assert bound is not None
    reached = bound.rate / scale
    return MeasurementError(
        f"{claimed / scale:.4g} {unit} by what is declared, but {bound.what} reached {reached:.4g} {unit}",
        f"Check `{option}=` of the benchmark, and that its callable does all of the work it is declared to do.",
    )
