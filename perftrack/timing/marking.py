"""Marks around the work that a profiler is to look at. Standard library only.

The CUDA driver's cuProfilerStart and cuProfilerStop, which NVIDIA's profilers follow, rather than an NVTX range: a
push/pop range belongs to one thread, and PyTorch runs a backward pass in others. The driver is in every process
that runs a kernel, however it was compiled and launched; a library of NVTX need not be.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from perftrack.errors import DeviceError

_DRIVER = "libcuda.so.1"


@contextmanager
def marked(index: int = 0) -> Iterator[None]:
    """The block's launches, from whichever thread, are what a profiler sees that was told to wait for marks.

    `index`: the device whose primary context is used where the thread has no current one. Wait for the device
    before and in the block's end. Raises DeviceError where there is no CUDA driver, or it refuses.
    """
    driver = _load()
    _make_current(driver, index)
    _call(driver, "cuProfilerStart")
    try:
        yield
    finally:
        _call(driver, "cuProfilerStop")


def _load() -> Any:
    try:
        driver = ctypes.CDLL(_DRIVER)
    except OSError as error:
        raise DeviceError(f"there is no CUDA driver to tell a profiler what to look at: {error}") from error
    _call(driver, "cuInit", 0)
    return driver


def _make_current(driver: Any, index: int) -> None:
    context = ctypes.c_void_p()
    _call(driver, "cuCtxGetCurrent", ctypes.byref(context))
    if context.value:
        return
    device = ctypes.c_int()
    _call(driver, "cuDeviceGet", ctypes.byref(device), index)
    _call(driver, "cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    _call(driver, "cuCtxSetCurrent", context)


def _call(driver: Any, name: str, *arguments: object) -> None:
    status = getattr(driver, name)(*arguments)
    if status:
        raise DeviceError(f"{name} failed: CUDA error {status}", "perftrack doctor --device cuda says more.")
