"""What a torch backend offers to the event timer, and how its failures are told from the callable's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from perftrack.errors import DeviceError

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
