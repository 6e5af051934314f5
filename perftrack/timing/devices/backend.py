"""What a torch backend offers to the event timer, and how fast the host feeds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from perftrack.errors import DeviceError

# A device busier than this multiple of the host's launch time stays behind the host without help.
_AHEAD_FACTOR = 2.0
_HINT = "A failed device stays failed in this process; the other cases run in fresh ones."


@dataclass(frozen=True, slots=True)
class Backend:
    """`event()` makes a timing event, `zeros(n)` an n-byte device buffer, `synchronize()` waits for everything.

    `errors`: words that tell the backend's own failures from the callable's. `after_call` runs after every
    call inside the timed region, where a backend is lazy and would otherwise merge calls.
    """

    kind: str
    index: int
    event: Callable[[], Any]
    synchronize: Callable[[], None]
    zeros: Callable[[int], Any]
    flush_bytes: int
    errors: tuple[str, ...]
    after_call: Callable[[], object] | None = None

    def wait(self) -> None:
        """Wait until all queued work is done. Raises DeviceError if any of it failed."""
        try:
            self.synchronize()
        except RuntimeError as error:
            raise self.failure(error) from error

    def failure(self, error: BaseException) -> DeviceError:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return DeviceError(f"{self.kind}:{self.index} failed: {lines[0]}", _HINT)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Turn the backend's failures into DeviceError; what the callable itself raises goes through."""
        try:
            yield
        except DeviceError:
            raise
        except RuntimeError as error:
            text = f"{type(error).__name__}: {error}"
            if any(word in text for word in self.errors):
                raise self.failure(error) from error
            raise


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
