"""One lock file beside the store: a writer excludes everybody, readers exclude writers, nobody starves.

`flock` on `<store>.lock` is the lock; the kernel drops it with its process, however that ends, so a
lock file left behind means nothing. Only the process that holds the *turn* (`flock` on
`<store>.queue`) polls for it. Without a turn, pollers starve one another, and a stream of readers
starves every writer.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import platform
import time
from collections.abc import Iterator
from pathlib import Path

from perftrack.errors import StoreError, StoreLockedError

_FIRST_PAUSE_S = 0.001
_LONGEST_PAUSE_S = 0.05
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)


def lock_path(store: Path) -> Path:
    return store.with_name(store.name + ".lock")


def queue_path(store: Path) -> Path:
    return store.with_name(store.name + ".queue")


@contextlib.contextmanager
def locked(store: Path, *, shared: bool, deadline: float, wait_s: float) -> Iterator[None]:
    """Hold the store's lock: shared for reading, exclusive for writing.

    `deadline` is on time.monotonic()'s clock; `wait_s` is what the message calls the wait. Raises
    StoreLockedError past it. A reader that may not create a lock file goes without: where nobody
    may write a lock, there is no writer, and DuckDB's own lock still stands.
    """
    path = lock_path(store)
    handle = _open(path, shared=shared)
    if handle is None:
        yield
        return
    try:
        _acquire(store, handle, shared=shared, deadline=deadline, wait_s=wait_s)
        try:
            if not shared:
                _sign(handle)
            yield
        finally:
            if not shared:
                with contextlib.suppress(OSError):
                    os.ftruncate(handle, 0)
            # Closing is not enough where a forked child still holds the descriptor.
            fcntl.flock(handle, fcntl.LOCK_UN)
    finally:
        os.close(handle)


def _acquire(store: Path, handle: int, *, shared: bool, deadline: float, wait_s: float) -> None:
    mode = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    turn = _open(queue_path(store), shared=shared)
    try:
        got = turn is None or _poll(store, turn, fcntl.LOCK_EX, deadline)
        if not got or not _poll(store, handle, mode, deadline):
            raise _locked_error(store, handle, wait_s)
    finally:
        if turn is not None:
            os.close(turn)


def _open(path: Path, *, shared: bool) -> int | None:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if not shared or error.errno not in _REFUSED:
            raise StoreError(
                f"{path}: cannot open the lock file: {error.strerror}",
                "The store's folder must exist and be writable; choose another with --store or PERFTRACK_STORE.",
            ) from error
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def _poll(store: Path, handle: int, mode: int, deadline: float) -> bool:
    """Take the flock, trying until `deadline` and at least once; False where it stayed taken."""
    pauses = backoff()
    while True:
        try:
            fcntl.flock(handle, mode | fcntl.LOCK_NB)
        except BlockingIOError:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(next(pauses), left))
        except OSError as error:
            raise StoreError(
                f"{lock_path(store)}: this file system has no locks: {error.strerror}",
                "Keep the store on a local disk: --store or PERFTRACK_STORE.",
            ) from error
        else:
            return True


def backoff() -> Iterator[float]:
    """Pauses in seconds that grow to a limit; scaled by process so that waiters do not march in step."""
    pause = _FIRST_PAUSE_S * (1.0 + (os.getpid() % 16) / 16)
    while True:
        yield pause
        pause = min(pause * 1.5, _LONGEST_PAUSE_S)


def _sign(handle: int) -> None:
    """Leave word of who holds the lock, for the message that others get. A full disk must not stop that."""
    with contextlib.suppress(OSError):
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()} {platform.node()}\n".encode(), 0)


def _locked_error(store: Path, handle: int, wait_s: float) -> StoreLockedError:
    holder = "another process"
    with contextlib.suppress(OSError, ValueError):
        pid, _, host = os.pread(handle, 300, 0).decode(errors="replace").strip().partition(" ")
        here = host == platform.node()
        # A killed writer leaves its name behind; then it is readers who hold the lock.
        if not here or _alive(int(pid)):
            holder = f"process {int(pid)}" + ("" if here else f" on {host}")
    return locked_error(store, holder, wait_s)


def _alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def locked_error(store: Path, holder: str, wait_s: float) -> StoreLockedError:
    return StoreLockedError(
        f"{store} is in use by {holder} (waited {wait_s:g} s for {lock_path(store)})",
        "Try again when it has finished. The lock goes away with the process that holds it.",
    )
