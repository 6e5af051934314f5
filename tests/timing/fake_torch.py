"""torch on a GPU that exists in virtual time: what is queued, when it runs, and what the host pays for it.

One clock, `gpu.now`, is the host's. A launch costs the host `launch_s` and runs on its stream when that is
free; an event holds when the stream got to it. So launch latency, queueing ahead, the order of flushes and
the launch queue's limit are exact numbers.
"""

from __future__ import annotations

import contextlib
import sys
import types
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest


class AcceleratorError(RuntimeError):
    """As newer versions of torch name a failed device."""


@dataclass
class FakeStream:
    gpu: FakeGpu
    free_at: float = 0.0

    def wait_stream(self, other: FakeStream) -> None:
        self.free_at = max(self.free_at, other.free_at)


@dataclass
class FakeGpu:
    """Times in seconds. `log` holds what ran: (what, start, end)."""

    launch_s: float = 5e-6
    event_s: float = 1e-6
    sync_s: float = 10e-6
    tick_s: float = 32e-9
    clock_hz: float = 2e9
    bytes_per_s: float = 4e12
    queue: int = 1024
    now: float = 1.0
    failed: str = ""
    cached: bool = True
    initialized: bool = True
    log: list[tuple[str, float, float]] = field(default_factory=list)
    records: int = 0
    capturing: list[tuple[str, float]] | None = None
    idle_s: float = 0.0
    pending: deque[float] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.stream = self.default = FakeStream(self)
        self.streams = [self.default]

    def launch(self, what: str, duration: float, *, cost: float | None = None) -> None:
        if self.capturing is not None:
            self.capturing.append((what, duration))
            return
        self.now += self.launch_s if cost is None else cost
        self.run(what, duration)

    def run(self, what: str, duration: float) -> None:
        while self.pending and self.pending[0] <= self.now:
            self.pending.popleft()
        if len(self.pending) >= self.queue:
            self.now = max(self.now, self.pending[len(self.pending) - self.queue])
        start = max(self.now, self.stream.free_at)
        self.stream.free_at = start + duration
        self.pending.append(self.stream.free_at)
        self.log.append((what, start, start + duration))

    def kernel(self, hot_s: float, cold_s: float | None = None, name: str = "kernel") -> None:
        """A kernel that takes `cold_s` where its data is not in the cache, and brings it there."""
        self.launch(name, hot_s if self.cached or cold_s is None else cold_s)
        self.cached = True

    def synchronize(self) -> None:
        if self.failed:
            raise AcceleratorError(f"CUDA error: {self.failed}\nCompile with TORCH_USE_CUDA_DSA")
        self.now = max(self.now, *(s.free_at for s in self.streams)) + self.sync_s

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def perf_counter(self) -> float:
        return self.now

    def perf_counter_ns(self) -> int:
        return round(self.now * 1e9)


class FakeEvent:
    gpu: FakeGpu

    def __init__(self, enable_timing: bool = False) -> None:
        assert enable_timing
        self.at: float | None = None

    def record(self) -> None:
        self.gpu.now += self.gpu.event_s
        if self.at is None:
            self.gpu.now += 10e-6  # made by its first record
            self.gpu.records += 1
        self.at = max(self.gpu.now, self.gpu.stream.free_at)

    def query(self) -> bool:
        self.gpu.now += 0.5e-6
        return self.at is not None and self.at <= self.gpu.now

    def synchronize(self) -> None:
        assert self.at is not None
        self.gpu.now = max(self.gpu.now, self.at)

    def elapsed_time(self, end: FakeEvent) -> float:
        assert self.at is not None and end.at is not None
        assert self.query() and end.query(), "read before it was waited for"
        tick = self.gpu.tick_s
        return (round(end.at / tick) - round(self.at / tick)) * tick * 1e3


class FakeBuffer:
    def __init__(self, gpu: FakeGpu, size: int) -> None:
        self.gpu, self.size = gpu, size

    def zero_(self) -> None:
        self.gpu.launch(f"zero {self.size}", self.size / self.gpu.bytes_per_s)
        if self.size >= 100 << 20:
            self.gpu.cached = False


class FakeGraph:
    def __init__(self) -> None:
        self.kernels: list[tuple[str, float]] = []
        self.gpu: FakeGpu | None = None

    def replay(self) -> None:
        assert self.gpu is not None
        self.gpu.now += self.gpu.launch_s
        for what, duration in self.kernels:
            self.gpu.run(what, duration)


@dataclass
class Properties:
    name: str = "NVIDIA H200"
    major: int = 9
    minor: int = 0
    multi_processor_count: int = 132
    total_memory: int = 150_109_880_320
    L2_cache_size: int = 62_914_560
    uuid: str | None = "b1d9e0c2-1111-2222-3333-444455556666"
    pci_domain_id: int = 0
    pci_bus_id: int = 0x1B
    pci_device_id: int = 0
    gcnArchName: str = "gfx942:sramecc+:xnack-"
    max_compute_units: int = 512


def make_torch(gpu: FakeGpu, *, hip: str | None = None) -> Any:
    """A module that answers like torch with one device under torch.cuda (and xpu, mps)."""
    event = type("Event", (FakeEvent,), {"gpu": gpu})
    torch: Any = types.ModuleType("torch")
    torch.__version__ = "2.11.0+cu130"
    torch.uint8 = "uint8"
    torch.AcceleratorError = AcceleratorError
    torch.zeros = lambda *size, device, dtype=None: FakeBuffer(gpu, size[0])
    torch.mm = lambda a, b, out: gpu.launch("delay", 50e-6)
    torch.version = types.SimpleNamespace(cuda=None if hip else "13.0", hip=hip)
    torch.are_deterministic_algorithms_enabled = lambda: False
    matmul = types.SimpleNamespace(
        allow_tf32=False,
        allow_fp16_reduced_precision_reduction=True,
        allow_bf16_reduced_precision_reduction=(True, True),
    )
    torch.backends = types.SimpleNamespace(
        cuda=types.SimpleNamespace(matmul=matmul),
        cudnn=types.SimpleNamespace(is_available=lambda: True, version=lambda: 91002),
        mps=types.SimpleNamespace(is_available=lambda: False),
    )
    torch.cuda = _namespace(gpu, event)
    torch.cuda._sleep = lambda cycles: gpu.launch("delay", cycles / gpu.clock_hz)
    torch.cuda.is_initialized = lambda: gpu.initialized
    torch.cuda.CUDAGraph = FakeGraph
    torch.cuda.graph = lambda graph: _capture(gpu, graph)
    torch.cuda.Stream = lambda: _new_stream(gpu)
    torch.cuda.current_stream = lambda: gpu.stream
    torch.cuda.stream = lambda stream: _on(gpu, stream)
    torch.xpu = _namespace(gpu, event)
    torch.mps = types.SimpleNamespace(Event=event, synchronize=gpu.synchronize)
    return torch


def install(monkeypatch: pytest.MonkeyPatch, gpu: FakeGpu, *, hip: str | None = None) -> Any:
    """Put the fake in place of torch, and its virtual clock in place of the host's."""
    torch = make_torch(gpu, hip=hip)
    monkeypatch.setitem(sys.modules, "torch", torch)
    devices = "perftrack.timing.devices"
    for module in ("pace", "events", "stream"):
        monkeypatch.setattr(f"{devices}.{module}.perf_counter", gpu.perf_counter)
    monkeypatch.setattr(f"{devices}.synchronised.perf_counter_ns", gpu.perf_counter_ns)
    monkeypatch.setattr(f"{devices}.events.sleep", gpu.sleep)
    monkeypatch.setattr(f"{devices}.stream.sleep", gpu.sleep)
    return torch


def install_habana(monkeypatch: pytest.MonkeyPatch, gpu: FakeGpu, mark_step: Any) -> None:
    """habana_frameworks beside the fake torch."""
    event = type("Event", (FakeEvent,), {"gpu": gpu})
    root: Any = types.ModuleType("habana_frameworks")
    package: Any = types.ModuleType("habana_frameworks.torch")
    core: Any = types.ModuleType("habana_frameworks.torch.core")
    core.mark_step = mark_step
    package.core, package.hpu, root.torch = core, _namespace(gpu, event), package
    for module in (root, package, core):
        monkeypatch.setitem(sys.modules, module.__name__, module)


def _namespace(gpu: FakeGpu, event: type[FakeEvent]) -> Any:
    return types.SimpleNamespace(
        Event=event,
        is_available=lambda: True,
        device_count=lambda: 1,
        set_device=lambda index: None,
        synchronize=gpu.synchronize,
        get_device_properties=lambda index: Properties(),
    )


def _new_stream(gpu: FakeGpu) -> FakeStream:
    stream = FakeStream(gpu)
    gpu.streams.append(stream)
    return stream


@contextlib.contextmanager
def _on(gpu: FakeGpu, stream: FakeStream) -> Iterator[None]:
    before, gpu.stream = gpu.stream, stream
    try:
        yield
    finally:
        gpu.stream = before


@contextlib.contextmanager
def _capture(gpu: FakeGpu, graph: FakeGraph) -> Iterator[None]:
    gpu.capturing = []
    try:
        yield
        graph.kernels, graph.gpu = gpu.capturing, gpu
    finally:
        gpu.capturing = None
