"""The host as a device: `perf_counter_ns` around the calls, the collector off."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import repeat
from time import perf_counter, perf_counter_ns

from perftrack.core.model import Reason, Timer
from perftrack.core.reasons import reason
from perftrack.errors import DeviceError
from perftrack.timing.devices.base import Timed, Work
from perftrack.timing.devices.collector import collector_off
from perftrack.timing.host import last_level_cache_bytes

# Twice the cache: replacement is not quite least-recently-used, so one cache's worth leaves lines behind.
FLUSH_FACTOR = 2
# Where the cache's size can't be read: twice the largest last-level cache of a desktop part.
UNKNOWN_CACHE_FLUSH_BYTES = 256 << 20
# A device that is still busy for this long after the callable returned was given work behind our back.
ASYNC_TAIL_S = 200e-6
_FILL, _ABSENT = b"\x01", b"\x02"


def clock_resolution_s(clock: Callable[[], int] = perf_counter_ns, reads: int = 2000) -> float:
    """Smallest nonzero step seen between consecutive reads of a nanosecond clock, in seconds."""
    smallest = 0
    previous = clock()
    for _ in repeat(None, reads):
        now = clock()
        step = now - previous
        previous = now
        if step > 0 and (smallest == 0 or step < smallest):
            smallest = step
    return (smallest or 1) * 1e-9


class CpuDevice:
    """Times calls on the host. `flush_bytes`: size of the buffer that is read before each cold sample."""

    kind = "cpu"
    index = 0
    timer = Timer.HOST

    def __init__(self, resolution_s: float, flush_bytes: int) -> None:
        self.resolution_s = resolution_s
        self.flush_bytes = flush_bytes
        self._buffer: bytearray | None = None

    @classmethod
    def open(cls) -> CpuDevice:
        """The host, with its clock's resolution measured and its cache's size read."""
        cache = last_level_cache_bytes()
        return cls(clock_resolution_s(), FLUSH_FACTOR * cache if cache else UNKNOWN_CACHE_FLUSH_BYTES)

    def synchronize(self) -> None:
        """Nothing is queued on the host."""

    def flush(self) -> None:
        """Read the whole flush buffer, so that nothing of the benchmark is left in any cache.

        Reading, not writing: large copies use stores that bypass the cache. A search for a byte that
        does not occur is one pass at memory speed and allocates nothing.
        """
        self._flush_buffer().find(_ABSENT)

    def time_window(self, work: Work, samples: int, inner_reps: int, *, cold: bool) -> Timed:
        """`samples` samples of `inner_reps` calls. The loop itself costs about 15 ns a call, not subtracted."""
        elapsed = [0] * samples
        flush = self.flush
        if cold:
            self._flush_buffer()
        with collector_off():
            for i in range(samples):
                if cold:
                    flush()
                started = perf_counter_ns()
                for _ in repeat(None, inner_reps):
                    work()
                elapsed[i] = perf_counter_ns() - started
        return Timed(tuple(ns * 1e-9 / inner_reps for ns in elapsed))

    def burst(self, work: Work, calls: int) -> float:
        with collector_off():
            started = perf_counter_ns()
            for _ in repeat(None, calls):
                work()
            return (perf_counter_ns() - started) * 1e-9 / calls

    def check_stream(self, work: Work) -> Reason | None:
        """Whether the callable left work behind on a GPU, which this device's clock does not see.

        Runs the callable once where torch has a CUDA context in this process; else does nothing.
        """
        torch = sys.modules.get("torch")
        if torch is None or not torch.cuda.is_initialized():
            return None
        torch.cuda.synchronize()
        work()
        returned = perf_counter()
        torch.cuda.synchronize()
        tail = perf_counter() - returned
        if tail < ASYNC_TAIL_S:
            return None
        detail = f"the GPU was busy for {tail * 1e6:.0f} µs after the callable returned; measure it on device cuda"
        return reason("work-outside-timing", detail=detail)

    def close(self) -> None:
        self._buffer = None

    def _flush_buffer(self) -> bytearray:
        if self._buffer is None:
            try:
                # Written to, not merely allocated: pages never written all map to one page of zeros.
                self._buffer = bytearray(_FILL) * self.flush_bytes
            except MemoryError as error:
                size = self.flush_bytes >> 20
                raise DeviceError(
                    f"no memory for the {size} MiB that flush the last-level cache",
                    'measure with a hot cache: cache = "hot"',
                ) from error
        return self._buffer
