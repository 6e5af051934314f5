"""How fast the host launches a callable, and how fast the device runs it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from time import perf_counter

from perftrack.timing.devices.backend import Backend
from perftrack.timing.devices.base import Work
from perftrack.timing.devices.delay import Delay

# A device busier than this multiple of the host's launch time stays behind the host without help.
_AHEAD_FACTOR = 2.0
_CALLS = 32
_SHORT_S = 0.005
_BUSY_S = 0.005
# A delay counts cycles: calibrated while the clock was still rising, it is over in a fraction of its time.
WAITED_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds per call: `host_s` to launch one, `device_s` until it has run. `waits`: it waits for the device."""

    host_s: float
    device_s: float
    waits: bool = False

    @property
    def host_limited(self) -> bool:
        """Whether the device could fall idle between calls, so that they must be queued ahead."""
        return not self.waits and self.host_s * _AHEAD_FACTOR > self.device_s


def probe(backend: Backend, call: Work) -> Pace:
    """From one call, and from 32 more where one takes less than 5 ms."""
    pace = _probe(backend, call, 1)
    return _probe(backend, call, _CALLS) if pace.device_s < _SHORT_S else pace


def waits_for_device(backend: Backend, delay: Delay, call: Work) -> bool:
    """Whether the callable itself waits for the device: it then takes about as much longer as the device is busy.

    Asked twice: one hiccup of the host looks the same.
    """
    return all(_longer_when_busy(backend, delay, call) >= WAITED_SHARE * _BUSY_S for _ in range(2))


def _longer_when_busy(backend: Backend, delay: Delay, call: Work) -> float:
    took = []
    for busy_s in (0.0, _BUSY_S):
        backend.wait()
        if busy_s:
            delay.queue(busy_s)
        started = perf_counter()
        call()
        took.append(perf_counter() - started)
    backend.wait()
    return took[1] - took[0]


def _probe(backend: Backend, call: Work, calls: int) -> Pace:
    backend.wait()
    started = perf_counter()
    for _ in repeat(None, calls):
        call()
    launched = perf_counter()
    backend.wait()
    return Pace((launched - started) / calls, (perf_counter() - started) / calls)
