"""Undoing something before a signal ends the process."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
SIGNALS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))


class InterruptGuard:
    """Calls `undo` when SIGINT, SIGTERM or SIGHUP arrives, then does what the process did before about it.

    `undo` must not raise. Only a main thread can install it; from another one the caller's `finally`
    remains.
    """

    def __init__(self, undo: Callable[[], None]) -> None:
        self._undo = undo
        self._previous: dict[signal.Signals, Any] = {}

    def install(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        for number in SIGNALS:
            previous = signal.getsignal(number)
            # Ignored: the process lives on. None: a handler that Python did not install can't be chained.
            if previous in (signal.SIG_IGN, None):
                continue
            self._previous[number] = previous
            signal.signal(number, self._handle)

    def remove(self) -> None:
        """Put the previous handlers back, except where somebody has installed another one since."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number, previous in self._previous.items():
            if signal.getsignal(number) == self._handle:
                signal.signal(number, previous)
        self._previous.clear()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        previous = self._previous.get(signal.Signals(number), signal.SIG_DFL)
        self._undo()
        if callable(previous):
            previous(number, frame)
        else:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Signals wait until the end of the block, so that it is done whole or not at all."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
