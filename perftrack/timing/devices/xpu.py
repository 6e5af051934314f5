"""Intel GPUs through torch.xpu. Untested on hardware."""

from __future__ import annotations

from typing import Any

from perftrack.core.model import Timer
from perftrack.errors import DeviceError
from perftrack.timing.devices.backend import Backend
from perftrack.timing.devices.cuda import import_torch
from perftrack.timing.devices.events import EventDevice
from perftrack.timing.devices.products import open_with_products
from perftrack.timing.devices.synchronised import SynchronisedDevice

# torch.xpu does not tell the cache's size; the largest part has an L2 of 408 MiB.
FLUSH_BYTES = 1 << 30
_ERRORS = ("XPU", "UR_RESULT", "UR error", "Native API", "OutOfMemoryError", "AcceleratorError", "PI_ERROR")


def open_xpu(index: int = 0, *, timer: Timer = Timer.EVENT) -> EventDevice | SynchronisedDevice:
    """The device that torch.xpu numbers `index`, made current. Raises DeviceError where there is none."""
    torch = import_torch("xpu")
    xpu = getattr(torch, "xpu", None)
    if xpu is None or not xpu.is_available():
        raise DeviceError("torch sees no xpu device", "Check the driver, and that torch was built for XPU.")
    if not 0 <= index < xpu.device_count():
        raise DeviceError(f"no device xpu:{index}: torch sees {xpu.device_count()}")

    def event() -> Any:
        return xpu.Event(enable_timing=True)

    def zeros(size: int) -> Any:
        return torch.zeros(size, dtype=torch.uint8, device=f"xpu:{index}")

    backend = Backend("xpu", index, event, xpu.synchronize, zeros, FLUSH_BYTES, _ERRORS)
    return open_with_products(
        torch, backend, place=f"xpu:{index}", timer=timer, prepare=lambda: xpu.set_device(index)
    )
