"""A search on disk: a line for its state and one for each visit after it, each whole before the next begins.

What a kill or a power cut leaves is at most one torn line at the end, which is cut off: the visit is made again.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from types import TracebackType

from perftrack.app.bisectheading import Heading
from perftrack.app.bisectvisit import Readings
from perftrack.core.search.bisection import Search
from perftrack.core.search.state import from_dict, to_dict
from perftrack.core.search.visits import Failure, FailureKind, Result
from perftrack.core.text import quoted
from perftrack.errors import InvalidValueError, StoreError

PREFIX, SUFFIX = "bisect-", ".jsonl"
FORMAT = 1
HINT = "--restart begins anew without it."


@dataclass(frozen=True, slots=True)
class Stored:
    """A search that was left: where, about what, how far; and how much of the file is whole lines."""

    path: Path
    heading: Heading
    search: Search
    whole_bytes: int


class Journal:
    """The file of a search that is going on; nobody else may go on with it meanwhile. A context manager."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: FileIO | None = None

    def __enter__(self) -> Journal:
        try:
            while self._file is None:
                self._file = _locked(self._path)
        except BlockingIOError as error:
            raise StoreError(
                "another perftrack bisect is searching this range",
                "Wait for it, or end it: what it has measured is kept, and --resume goes on with it.",
            ) from error
        except OSError as error:
            raise StoreError(
                f"{self._path}: a search cannot be kept there: {error.strerror}",
                "A search needs to write to the repository's Git folder.",
            ) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            if _is_at(self._file, self._path) and not self._path.stat().st_size:
                self._path.unlink()  # nothing was begun
            self._file.close()

    def begin(self, heading: Heading, search: Search) -> None:
        """Write a new search, in place of whatever is there."""
        self._cut(0)
        self._append({"format": FORMAT, "heading": heading.to_dict(), "search": to_dict(search)})

    def go_on(self, stored: Stored, search: Search) -> None:
        """Continue a stored search, in the state it has now: its settings may be others than it was left with."""
        self._cut(stored.whole_bytes)
        self.state(search)

    def state(self, search: Search) -> None:
        """The search is another one from here on, as where it goes on with a part of its range."""
        self._append({"search": to_dict(search)})

    def visited(self, readings: Readings) -> None:
        sides = [[sha, _result(result)] for sha, result in readings.sides]
        self._append({"visit": sides, "seconds": readings.seconds, "build_seconds": readings.build_seconds})

    def done(self) -> None:
        """The search has its answer: nothing is left to go on with."""
        self._path.unlink(missing_ok=True)

    def _cut(self, size: int) -> None:
        assert self._file is not None
        self._file.truncate(size)

    def _append(self, document: Mapping[str, object]) -> None:
        assert self._file is not None
        line = json.dumps(document, allow_nan=False).encode() + b"\n"
        try:
            rest = memoryview(line)
            while rest:  # a disk that is nearly full takes a part of it
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            raise StoreError(
                f"{self._path}: what was measured cannot be kept: {error.strerror}",
                "Make room on that disk; then --resume goes on after the last visit that was kept.",
            ) from error


def _locked(path: Path) -> FileIO | None:
    """The file, held; None where whoever held it before ended its search, and took it away, meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("ab", buffering=0)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_at(file, path):
            return file
    except OSError:
        file.close()
        raise
    file.close()
    return None


def _is_at(file: FileIO, path: Path) -> bool:
    return path.exists() and os.path.samestat(path.stat(), os.fstat(file.fileno()))


def journal_path(folder: Path, case_id: str, metric: str, good: str, bad: str, *, first_parent: bool) -> Path:
    """Where the search of one range for one metric of one case is kept."""
    what = "\0".join((case_id, metric, good, bad, str(first_parent)))
    return folder / f"{PREFIX}{hashlib.sha256(what.encode()).hexdigest()[:16]}{SUFFIX}"


def stored_search(path: Path) -> Stored | None:
    """What a file holds; None where there is none, or one in which nothing was begun.

    Raises StoreError for a damaged one.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    lines = data.split(b"\n")[:-1]
    if not lines:
        return None
    try:
        documents = [json.loads(line) for line in lines]
        head = documents[0]
        if head["format"] != FORMAT:
            raise InvalidValueError(f"its format is {head['format']!r}, not {FORMAT}")
        heading = Heading.from_dict(head["heading"])
        search = None
        for document in documents:
            if "search" in document:
                search = from_dict(document["search"])
            elif search is not None:
                search = observed(search, _readings(document))
        if search is None:
            raise InvalidValueError("it has no search in it")
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError) as error:
        raise StoreError(f"{path}: the stored search cannot be read: {error}", HINT) from error
    return Stored(path, heading, search, sum(len(line) + 1 for line in lines))


def stored_searches(folder: Path) -> Iterator[Stored]:
    """Every search that was left in a folder; those that cannot be read are passed over."""
    for path in sorted(folder.glob(f"{PREFIX}*{SUFFIX}")):
        with contextlib.suppress(StoreError):
            stored = stored_search(path)
            if stored is not None:
                yield stored


def observed(search: Search, readings: Readings) -> Search:
    """The search after a visit."""
    if not readings.sides:
        return search.passed(readings.seconds, readings.build_seconds)
    (commit, result), *rest = readings.sides
    return search.observe(
        commit,
        result,
        beside=rest[0] if rest else None,
        seconds=readings.seconds,
        build_seconds=readings.build_seconds,
    )


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value < math.inf:
        raise TypeError(f"{quoted(value)} is no number of seconds")
    return float(value)


def _result(result: Result) -> object:
    return [result.kind.value, result.detail] if isinstance(result, Failure) else {"values": list(result)}


def _readings(document: Mapping[str, object]) -> Readings:
    sides = []
    for sha, read in document["visit"]:  # type: ignore[attr-defined]
        failed = isinstance(read, list)
        result: Result = Failure(FailureKind(read[0]), read[1]) if failed else tuple(read["values"])
        sides.append((str(sha), result))
    return Readings(tuple(sides), _seconds(document["seconds"]), _seconds(document["build_seconds"]))
