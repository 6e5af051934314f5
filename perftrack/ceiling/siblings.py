"""Whether the board's other cards idle while one is measured. Standard library only.

Cards on one board share power and cooling. Where all of them compute, as they do in training, each sustains less
than one that computes alone. One look is not enough: a neighbour's work comes and goes.
"""

from __future__ import annotations

import threading
from collections import Counter

from perftrack.ceiling.hardware import Idler
from perftrack.ceiling.protocols import IdleSibling

PERIOD_S = 0.5


class BoardWatch:
    """Looks every half second between `begin` and `end`, in a thread."""

    def __init__(self, idler: Idler, period_s: float = PERIOD_S) -> None:
        self._idler = idler
        self._period_s = period_s
        self._done = threading.Event()
        self._thread: threading.Thread | None = None
        self._looks = 0
        self._idle: Counter[int] = Counter()

    def begin(self) -> None:
        self.end()
        self._looks, self._idle = 0, Counter()
        self._done.clear()
        self._thread = threading.Thread(target=self._run, name="perftrack-siblings", daemon=True)
        self._thread.start()

    def end(self) -> tuple[IdleSibling, ...]:
        """The cards that idled at any look, with the share of looks; empty where no look was taken."""
        if self._thread is not None:
            self._done.set()
            self._thread.join()
            self._thread = None
        return tuple(IdleSibling(index, n / self._looks) for index, n in sorted(self._idle.items()))

    def _run(self) -> None:
        while not self._done.wait(self._period_s):
            self._looks += 1
            self._idle.update(index for index, _ in self._idler.idle_siblings())
