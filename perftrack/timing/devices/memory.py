"""What a device has learnt about the last few callables it ran."""

from __future__ import annotations

from typing import Generic, TypeVar

from perftrack.timing.devices.base import Work

T = TypeVar("T")

# A comparison alternates between two callables; a few more cost nothing.
_KEPT = 4


class Memory(Generic[T]):
    """A value per callable and number of repetitions. Holds the callables, so that no identity is reused."""

    def __init__(self) -> None:
        self._held: dict[tuple[int, int], tuple[Work, T]] = {}

    def get(self, work: Work, reps: int) -> T | None:
        held = self._held.get((id(work), reps))
        return None if held is None else held[1]

    def put(self, work: Work, reps: int, value: T) -> None:
        """Remember; the one that was put first is forgotten when there are too many."""
        key = id(work), reps
        self._held.pop(key, None)
        self._held[key] = work, value
        if len(self._held) > _KEPT:
            self._held.pop(next(iter(self._held)))

    def clear(self) -> None:
        self._held.clear()
