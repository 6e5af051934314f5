"""How many processes work on a site, decided by the size of its store before anything is read from it."""

from __future__ import annotations

import os
from pathlib import Path

from perftrack.publish.crew import Crew
from perftrack.publish.searchjob import get_ready

# Below so many bytes of a store, 100,000 points or fewer, its site is made sooner than a process has started.
ENOUGH = 4 << 20


def hired(store: Path) -> Crew:
    """A crew for the site of a store. Its workers are starting, which they do best while this process imports."""
    try:
        size = store.stat().st_size
    except OSError:
        size = 0  # whoever reads it says so
    crew = Crew(wanted(size))
    crew.start(get_ready)
    return crew


def wanted(stored: int) -> int:
    """How many processes are worth their start for a store of so many bytes; this one has a processor too."""
    return min((os.cpu_count() or 1) - 1, stored // ENOUGH)
