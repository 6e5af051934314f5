"""What one file or folder of a site needs: bytes compared, a second name, a lock, and errors in words."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from perftrack.errors import PublishError


def remove_if_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


def size_of(target: str) -> int | None:
    """Of a regular file in bytes; None for anything else, or nothing."""
    try:
        found = os.lstat(target)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def holds(target: str, content: bytes) -> bool:
    """Whether a regular file already has these bytes."""
    if size_of(target) != len(content):
        return False
    try:
        with open(target, "rb") as file:
            return file.read() == content
    except FileNotFoundError:
        return False


def write_file(target: str, content: bytes) -> None:
    with open(target, "wb") as file:
        file.write(content)


def keep_as(target: str, old: str) -> None:
    """A second name for a file; a copy on file systems without hard links."""
    try:
        os.link(target, old, follow_symlinks=False)
    except OSError:
        shutil.copy2(target, old, follow_symlinks=False)


def undo(done: list[tuple[str, str | None]]) -> None:
    for target, old in reversed(done):
        with contextlib.suppress(OSError):
            if old is None:
                os.unlink(target)
            else:
                os.replace(old, target)


@contextlib.contextmanager
def locked(output: Path) -> Iterator[None]:
    """Hold the folder itself as the lock: it ends with the process, whatever ends that."""
    handle = os.open(output, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise PublishError(f"another build is writing {output}", "wait until it is done") from error
        except OSError as error:
            # Some network file systems lock no folders; two builds at once are then up to the user.
            if error.errno not in (errno.EBADF, errno.ENOLCK, errno.EINVAL, errno.ENOTSUP):
                raise
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def explained(output: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename or output
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            hint = "free some space, or give --output a folder on another disk"
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            hint = "make the folder writable, or give --output another one"
        else:
            hint = "check the folder, or give --output another one"
        raise PublishError(f"cannot write the site: {where}: {error.strerror or error}", hint) from error
