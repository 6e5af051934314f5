"""What is done of a search for changes in one go, here or in a worker: it imports no more than that takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perftrack.core.changes.watch import WatchedChange

# Values and whether each is trusted, as the bytes of arrays; epochs; and whether the values are exact.
SearchJob = tuple[bytes, bytes, tuple[int, ...], bool | None]


def look(jobs: Sequence[SearchJob]) -> list[tuple[WatchedChange, ...]]:
    """The changes of each line."""
    import numpy as np

    from perftrack.core.changes.watch import watch

    return [
        watch(np.frombuffer(values), np.frombuffer(trusted, dtype=np.bool_), epochs, exact=exact)
        for values, trusted, epochs, exact in jobs
    ]


def get_ready() -> None:
    """In a worker: load what a search takes, and what packing does."""
    import scipy.special  # noqa: F401

    import perftrack.core.changes.watch
    import perftrack.publish.packing  # noqa: F401
