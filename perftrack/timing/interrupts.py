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
    """Signals wait until the end of the block, so that it is done whole or not at all.

    Held by handlers that note them, not by a signal mask: a mask is one thread's, and a process with more
    threads (torch starts several) takes the signal on another. From a thread other than the main one there
    is nothing to hold: Python runs handlers in the main thread only.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    held = [n for n in SIGNALS if signal.getsignal(n) not in (signal.SIG_IGN, None)]
    before = {n: signal.signal(n, lambda number, _frame: arrived.append(number)) for n in held}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(arrived):
            signal.raise_signal(number)
