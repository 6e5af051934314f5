"""Copies and triads of the card on paper: time is a start and so much per byte. Standard library only."""

from __future__ import annotations

import math
import random

from perftrack.ceiling.streams import ELEMENT_BYTES, Stream, Timing

START_S = 2e-6
NOISE = 0.002


class ModelStreams:
    """`memory_rate`, `l2_rate` in byte/s; arrays that together are within `l2_bytes` run at the latter."""

    def __init__(self, memory_rate: float, l2_rate: float, l2_bytes: int, seed: int = 0) -> None:
        self._memory_rate = memory_rate
        self._l2_rate = l2_rate
        self._l2_bytes = l2_bytes
        self._random = random.Random(seed)

    def time(self, stream: Stream, elements: int, samples: int, calls: int) -> Timing:
        """As streams.Streams; `calls` changes nothing, the model has no launches to hide."""
        del calls
        size = stream.arrays * elements * ELEMENT_BYTES
        seconds = START_S + size / (self._l2_rate if size <= self._l2_bytes else self._memory_rate)
        noisy = (seconds * math.exp(NOISE * self._random.gauss(0.0, 1.0)) for _ in range(samples))
        return Timing(stream, elements, tuple(noisy))

    def close(self) -> None:
        """Nothing is held."""
