"""How much a host takes: warns before a site outgrows it, and says what makes it large."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# GitHub Pages refuses a site of more than 1 GB, and is slow to take one of many files long before.
MOST_BYTES, MOST_FILES = 500_000_000, 50_000

_HINTS = {
    "data/samples": "show samples of fewer runs: --samples N",
    "data/full": "keep old history in a store of its own: most of it is the points of long series",
    "data/series": "record fewer cases into this store, or keep a store for each group of them",
    "data/runs": "keep old history in a store of its own: each run has a file",
    "benchmarks": "record fewer benchmarks into this store, or keep a store for each group of them",
}


@dataclass(frozen=True, slots=True)
class FolderSize:
    files: int = 0
    bytes: int = 0


def size_warnings(sizes: Mapping[str, FolderSize]) -> tuple[str, ...]:
    """What to say of a site with so much in each folder; nothing while it is small enough."""
    found = []
    total = sum(size.bytes for size in sizes.values())
    count = sum(size.files for size in sizes.values())
    if total > MOST_BYTES:
        largest = max(sizes, key=lambda folder: sizes[folder].bytes)
        share = f"{sizes[largest].bytes / 1e6:.0f} MB of it are {largest}"
        found.append(f"the site has {total / 1e6:.0f} MB, and hosts take little more; {share}{_hint(largest)}")
    if count > MOST_FILES:
        largest = max(sizes, key=lambda folder: sizes[folder].files)
        share = f"{sizes[largest].files} of them in {largest}"
        found.append(f"the site has {count} files, and hosts are slow to take so many; {share}{_hint(largest)}")
    return tuple(found)


def _hint(folder: str) -> str:
    return f" ({_HINTS[folder]})" if folder in _HINTS else ""
