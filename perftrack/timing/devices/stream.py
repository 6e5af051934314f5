"""Is the callable's work where the events look: on the current stream, queued before it returns?"""

from __future__ import annotations

from itertools import repeat
from time import perf_counter, sleep

from perftrack.core.model import Reason
from perftrack.core.reasons import reason
from perftrack.timing.devices.backend import Backend, Pace
from perftrack.timing.devices.base import Work
from perftrack.timing.devices.delay import Delay

_CALLS = 8
_SHORT_S = 0.005
_MAX_DELAY_S = 0.02
# Waiting for an idle device takes some 10 µs; a tenth of the work is more than a side stream's last kernel.
_TAIL_S, _TAIL_SHARE = 200e-6, 0.1
_SETTLE_S = 0.002
# No kernel takes less, from the start of one to the start of the next.
_LEAST_KERNEL_S = 0.5e-6


def check_stream(backend: Backend, delay: Delay, call: Work, pace: Pace) -> Reason | None:
    """None if so; else what was seen instead. Calls it eight times, or once where it takes milliseconds.

    Three signs: the device is still busy when the current stream is done; it becomes busy again after
    everything was done; the calls took no time on the current stream at all.
    """
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
        detail = f"the device was busy for {tail_s * 1e6:.0f} µs more after the current stream had finished"
    elif waited > limit_s:
        detail = "work reached the device after the callable had returned"
    elif device_s - floor_s < _LEAST_KERNEL_S * calls:
        detail = f"{calls} calls put no work on the current stream"
    else:
        return None
    return reason("work-outside-timing", detail=detail)


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
