"""Intel Gaudi through habana_frameworks. Untested on hardware."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from perftrack.core.model import Timer
from perftrack.errors import DeviceError
from perftrack.timing.devices.backend import Backend
from perftrack.timing.devices.cuda import import_torch
from perftrack.timing.devices.events import EventDevice
from perftrack.timing.devices.products import open_with_products
from perftrack.timing.devices.synchronised import SynchronisedDevice

# Gaudi 2 has 48 MB of on-chip memory, Gaudi 3 has 96 MB.
FLUSH_BYTES = 192 << 20
_ERRORS = ("synStatus", "synapse", "HPU", "Habana", "AcceleratorError", "OutOfMemoryError")


def open_hpu(index: int = 0, *, timer: Timer = Timer.EVENT) -> EventDevice | SynchronisedDevice:
    """The Gaudi that torch numbers `index`. Raises DeviceError where there is none.

    In lazy mode a call only adds to a graph: the graph is closed after each call, inside the timed
    region, or calls would be merged and never run as written.
    """
    torch = import_torch("hpu")
    try:
        import habana_frameworks.torch as habana
        from habana_frameworks.torch import core
    except ImportError as error:
        raise DeviceError(f"device hpu needs habana_frameworks: {error}", "Install Gaudi's PyTorch.") from error
    hpu = habana.hpu
    if not hpu.is_available():
        raise DeviceError("habana_frameworks sees no hpu device", "Check the driver, and HABANA_VISIBLE_MODULES.")
    if not 0 <= index < hpu.device_count():
        raise DeviceError(f"no device hpu:{index}: habana_frameworks sees {hpu.device_count()}")
    lazy = os.environ.get("PT_HPU_LAZY_MODE") != "0"  # lazy was the default for years
    mark_step: Callable[[], object] | None = core.mark_step if lazy else None

    def event() -> Any:
        return hpu.Event(enable_timing=True)

    def zeros(size: int) -> Any:
        return torch.zeros(size, dtype=torch.uint8, device="hpu")

    backend = Backend("hpu", index, event, hpu.synchronize, zeros, FLUSH_BYTES, _ERRORS, mark_step)
    return open_with_products(torch, backend, place="hpu", timer=timer)
