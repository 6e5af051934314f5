"""Copy and triad in torch: what is timed for the bandwidth of memory and caches. Standard library only.

After McCalpin's STREAM (1995): copy a = b, two arrays' bytes; triad a = b + s·c, three. Of a copy torch has two
kernels, the driver's memory copy and an elementwise one; which is faster depends on device and size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from perftrack.ceiling.hardware import WindowTimer

ELEMENT_BYTES = 4  # float32
_SCALE = 3.0
_TRIALS = 5


class Stream(StrEnum):
    COPY = "copy"
    TRIAD = "triad"

    @property
    def arrays(self) -> int:
        return 2 if self is Stream.COPY else 3


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds a pass over arrays of `elements` each, one entry a sample of back-to-back passes."""

    stream: Stream
    elements: int
    seconds: tuple[float, ...]

    @property
    def bytes_moved(self) -> int:
        """Read and written by one pass; what a cache fetches before it writes is not counted."""
        return self.stream.arrays * self.elements * ELEMENT_BYTES


class Streams:
    """Arrays of one size on a device, made on first use and kept until another size is asked for."""

    def __init__(self, torch: Any, place: str, timer: WindowTimer) -> None:
        self._torch = torch
        self._place = place
        self._timer = timer
        self._arrays: tuple[Any, Any, Any] | None = None
        self._faster: dict[tuple[Stream, int], int] = {}

    def time(self, stream: Stream, elements: int, samples: int, calls: int) -> Timing:
        """`samples` samples of `calls` passes, by the kernel that is faster. Raises what torch raises."""
        works = self._works(stream, elements)
        if (stream, elements) not in self._faster:
            took = [min(self._timer.time_calls(work, _TRIALS, calls)) for work in works]
            self._faster[stream, elements] = took.index(min(took))
        work = works[self._faster[stream, elements]]
        return Timing(stream, elements, self._timer.time_calls(work, samples, calls))

    def close(self) -> None:
        self._arrays = None

    def _works(self, stream: Stream, elements: int) -> list[Callable[[], object]]:
        torch = self._torch
        if self._arrays is None or self._arrays[0].numel() != elements:
            self._arrays = None  # first, or both sizes must fit together
            a, b, c = (torch.randn(elements, device=self._place) for _ in range(3))
            self._arrays = a, b, c
        a, b, c = self._arrays
        if stream is Stream.TRIAD:
            return [lambda: torch.add(b, c, alpha=_SCALE, out=a)]
        return [lambda: a.copy_(b), lambda: torch.abs(b, out=a)]
