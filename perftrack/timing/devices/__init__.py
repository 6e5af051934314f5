"""One module per backend, and the function that opens the right one. Standard library only until opened."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from perftrack.core.model import Timer
from perftrack.errors import DeviceError, InvalidValueError
from perftrack.timing.devices.base import Device

KINDS = ("cpu", "cuda", "rocm", "xpu", "hpu", "mps", "replay")
# Written against the documentation and covered by fakes of their torch modules.
UNTESTED_ON_HARDWARE = frozenset({"rocm", "xpu", "hpu", "mps"})
_TIMERS: dict[str, tuple[Timer, ...]] = {
    "cpu": (Timer.HOST,),
    "cuda": (Timer.EVENT, Timer.GRAPH),
    "rocm": (Timer.EVENT, Timer.GRAPH),
    "xpu": (Timer.EVENT, Timer.HOST),
    "hpu": (Timer.EVENT, Timer.HOST),
    "mps": (Timer.EVENT, Timer.HOST),
    "replay": (Timer.REPLAY,),
}
_GPU_DRIVER_FILES = ("/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg", "/dev/kfd")


def open_device(kind: str = "auto", index: int = 0, *, timer: str = "auto") -> Device:
    """The device to measure on.

    `kind`: one of KINDS, or "auto" (see `resolve_kind`). `timer`: "auto" takes the backend's events where
    it has them; "graph" (cuda, rocm) replays CUDA graphs; "host" reads the host's clock around a wait for
    the device (cpu, xpu, hpu, mps). Raises InvalidValueError for a kind or timer that does not exist,
    DeviceError where the device is not there or failed.
    """
    kind = resolve_kind(kind)
    chosen = _timer(kind, timer)
    if kind == "cpu":
        from perftrack.timing.devices.cpu import CpuDevice

        if index != 0:
            raise DeviceError(f"no device cpu:{index}", "The host is cpu:0; choose cores with taskset.")
        return CpuDevice.open()
    if kind == "replay":
        from perftrack.timing.devices.replay import ReplayDevice, open_playback

        return ReplayDevice(open_playback())
    return _open_accelerator(kind, index, chosen)


def resolve_kind(kind: str) -> str:
    """A kind of KINDS. "cuda" is "rocm" where torch was built for AMD, since both answer as torch.cuda.

    "auto" is the GPU if this process has imported torch and torch sees one, else "cpu": a project that
    does not use torch never pays for importing it.
    """
    if kind not in ("auto", *KINDS):
        raise InvalidValueError(f"no device kind {kind!r}", f"one of auto, {', '.join(KINDS)}")
    torch: Any = sys.modules.get("torch")
    if kind == "auto":
        if torch is None or not torch.cuda.is_available():
            return "cpu"
        kind = "cuda"
    if kind == "cuda" and torch is not None and torch.version.hip is not None:
        return "rocm"
    return kind


def available() -> tuple[str, ...]:
    """Kinds that can be opened here, the CPU first. Imports torch, where it is installed and may find a device."""
    found = ["cpu"]
    torch = _torch_if_useful()
    if torch is not None:
        if torch.cuda.is_available():
            found.append("rocm" if torch.version.hip is not None else "cuda")
        xpu = getattr(torch, "xpu", None)
        if xpu is not None and xpu.is_available():
            found.append("xpu")
        if importlib.util.find_spec("habana_frameworks") is not None:
            found.append("hpu")
        if torch.backends.mps.is_available():
            found.append("mps")
    if os.environ.get("PERFTRACK_REPLAY"):
        found.append("replay")
    return tuple(found)


def _torch_if_useful() -> Any:
    """torch if it is imported, or installed on a system that has the driver of some accelerator."""
    if "torch" in sys.modules:
        return sys.modules["torch"]
    if importlib.util.find_spec("torch") is None:
        return None
    if sys.platform.startswith("linux") and not driver_present():
        return None
    import torch

    return torch


def driver_present() -> bool:
    """Whether Linux shows the driver of some accelerator."""
    return (
        any(Path(name).exists() for name in _GPU_DRIVER_FILES)
        or Path("/dev/accel").is_dir()
        or Path("/dev/dri").is_dir()
    )


def _timer(kind: str, timer: str) -> Timer | None:
    """None leaves the choice to the backend."""
    if timer == "auto":
        return None
    allowed = _TIMERS[kind]
    if timer not in [t.value for t in allowed]:
        raise InvalidValueError(
            f"device {kind} has no timer {timer!r}", f"one of auto, {', '.join(t.value for t in allowed)}"
        )
    return Timer(timer)


def _open_accelerator(kind: str, index: int, timer: Timer | None) -> Device:
    if kind == "cuda":
        from perftrack.timing.devices.cuda import import_torch, open_cuda

        if import_torch(kind).version.hip is not None:
            kind = "rocm"
        return open_cuda(index, timer=timer or Timer.EVENT, kind=kind)
    if kind == "rocm":
        from perftrack.timing.devices.rocm import open_rocm

        return open_rocm(index, timer=timer or Timer.EVENT)
    if kind == "xpu":
        from perftrack.timing.devices.xpu import open_xpu

        return open_xpu(index, timer=timer or Timer.EVENT)
    if kind == "hpu":
        from perftrack.timing.devices.hpu import open_hpu

        return open_hpu(index, timer=timer or Timer.EVENT)
    from perftrack.timing.devices.mps import open_mps

    return open_mps(index, timer=timer)
