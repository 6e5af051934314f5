"""Accelerators whose events can't be used: the host's clock, with the device waited for around each sample."""

from __future__ import annotations

from itertools import repeat
from time import perf_counter_ns
from typing import Any

from perftrack.core.model import Reason, Timer
from perftrack.timing.devices.backend import Backend
from perftrack.timing.devices.base import Timed, Work
from perftrack.timing.devices.collector import collector_off
from perftrack.timing.devices.cpu import clock_resolution_s

_WAITS = 20


class SynchronisedDevice:
    """Each sample starts and ends with the device idle, so it holds one launch and one wait.

    `resolution_s` is the larger of the clock's step and the cost of waiting for an idle device.
    """

    timer = Timer.HOST

    def __init__(self, backend: Backend, resolution_s: float) -> None:
        self.kind = backend.kind
        self.index = backend.index
        self.resolution_s = resolution_s
        self._backend = backend
        self._buffer: Any = None

    @classmethod
    def open(cls, backend: Backend) -> SynchronisedDevice:
        """Measures what waiting for an idle device costs. Raises RuntimeError if the device fails."""
        backend.synchronize()
        started = perf_counter_ns()
        for _ in repeat(None, _WAITS):
            backend.synchronize()
        wait_s = (perf_counter_ns() - started) * 1e-9 / _WAITS
        return cls(backend, max(wait_s, clock_resolution_s()))

    @property
    def backend(self) -> Backend:
        return self._backend

    def synchronize(self) -> None:
        self._backend.wait()

    def time_window(self, work: Work, samples: int, inner_reps: int, *, cold: bool) -> Timed:
        if cold and self._buffer is None:
            self._buffer = self._backend.zeros(self._backend.flush_bytes)
        return Timed(tuple(self._sample(work, inner_reps, cold=cold) for _ in range(samples)))

    def burst(self, work: Work, calls: int) -> float:
        return self._sample(work, calls, cold=False)

    def check_stream(self, work: Work) -> Reason | None:
        """Every stream is waited for, so there is none to be on the wrong one."""
        del work
        return None

    def close(self) -> None:
        self._buffer = None

    def _sample(self, work: Work, reps: int, *, cold: bool) -> float:
        after = self._backend.after_call
        with self._backend.guard(), collector_off():
            if cold:
                self._buffer.zero_()
            self._backend.wait()
            started = perf_counter_ns()
            for _ in repeat(None, reps):
                work()
                if after is not None:
                    after()
            self._backend.wait()
            return (perf_counter_ns() - started) * 1e-9 / reps
