"""A thread that reads now and then, and knows what share of the time its reading took."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter


class Poller:
    """Calls `read` every `every_s` seconds between `start` and `stop`."""

    def __init__(self, read: Callable[[], None], every_s: float) -> None:
        self._read = read
        self._every_s = every_s
        self._done = threading.Event()
        self._thread: threading.Thread | None = None
        self._spent_s = 0.0
        self._started = 0.0

    def start(self) -> None:
        """Begin, unless running."""
        if self._thread is not None:
            return
        self._done.clear()
        self._spent_s = 0.0
        self._started = perf_counter()
        self._thread = threading.Thread(target=self._run, name="perftrack-telemetry", daemon=True)
        self._thread.start()

    def stop(self) -> float | None:
        """Share of the time since `start` that was spent reading; None if it was not running."""
        if self._thread is None:
            return None
        self._done.set()
        self._thread.join()
        self._thread = None
        return self._spent_s / max(perf_counter() - self._started, 1e-9)

    def _run(self) -> None:
        while not self._done.wait(self._every_s):
            started = perf_counter()
            self._read()
            self._spent_s += perf_counter() - started
