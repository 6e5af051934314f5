"""Apple GPUs through torch.mps: its events where they exist, else the host's clock. Untested on hardware."""

from __future__ import annotations

from typing import Any

from perftrack.core.model import Timer
from perftrack.errors import DeviceError
from perftrack.timing.devices.backend import Backend
from perftrack.timing.devices.cuda import import_torch
from perftrack.timing.devices.events import EventDevice
from perftrack.timing.devices.products import open_with_products
from perftrack.timing.devices.synchronised import SynchronisedDevice

# The system-level cache of the largest parts is 96 MB.
FLUSH_BYTES = 192 << 20
_ERRORS = ("MPS", "Metal", "MTL")


def open_mps(index: int = 0, *, timer: Timer | None = None) -> EventDevice | SynchronisedDevice:
    """The Mac's GPU. `timer` None: its events where torch has them, else the host's clock."""
    torch = import_torch("mps")
    if not torch.backends.mps.is_available():
        raise DeviceError("torch sees no mps device", "It needs macOS on Apple silicon.")
    if index != 0:
        raise DeviceError(f"no device mps:{index}: there is one")
    mps = torch.mps
    make = getattr(mps, "Event", None) or getattr(getattr(mps, "event", None), "Event", None)
    if make is None and timer is Timer.EVENT:
        raise DeviceError("this torch has no events for mps", 'Use timer = "host".')

    def event() -> Any:
        if make is None:
            raise DeviceError("this torch has no events for mps")
        return make(enable_timing=True)

    def zeros(size: int) -> Any:
        return torch.zeros(size, dtype=torch.uint8, device="mps")

    backend = Backend("mps", 0, event, mps.synchronize, zeros, FLUSH_BYTES, _ERRORS)
    return open_with_products(
        torch, backend, place="mps", timer=timer or (Timer.EVENT if make is not None else Timer.HOST)
    )
