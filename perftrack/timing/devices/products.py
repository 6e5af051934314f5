"""The event timer for torch backends that have no idle kernel: their delay is multiplying small matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from perftrack.core.model import Timer
from perftrack.errors import DeviceError
from perftrack.timing.devices.backend import Backend
from perftrack.timing.devices.delay import Delay, measure_timer
from perftrack.timing.devices.events import EventDevice
from perftrack.timing.devices.synchronised import SynchronisedDevice

# A product lasts some 50 µs, many times its launch; its 12 MB leave most of a hot cache as it was.
_SIDE = 1024


def open_with_products(
    torch: Any,
    backend: Backend,
    *,
    place: str,
    timer: Timer,
    prepare: Callable[[], object] | None = None,
) -> EventDevice | SynchronisedDevice:
    """A device timed by its events, or by the host's clock with `timer` HOST. Raises DeviceError if it fails.

    place: torch's name of the device. `prepare` makes it current first.
    """
    try:
        if prepare is not None:
            prepare()
        if timer is Timer.HOST:
            return SynchronisedDevice.open(backend)
        delay = Delay.calibrate(_spinner(torch, place), backend.event, backend.synchronize, 8)
        return EventDevice(backend, delay, measure_timer(backend.event, delay, backend.synchronize))
    except RuntimeError as error:
        if isinstance(error, DeviceError):
            raise
        raise DeviceError(f"{backend.kind}:{backend.index} can't be used: {error}") from error


def _spinner(torch: Any, place: str) -> Callable[[int], None]:
    a, b, c = (torch.zeros(_SIDE, _SIDE, device=place) for _ in range(3))

    def spin(units: int) -> None:
        for _ in range(units):
            torch.mm(a, b, out=c)

    return spin
