"""AMD GPUs: HIP builds of torch answer under torch.cuda, so the CUDA timer serves them."""

from __future__ import annotations

from perftrack.core.model import Timer
from perftrack.errors import DeviceError
from perftrack.timing.devices.cuda import import_torch, open_cuda
from perftrack.timing.devices.events import EventDevice


def open_rocm(index: int = 0, *, timer: Timer = Timer.EVENT) -> EventDevice:
    """The AMD GPU that torch numbers `index`. Raises DeviceError for a torch that was not built for ROCm."""
    torch = import_torch("rocm")
    if torch.version.hip is None:
        raise DeviceError("this torch was not built for ROCm", "Install a ROCm build, or use device cuda.")
    return open_cuda(index, timer=timer, kind="rocm")
