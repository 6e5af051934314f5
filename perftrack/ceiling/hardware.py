"""What the torch rig needs of a device and of its readings. Standard library only."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from perftrack.errors import DeviceError


class Platform(Protocol):
    """A torch backend on one device. `flush_bytes`: what must be written to evict its caches.

    `event()` makes a timing event (record, elapsed_time in ms, and query where the backend has it); `zeros(n)` an
    n-byte buffer on the device. `after_call` closes a lazy backend's graph after each call.
    """

    @property
    def kind(self) -> str: ...
    @property
    def index(self) -> int: ...
    @property
    def flush_bytes(self) -> int: ...
    @property
    def event(self) -> Callable[[], Any]: ...
    @property
    def zeros(self) -> Callable[[int], Any]: ...
    @property
    def after_call(self) -> Callable[[], object] | None: ...

    def wait(self) -> None:
        """Wait for all queued work. Raises DeviceError if any of it failed."""
        ...

    def failure(self, error: BaseException) -> DeviceError: ...


class Readings(Protocol):
    """A card's readings, cheap enough to take thousands of times a second. None where one failed."""

    def clock_mhz(self) -> float | None: ...

    def power_w(self) -> float | None:
        """Instantaneous where the card tells it apart from a running average."""
        ...

    def temperature_c(self) -> float | None: ...
    def event_reasons(self) -> int | None: ...


class WindowTimer(Protocol):
    """Times back-to-back calls with their launches hidden: seconds a call, one entry a sample."""

    def time_calls(self, work: Callable[[], object], samples: int, calls: int) -> tuple[float, ...]: ...


class Idler(Protocol):
    """Whether the other cards of the board are idle now: position and utilisation in percent of each that is."""

    def idle_siblings(self) -> tuple[tuple[int, float], ...]: ...


class Clock(Protocol):
    """The host's time; replaced in tests."""

    def now(self) -> float: ...
    def sleep(self, seconds: float) -> None: ...


class HostClock:
    """time.monotonic and time.sleep."""

    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class WaitedEvent:
    """In place of events where a backend has none: the host's clock, read once the device has been waited for.

    Its times hold the launch and the wait, so that a rate from them is too low, never too high.
    """

    def __init__(self, platform: Platform, clock: Clock) -> None:
        self._platform = platform
        self._clock = clock
        self._at: float | None = None

    def record(self) -> None:
        self._platform.wait()
        self._at = self._clock.now()

    def elapsed_time(self, end: WaitedEvent) -> float:
        """Milliseconds, as torch's events have it."""
        if self._at is None or end._at is None:
            raise DeviceError("elapsed time of an event that was not recorded")
        return 1e3 * (end._at - self._at)
