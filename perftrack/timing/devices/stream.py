"""Is the callable's work where the events look: on the current stream, queued before it returns?"""

from __future__ import annotations

from itertools import repeat
from time import perf_counter, sleep

from perftrack.core.model import Reason
from perftrack.core.reasons import reason
from perftrack.timing.devices.backend import Backend
from perftrack.timing.devices.base import Work
from perftrack.timing.devices.delay import Delay
from perftrack.timing.devices.pace import Pace

_CALLS = 8
_SHORT_S = 0.005
_MAX_DELAY_S = 0.02
# Waiting for an idle device takes some 10 µs; a tenth of the work is more than a side stream's last kernel.
_TAIL_S, _TAIL_SHARE = 200e-6, 0.1
_SETTLE_S = 0.002
# No kernel takes less, from the start of one to the start of the next.
_LEAST_KERNEL_S = 0.5e-6


def check_stream(backend: Backend, delay: Delay, call: Work, pace: Pace) -> Reason | None:
    """None if so; else what was seen instead, twice in a row: a moment of the host's can look like it once.

    Three signs: the device is still busy when the current stream is done; it becomes busy again after
    everything was done; the calls took no time on the current stream at all. A look makes eight calls, or one
    of a callable that takes milliseconds.
    """
    first = _look(backend, delay, call, pace)
    if first is None:
        return None
    again = _look(backend, delay, call, pace)
    return None if again is None else reason("work-outside-timing", detail=again)


def _look(backend: Backend, delay: Delay, call: Work, pace: Pace) -> str | None:
    calls = _CALLS if pace.device_s < _SHORT_S else 1
    delay_s = min(_MAX_DELAY_S, 2 * pace.host_s * calls + 20e-6)
    device_s, tail_s = _bracket(backend, delay, delay_s, call, calls)
    sleep(_SETTLE_S)
    waited = perf_counter()
    backend.wait()
    waited = perf_counter() - waited
    floor_s, _ = _bracket(backend, delay, delay_s, lambda: None, calls)
    limit_s = max(_TAIL_S, _TAIL_SHARE * device_s)
    if tail_s > limit_s:
        return f"the device was busy for {tail_s * 1e6:.0f} µs more after the current stream had finished"
    if waited > limit_s:
        return "work reached the device after the callable had returned"
    if device_s - floor_s < _LEAST_KERNEL_S * calls:
        return f"{calls} calls put no work on the current stream"
    return None


def _bracket(backend: Backend, delay: Delay, delay_s: float, call: Work, calls: int) -> tuple[float, float]:
    """Device seconds of the calls on the current stream, and how long everything else took after it."""
    start, end = backend.event(), backend.event()
    backend.wait()
    delay.queue(delay_s)
    start.record()
    for _ in repeat(None, calls):
        call()
    end.record()
    end.synchronize()
    stream_done = perf_counter()
    backend.wait()
    return start.elapsed_time(end) * 1e-3, perf_counter() - stream_done
