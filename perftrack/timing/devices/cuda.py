"""NVIDIA GPUs through torch: CUDA events, or replays of a CUDA graph. HIP builds of torch share it (rocm.py)."""

from __future__ import annotations

from functools import lru_cache
from itertools import repeat
from typing import Any

from perftrack.core.model import Timer
from perftrack.errors import DeviceError
from perftrack.timing.devices.backend import Backend
from perftrack.timing.devices.base import Work
from perftrack.timing.devices.delay import Delay, TimerSteps, measure_timer
from perftrack.timing.devices.events import EventDevice
from perftrack.timing.devices.memory import Memory

# Twice the last-level cache, which is read from the device; where it can't be, twice the largest known L2.
FLUSH_FACTOR = 2
UNKNOWN_CACHE_FLUSH_BYTES = 256 << 20
_SPIN_CYCLES = 1_000_000
_GRAPH_WARMUP_CALLS = 3
_ERRORS = (
    "CUDA error", "CUDA driver error", "[CUDA]", "AcceleratorError", "OutOfMemoryError", "CUBLAS_STATUS",
    "CUDNN_STATUS", "cuDNN error", "HIP error", "HIPBLAS_STATUS", "MIOpen",
)  # fmt: skip


class GraphDevice(EventDevice):
    """Times replays of a CUDA graph that holds the `inner_reps` calls of a sample: no launching in between."""

    timer = Timer.GRAPH

    def __init__(self, torch: Any, backend: Backend, delay: Delay, steps: TimerSteps) -> None:
        super().__init__(backend, delay, steps)
        self._torch = torch
        self._graphs = Memory[Any]()

    def close(self) -> None:
        super().close()
        self._graphs.clear()

    def _prepare(self, work: Work, inner_reps: int) -> tuple[Work, int]:
        graph = self._graphs.get(work, inner_reps)
        if graph is None:
            graph = self._capture(work, inner_reps)
            self._graphs.put(work, inner_reps, graph)
        return graph.replay, 1

    def _capture(self, work: Work, inner_reps: int) -> Any:
        cuda = self._torch.cuda
        # Capture records launches without running them: whatever a first call sets up must be there before.
        side = cuda.Stream()
        side.wait_stream(cuda.current_stream())
        with cuda.stream(side):
            for _ in repeat(None, _GRAPH_WARMUP_CALLS):
                work()
        cuda.current_stream().wait_stream(side)
        self.synchronize()
        graph = cuda.CUDAGraph()
        try:
            with cuda.graph(graph):
                for _ in repeat(None, inner_reps):
                    work()
        except RuntimeError as error:
            raise DeviceError(
                f"the callable can't be captured in a CUDA graph: {str(error).strip().splitlines()[0]}",
                'Callables that wait for the device or copy to the host can\'t be: use timer = "event".',
            ) from error
        self.synchronize()
        return graph


def open_cuda(index: int = 0, *, timer: Timer = Timer.EVENT, kind: str = "cuda") -> EventDevice:
    """The device that torch numbers `index`, made current. Raises DeviceError where there is none.

    `timer`: EVENT or GRAPH. `kind` is "rocm" for the same calls on a HIP build of torch.
    """
    torch = import_torch(kind)
    cuda = torch.cuda
    if not cuda.is_available():
        raise DeviceError(f"torch sees no {kind} device", "Check the driver, and CUDA_VISIBLE_DEVICES.")
    count = cuda.device_count()
    if not 0 <= index < count:
        raise DeviceError(f"no device {kind}:{index}: torch sees {count}", "Devices are numbered from 0.")
    try:
        cuda.set_device(index)
        backend, delay, steps = _measured(torch, kind, index)
    except RuntimeError as error:
        raise DeviceError(f"{kind}:{index} can't be used: {error}") from error
    if timer is Timer.GRAPH:
        return GraphDevice(torch, backend, delay, steps)
    return EventDevice(backend, delay, steps)


def import_torch(kind: str) -> Any:
    """torch, or DeviceError that names what is missing."""
    try:
        import torch
    except ImportError as error:
        raise DeviceError(
            f"device {kind} needs torch, which can't be imported: {error}",
            "Install torch in the Python that runs the benchmarks.",
        ) from error
    return torch


@lru_cache(maxsize=8)
def _measured(torch: Any, kind: str, index: int) -> tuple[Backend, Delay, TimerSteps]:
    """Delay and timer of a device, measured once per process: it takes some 80 ms."""
    backend = _backend(torch, kind, index)
    delay = Delay.calibrate(torch.cuda._sleep, backend.event, backend.synchronize, _SPIN_CYCLES)
    return backend, delay, measure_timer(backend.event, delay, backend.synchronize)


def _backend(torch: Any, kind: str, index: int) -> Backend:
    cuda = torch.cuda
    properties = cuda.get_device_properties(index)
    cache = int(getattr(properties, "L2_cache_size", 0) or 0)
    flush = FLUSH_FACTOR * cache if cache else UNKNOWN_CACHE_FLUSH_BYTES
    if kind == "rocm":
        # Instinct parts have a memory-side cache of 256 MiB behind the L2, which no property tells.
        flush = max(flush, FLUSH_FACTOR * UNKNOWN_CACHE_FLUSH_BYTES)
    name = f"cuda:{index}"

    def event() -> Any:
        return cuda.Event(enable_timing=True)

    def zeros(size: int) -> Any:
        return torch.zeros(size, dtype=torch.uint8, device=name)

    return Backend(kind, index, event, cuda.synchronize, zeros, flush, _ERRORS)
