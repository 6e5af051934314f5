"""Python's garbage collector, kept from looking through objects that stay."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """For a block that makes many objects and next to no cycles: looking for garbage meanwhile only costs time.

    What has no reference left is freed all the same. The collector is left as it was found.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
