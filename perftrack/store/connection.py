"""Short-lived connections to the store's file, and DuckDB's errors as perftrack's.

Every connection is opened with `enable_external_access=false`: a store that came from elsewhere may
hold views that read or write other files. Files are made with a storage version that DuckDB 1.5
reads, whichever version writes them. The first transaction of a new store happens in a file beside
it, which then takes its name: there is never half a store at the path.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from perftrack.errors import StoreError, StoreMissingError, StoreVersionError
from perftrack.store import queries, schema
from perftrack.store.lock import backoff, locked, locked_error

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Setting = str | bool | int | float | list[str]

STORAGE_VERSION = "v1.5.0"
_READ: dict[str, Setting] = {"enable_external_access": "false"}
_WRITE: dict[str, Setting] = _READ | {"storage_compatibility_version": STORAGE_VERSION}
_HELD: ContextVar[tuple[Path, DuckDBPyConnection] | None] = ContextVar("held", default=None)
_MAGIC = b"DUCK"  # bytes 8 to 12 of every DuckDB file


@contextlib.contextmanager
def reading(path: Path, wait_s: float) -> Iterator[DuckDBPyConnection]:
    """A read-only connection to a store of this perftrack's schema; waits while a writer works.

    Raises StoreMissingError, StoreVersionError, StoreLockedError, or StoreError for a damaged file.
    """
    held = _HELD.get()
    if held is not None and held[0] == path:
        with _converted(path, "read"):
            yield held[1]
        return
    deadline = time.monotonic() + wait_s
    if not _exists(path):
        raise _missing(path)
    with locked(path, shared=True, deadline=deadline, wait_s=wait_s):
        if not _exists(path):
            raise _missing(path)
        with _converted(path, "read"), _opened(path, deadline, wait_s, read_only=True) as connection:
            schema.check_readable(connection, path)
            yield connection


@contextlib.contextmanager
def holding(path: Path, wait_s: float) -> Iterator[None]:
    """Inside the block `reading` gives one connection to everyone who reads this store. Raises as it does.

    Opening a store takes longer than most questions that are put to it.
    """
    with reading(path, wait_s) as connection:
        token = _HELD.set((path, connection))
        try:
            yield
        finally:
            _HELD.reset(token)


@contextlib.contextmanager
def writing(path: Path, wait_s: float) -> Iterator[DuckDBPyConnection]:
    """One transaction: committed where the block ends, rolled back where it raises.

    Creates the store if there is none, and migrates an older one. Raises as `reading` does.
    """
    deadline = time.monotonic() + wait_s
    _exists(path)
    with locked(path, shared=False, deadline=deadline, wait_s=wait_s), _converted(path, "write"):
        if not _exists(path):
            _create(path, deadline, wait_s)
        with _opened(path, deadline, wait_s, read_only=False) as connection:
            connection.execute(queries.BEGIN)
            schema.migrate(connection, path)
            yield connection
            connection.execute(queries.COMMIT)


def _exists(path: Path) -> bool:
    """Whether there is a DuckDB file with something in it; raises for anything else that is there."""
    if "?" in path.name or "?" in str(path.absolute()):
        raise StoreError(
            f"{path}: DuckDB has a meaning of its own for '?' in a path", "Choose another with --store."
        )
    try:
        if not path.exists():
            return False
        if not path.is_file():
            what = "a folder" if path.is_dir() else "not a regular file"
            raise StoreError(
                f"{path} is {what}; the store is one file", "Name a file with --store or PERFTRACK_STORE."
            )
        with path.open("rb") as file:
            head = file.read(12)
    except OSError as error:
        raise StoreError(f"{path}: cannot read the store: {error.strerror}", "Check its permissions.") from error
    # DuckDB fetches an extension over the network for some foreign files, so it never sees one.
    if head and head[8:12] != _MAGIC:
        raise StoreVersionError(
            f"{path} is not a DuckDB file, or is damaged at its start",
            "Nothing was changed. Name another file with --store or PERFTRACK_STORE.",
        )
    return bool(head)


def _missing(path: Path) -> StoreMissingError:
    return StoreMissingError(
        f"there is no store at {path}", "Record something first (perftrack record), or name one with --store."
    )


def _create(path: Path, deadline: float, wait_s: float) -> None:
    new, log = path.with_name(path.name + ".new"), path.with_name(path.name + ".wal")
    if log.exists():
        raise StoreError(
            f"{log} is there, but the store it belongs to is not",
            f"Move the store back beside it as {path.name}, or delete it: it may hold the last recorded run.",
        )
    for leftover in (new, new.with_name(new.name + ".wal")):
        leftover.unlink(missing_ok=True)
    with _opened(new, deadline, wait_s, read_only=False) as connection:
        connection.execute(queries.BEGIN)
        schema.apply(connection, after=0)
        connection.execute(queries.COMMIT)
        connection.execute(queries.CHECKPOINT)  # what is still in a log beside the file would stay behind
    new.replace(path)


@contextlib.contextmanager
def _opened(path: Path, deadline: float, wait_s: float, *, read_only: bool) -> Iterator[DuckDBPyConnection]:
    connection = _connect(path, deadline, wait_s, read_only=read_only)
    try:
        yield connection
    finally:
        # Closing rolls back what was not committed. After a fatal error it may raise once more.
        with contextlib.suppress(Exception):
            connection.close()


def _connect(path: Path, deadline: float, wait_s: float, *, read_only: bool) -> DuckDBPyConnection:
    """Open the file. Someone who ignores the lock file (DuckDB's own shell) is waited for as well."""
    import duckdb

    pauses = backoff()
    while True:
        try:
            # An absolute path, or a file named ':memory:' or 'md:x' would not be a file.
            return duckdb.connect(str(path.absolute()), read_only=read_only, config=_READ if read_only else _WRITE)
        except duckdb.Error as error:
            holder = _foreign_holder(error)
            if holder is None:
                raise
            left = deadline - time.monotonic()
            if left <= 0:
                raise locked_error(path, holder, wait_s) from error
            time.sleep(min(next(pauses), left))


def _foreign_holder(error: Exception) -> str | None:
    text = str(error)
    if "Could not set lock on file" in text:
        pid = re.search(r"PID (\d+)", text)
        return f"process {pid[1]}" if pid else "another process"
    if "different configuration than existing connections" in text:
        return f"another connection of this process ({os.getpid()})"
    return None


@contextlib.contextmanager
def _converted(path: Path, doing: str) -> Iterator[None]:
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise _store_error(path, doing, error) from error
    except RuntimeError as error:
        # All that is left of what a signal's handler raised while a query ran.
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise
    except OSError as error:
        raise StoreError(f"{path}: cannot {doing} the store: {error.strerror or error}", _HINT_OS) from error


_HINT_OS = "Check permissions and free space, or choose another place with --store or PERFTRACK_STORE."
_HINT_DAMAGED = "Restore it from a copy, or move it away and record again."


def _store_error(path: Path, doing: str, error: Exception) -> StoreError:
    import duckdb

    text = str(error).splitlines()[0]
    if "version number" in text and "can only read" in text:
        return StoreVersionError(
            f"{path} was written by a newer DuckDB than this one ({duckdb.__version__})",
            "Upgrade with: pip install --upgrade duckdb",
        )
    if re.search(r"No space left|File too large|Read-only file system|Permission denied|Disk quota", text):
        return StoreError(f"{path}: cannot {doing} the store: {text}", _HINT_OS)
    damaged = isinstance(
        error,
        duckdb.IOException | duckdb.SerializationException | duckdb.FatalException | duckdb.InternalException,
    )
    hint = _HINT_DAMAGED if damaged or doing == "read" else None
    return StoreError(f"{path}: cannot {doing} the store: {text}", hint)
