"""Change points of every line of the history: looked for once, and again only where the values are others."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources

import msgspec
import numpy as np

from perftrack.core.changes.watch import WatchedChange
from perftrack.publish.crew import Crew
from perftrack.publish.lines import SeriesLine
from perftrack.publish.searchjob import SearchJob, look

CACHE = ".perftrack-changes"
Found = tuple[WatchedChange, ...]
_BATCH = 50_000  # values that are looked at in one go


class ChangeSearch:
    """Has the crew look for what the cache does not have, and gives everything when it is asked.

    `cached`: the bytes of a former search, of any version and in any state: what cannot be used is not.
    """

    def __init__(self, lines: Sequence[SeriesLine], cached: bytes | None, crew: Crew | None = None) -> None:
        self._keys = [line_key(line) for line in lines]
        known = _read(cached)
        self._found: dict[str, Found] = {key: known[key] for key in self._keys if key in known}
        missing = {k: _job(line) for k, line in zip(self._keys, lines, strict=True) if k not in self._found}
        crew = crew or Crew(0)
        self._jobs = [
            (keys, crew.submit(look, [missing[key] for key in keys])) for keys in _batches(missing, crew.count)
        ]

    def found(self) -> list[Found]:
        """The changes of each line, in the order of the lines."""
        while self._jobs:
            keys, job = self._jobs.pop()  # from the end that the crew comes to last
            self._found.update(zip(keys, job.result(), strict=True))
        return [self._found[key] for key in self._keys]

    def to_cache(self) -> bytes:
        """What `found` gave, for the next search; the same bytes for the same lines."""
        kept = {key: self._found[key] for key in sorted(set(self._keys))}
        return zlib.compress(msgspec.json.encode(kept, order="deterministic"), 6)


def _batches(jobs: Mapping[str, SearchJob], workers: int) -> Iterator[list[str]]:
    """The keys in parts small enough that nobody waits for another's last one; in one part without workers."""
    batch: list[str] = []
    values = 0
    for key, job in jobs.items():
        batch.append(key)
        values += len(job[0]) // 8
        if workers and values >= _BATCH:
            yield batch
            batch, values = [], 0
    if batch:
        yield batch


def line_key(line: SeriesLine) -> str:
    """24 hex digits of everything that the answer depends on, the code that finds it included."""
    values, trusted, epochs, exact = _job(line)
    digest = hashlib.blake2b(_code(), digest_size=12)
    digest.update(f"{len(values)} {epochs} {exact} ".encode() + trusted + values)
    return digest.hexdigest()


@cache
def _code() -> bytes:
    """Of the library's source: another version of it may see other changes in the same values."""
    folder = resources.files("perftrack.core.changes")
    digest = hashlib.blake2b(np.__version__.encode(), digest_size=16)
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".py"):
            digest.update(file.read_bytes())
    return digest.digest()


def _job(line: SeriesLine) -> SearchJob:
    return line.values.tobytes(), line.trusted.tobytes(), line.epochs, line.exact


def _read(cached: bytes | None) -> Mapping[str, Found]:
    if cached is None:
        return {}
    try:
        return msgspec.json.decode(zlib.decompress(cached), type=dict[str, Found])
    except (zlib.error, msgspec.MsgspecError):
        return {}
