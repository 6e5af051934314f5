"""What one case may change in its process that the next one would feel. Standard library only."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGCHLD")
_USED = tuple(getattr(signal, name) for name in _NAMES)


class Surroundings:
    """Working directory, environment, import path, streams, alarm and signal handlers, as they were when made."""

    def __init__(self) -> None:
        self._folder = os.getcwd()  # noqa: PTH109 - the text is what chdir needs, also of a folder that is gone
        self._environment = dict(os.environ)
        self._path = list(sys.path)
        self._streams = sys.stdin, sys.stdout, sys.stderr
        self._handlers = {n: signal.getsignal(n) for n in _USED}
        self._chdir, self._setitimer = os.chdir, signal.setitimer

    def restore(self) -> None:
        """Put back what changed. What cannot be is left: the coordinator replaces a worker that dies of it."""
        with contextlib.suppress(OSError):
            self._chdir(self._folder)
        if dict(os.environ) != self._environment:
            os.environ.clear()
            os.environ.update(self._environment)
        sys.path[:] = self._path
        sys.stdin, sys.stdout, sys.stderr = self._streams
        self._setitimer(signal.ITIMER_REAL, 0.0)
        for number, handler in self._handlers.items():
            if handler is not None and signal.getsignal(number) is not handler:
                with contextlib.suppress(OSError, ValueError):
                    signal.signal(number, handler)
