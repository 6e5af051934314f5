"""Telling objects apart by what they are and not by what they are equal to. Stdlib only."""

from __future__ import annotations

from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class Same(Generic[Thing]):
    """Equal for one object alone, which it keeps: a key to what was worked out of something that never changes."""

    __slots__ = ("of",)

    def __init__(self, of: Thing) -> None:
        self.of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.of is other.of

    def __hash__(self) -> int:
        return id(self.of)
