"""Counters of one launch out of several files of the same profile."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from perftrack.core.launches.launch import Counter
from perftrack.ncu.raw import Counters


class JoinedCounters(Counters):
    """Of counters with the same name and section, the first file's."""

    __slots__ = ("_pages",)

    def __init__(self, pages: tuple[Counters, ...]) -> None:
        self._pages = pages

    @property
    def names(self) -> tuple[str, ...]:
        return _union(tuple(page.names for page in self._pages))

    def named(self, name: str) -> tuple[Counter, ...]:
        found: dict[str, Counter] = {}
        for page in self._pages:
            for counter in page.named(name):
                found.setdefault(counter.section, counter)
        return tuple(found.values())

    def __iter__(self) -> Iterator[Counter]:
        for name in self.names:
            yield from self.named(name)


@lru_cache(maxsize=64)
def _union(names: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """Launches of the same files share their names, and then this."""
    return tuple(dict.fromkeys(name for page in names for name in page))
