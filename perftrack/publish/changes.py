"""Change points of every line of the history: looked for once, and again only where the values are others."""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from importlib import resources
from multiprocessing import get_context

import msgspec
import numpy as np

from perftrack.core.changes.watch import WatchedChange
from perftrack.publish.lines import SeriesLine

CACHE = ".perftrack-changes"
Found = tuple[WatchedChange, ...]
# Below this many values it takes longer to start a process than to look at all of them in this one. The process
# works beside this one, which has other things to do meanwhile; of many values there is enough for two.
ENOUGH, MANY = 100_000, 600_000
_BATCHES = 8  # a worker
_Job = tuple[bytes, bytes, tuple[int, ...], bool | None]


class ChangeSearch:
    """Starts to look for what the cache does not have, and gives everything when it is asked.

    `cached`: the bytes of a former search, of any version and in any state: what cannot be used is not.
    """

    def __init__(self, lines: Sequence[SeriesLine], cached: bytes | None, *, workers: int | None = None) -> None:
        self._keys = [line_key(line) for line in lines]
        known = _read(cached)
        self._found: dict[str, Found] = {key: known[key] for key in self._keys if key in known}
        jobs = {k: _job(line) for k, line in zip(self._keys, lines, strict=True) if k not in self._found}
        self._jobs = jobs
        self._futures: list[tuple[list[str], Future[list[Found]]]] = []
        count = sum(len(values) for values, *_ in jobs.values()) // 8
        if workers is None:
            wanted = 0 if count < ENOUGH else 1 if count < MANY else 2
            workers = wanted if (os.cpu_count() or 1) > 1 else 0
        self._pool: ProcessPoolExecutor | None = None
        if workers > 0 and len(jobs) > 1:
            self._start(workers)

    def _start(self, workers: int) -> None:
        self._pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
        keys = list(self._jobs)
        size = -(-len(keys) // (workers * _BATCHES))
        for at in range(0, len(keys), size):
            batch = keys[at : at + size]
            self._futures.append((batch, self._pool.submit(look, [self._jobs[k] for k in batch])))

    def found(self) -> list[Found]:
        """The changes of each line, in the order of the lines."""
        try:
            for batch, future in self._futures:
                self._found.update(zip(batch, future.result(), strict=True))
        except BrokenProcessPool:
            pass  # no worker could be started, or one was killed: what is missing is done here
        finally:
            self.close()
        left = [key for key in self._jobs if key not in self._found]
        self._found.update(zip(left, look([self._jobs[key] for key in left]), strict=True))
        return [self._found[key] for key in self._keys]

    def close(self) -> None:
        """End the workers, whatever they are at."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool, self._futures = None, []

    def to_cache(self) -> bytes:
        """What `found` gave, for the next search; the same bytes for the same lines."""
        kept = {key: self._found[key] for key in sorted(set(self._keys))}
        return zlib.compress(msgspec.json.encode(kept, order="deterministic"), 6)


def look(jobs: Sequence[_Job]) -> list[Found]:
    """The changes of each line. Runs in a worker process."""
    from perftrack.core.changes.watch import watch

    return [
        watch(np.frombuffer(values).tolist(), np.frombuffer(trusted, dtype=np.bool_).tolist(), epochs, exact=exact)
        for values, trusted, epochs, exact in jobs
    ]


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


def _job(line: SeriesLine) -> _Job:
    return line.values.tobytes(), line.trusted.tobytes(), line.epochs, line.exact


def _read(cached: bytes | None) -> Mapping[str, Found]:
    if cached is None:
        return {}
    try:
        return msgspec.json.decode(zlib.decompress(cached), type=dict[str, Found])
    except (zlib.error, msgspec.MsgspecError):
        return {}
