"""Timing with a device's own events: what cuda, rocm, xpu, hpu and mps share.

A window is queued whole and waited for once. Before a sample whose calls the device could finish
faster than the host launches them, a delay keeps the device busy until all of them are queued, so that
the events bracket back-to-back device work and not the host's launching. Whether that worked is read
from the device: a start event that is already done when the host has finished queueing was too early.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat
from statistics import median
from time import perf_counter, sleep
from typing import Any

from perftrack.core.model import Reason, Timer
from perftrack.timing.devices.backend import Backend
from perftrack.timing.devices.base import Timed, Work
from perftrack.timing.devices.collector import collector_off
from perftrack.timing.devices.delay import Delay, TimerSteps
from perftrack.timing.devices.memory import Memory
from perftrack.timing.devices.pace import WAITED_SHARE, Pace, probe, waits_for_device
from perftrack.timing.devices.stream import check_stream

# Drivers queue 1024 launches before the host must wait; some are left for what the samples add.
QUEUE_LIMIT = 1000
_LAUNCHES_PER_SAMPLE = 5  # delay, flush, two events, and one to spare
# The delay outlasts the host's time for a sample by this factor, and by what events and flush cost to queue.
_DELAY_MARGIN = 2.0
_SAMPLE_OVERHEAD_S = 20e-6
MAX_DELAY_S = 0.02
_MAX_ROUNDS = 4
# Between two looks at whether a window is done: a few looks per window, and little lost at its end.
_WAIT_STEP_S = 0.002


@dataclass(frozen=True, slots=True)
class _Round:
    """Per sample: device and host seconds for all its calls, and whether the device was there too early."""

    device_s: list[float]
    host_s: list[float]
    late: list[bool]
    delay_s: float

    @property
    def host_typical_s(self) -> float:
        """Lower quartile: a full launch queue makes the host wait for the device, interrupts make it late."""
        return sorted(self.host_s)[len(self.host_s) // 4]

    @property
    def host_waited(self) -> bool:
        """A host that took as long as the delay may have been waiting for it."""
        return all(self.late) and self.host_typical_s >= WAITED_SHARE * self.delay_s


class EventDevice:
    """A device timed by its events. `floor_s`: what its timer reads around nothing, part of every sample.

    `late_share`: share of the last window's samples that hold launch latency, because the device
    reached them before the host had queued all of their calls; 0 where it was hidden. `on_wait`: called now
    and then while a window's work is running and the host has nothing to do but wait.
    """

    timer = Timer.EVENT

    def __init__(self, backend: Backend, delay: Delay, steps: TimerSteps) -> None:
        self.kind = backend.kind
        self.index = backend.index
        self.resolution_s = steps.resolution_s
        self.floor_s = steps.floor_s
        self.late_share = 0.0
        self.on_wait: Callable[[], None] | None = None
        self._backend = backend
        self._delay = delay
        self._buffer: Any = None
        self._events: list[tuple[Any, Any]] = []
        self._paces = Memory[Pace]()

    @property
    def backend(self) -> Backend:
        return self._backend

    def synchronize(self) -> None:
        self._backend.wait()

    def time_window(self, work: Work, samples: int, inner_reps: int, *, cold: bool) -> Timed:
        with self._backend.guard():
            call, reps = self._prepare(work, inner_reps)
            if cold and self._buffer is None:
                self._buffer = self._backend.zeros(self._backend.flush_bytes)
            self._grow_events(samples)
            return self._window(work, call, samples, reps, inner_reps, cold=cold)

    def burst(self, work: Work, calls: int) -> float:
        with self._backend.guard():
            call = self._call(work)
            pace = self._pace(work, call, 1)
            hidden = int(MAX_DELAY_S / (_DELAY_MARGIN * pace.host_s)) if pace.host_s > 0 else calls
            per_sample = max(1, min(calls, QUEUE_LIMIT // 2, hidden))
            count = max(1, round(calls / per_sample))
            self._grow_events(count)
            taken = self._round(call, count, per_sample, pace, pace.host_s * per_sample, cold=False)
            self._learn(work, call, 1, taken, per_sample, pace)
        return sum(taken.device_s) / (count * per_sample)

    def check_stream(self, work: Work) -> Reason | None:
        """Whether all of the callable's work is where the events look: see `stream.check_stream`."""
        with self._backend.guard():
            call = self._call(work)
            return check_stream(self._backend, self._delay, call, self._pace(work, call, 1))

    def close(self) -> None:
        self._buffer = None
        self._paces.clear()
        self._events.clear()

    def _wait_for(self, last: Any) -> None:
        """Wait for everything queued, `last` being the last event of it."""
        if self.on_wait is not None:
            while not last.query():
                self.on_wait()
                sleep(_WAIT_STEP_S)
        self.synchronize()

    def _prepare(self, work: Work, inner_reps: int) -> tuple[Work, int]:
        """What a sample calls, and how often: a graph holds all `inner_reps` in one call."""
        return self._call(work), inner_reps

    def _call(self, work: Work) -> Work:
        after = self._backend.after_call
        if after is None:
            return work

        def call() -> None:
            work()
            after()

        return call

    def _grow_events(self, samples: int) -> None:
        """Events are made by their first record: record each once, outside of every timed region."""
        while len(self._events) < samples:
            pair = self._backend.event(), self._backend.event()
            pair[0].record()
            pair[1].record()
            self._events.append(pair)

    def _pace(self, work: Work, call: Work, graph_reps: int) -> Pace:
        """How fast the host launches `call`: probed once per callable, then learnt from every round."""
        known = self._paces.get(work, graph_reps)
        if known is not None:
            return known
        pace = probe(self._backend, call)
        self._paces.put(work, graph_reps, pace)
        return pace

    def _learn(self, work: Work, call: Work, graph_reps: int, taken: _Round, reps: int, pace: Pace) -> Pace:
        host_s = taken.host_typical_s / reps
        waits = pace.waits or (taken.host_waited and waits_for_device(self._backend, self._delay, call))
        pace = Pace(host_s, max(host_s, median(taken.device_s) / reps), waits)
        self._paces.put(work, graph_reps, pace)
        return pace

    def _window(self, work: Work, call: Work, samples: int, reps: int, inner_reps: int, *, cold: bool) -> Timed:
        """Rounds until no sample is late, delayed by what the slowest late one needed; then late ones stay."""
        graph_reps = inner_reps // reps
        pace = self._pace(work, call, graph_reps)
        kept: list[float] = []
        late: list[float] = []
        host: list[float] = []
        need_s = pace.host_s * reps
        for _ in range(_MAX_ROUNDS):
            taken = self._round(call, samples - len(kept), reps, pace, need_s, cold=cold)
            for value, is_late in zip(taken.device_s, taken.late, strict=True):
                (late if is_late else kept).append(value)
            host.append(taken.host_typical_s)
            pace = self._learn(work, call, graph_reps, taken, reps, pace)
            if len(kept) >= samples or pace.waits or taken.delay_s >= MAX_DELAY_S:
                break
            need_s = max(need_s, *taken.host_s)
        missing = samples - len(kept)
        self.late_share = missing / samples
        seconds = kept + late[len(late) - missing :]
        return Timed(tuple(s / inner_reps for s in seconds), min(host) / inner_reps)

    def _round(self, call: Work, samples: int, reps: int, pace: Pace, need_s: float, *, cold: bool) -> _Round:
        """Queue `samples` samples of `reps` calls, each taking the host `need_s` or less, and wait for them."""
        events = self._events[:samples]
        host, late = [0.0] * samples, [False] * samples
        chunk = max(1, QUEUE_LIMIT // (reps + _LAUNCHES_PER_SAMPLE))
        hide = pace.host_limited
        delay_s = min(MAX_DELAY_S, _DELAY_MARGIN * need_s + _SAMPLE_OVERHEAD_S)
        buffer = self._buffer if cold else None
        with collector_off():
            for i, (start, end) in enumerate(events):
                if i % chunk == 0:
                    self._wait_for(events[i - 1][1])
                if i == 0:
                    self._delay.queue_timed(delay_s)
                elif hide or (i % chunk == 0 and not pace.waits):
                    self._delay.queue(delay_s)
                if buffer is not None:
                    buffer.zero_()
                start.record()
                started = perf_counter()
                for _ in repeat(None, reps):
                    call()
                host[i] = perf_counter() - started
                end.record()
                if hide:
                    late[i] = start.query()
            self._wait_for(events[-1][1])
        self._delay.learn()
        device = [start.elapsed_time(end) * 1e-3 for start, end in events]
        return _Round(device, host, late, delay_s)
