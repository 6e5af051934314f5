"""Python's garbage collector, held off while time is being taken."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_off() -> Iterator[None]:
    """Keep the collector off; its previous state comes back, whatever happens inside.

    Nothing is collected here: walking the heap before every window takes tens of milliseconds and
    empties the caches. The session collects once, before warm-up.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
