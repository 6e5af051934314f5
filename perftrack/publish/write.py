"""Bytes to a folder: staged first, then moved into place, so that a build that stops leaves the old site.

Everything slow and everything that can run out of space happens in a staging folder. The changed files are then
renamed into place; if one rename fails, those already done are undone. Only files that a former build
wrote are ever removed: what else lies in the folder (a CNAME, a Git worktree's `.git`) stays.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from perftrack.errors import PublishError
from perftrack.publish.marker import MARKER, STAGING, former_files, is_plain, marker_bytes

_FRONT = "index.html"


@dataclass(frozen=True, slots=True)
class Written:
    """What a build did to the folder. `bytes` is the size of the whole site."""

    written: int
    unchanged: int
    removed: int
    bytes: int


class SiteWriter:
    """Collects the files of one build. Nothing in the site changes before `publish`."""

    def __init__(self, output: Path, former: frozenset[str]) -> None:
        self._output = output
        self._former = former
        self._staging = output / STAGING
        self._added: set[str] = set()
        self._staged: list[str] = []
        self._safe_parents: set[Path] = set()
        self._bytes = 0

    def add(self, path: str, content: bytes) -> None:
        """Take one file; `path` is relative to the site, with forward slashes.

        Raises PublishError for a path that is not plain, that leaves the site, or that was added before.
        """
        if not is_plain(path):
            raise PublishError(f"not a path inside a site: {path!r}")
        if path in self._added:
            raise PublishError(f"two pages claim the address {path}", "rename one of the benchmarks")
        with _explained(self._output):
            if not _holds(self._target(path), content):
                staged = self._staging / "new" / path
                staged.parent.mkdir(parents=True, exist_ok=True)
                staged.write_bytes(content)
                self._staged.append(path)
        self._added.add(path)
        self._bytes += len(content)

    def publish(self) -> Written:
        """Move what changed into place and remove what former builds wrote and this one did not."""
        with _explained(self._output):
            return self._publish()

    def _publish(self) -> Written:
        stale = sorted(p for p in self._former - self._added if os.path.lexists(self._target(p)))
        # The front page goes last: by then all that it leads to is there.
        self._staged.sort(key=lambda path: path == _FRONT)
        done: list[tuple[Path, Path | None]] = []
        try:
            # Known files first, so that a build killed between two renames leaves none that nobody owns.
            self._mark(done, self._former | self._added)
            for path in self._staged:
                self._put(done, path, self._staging / "new" / path)
            for path in stale:
                target = self._target(path)
                old = self._aside(done)
                done.append((target, old))
                target.replace(old)
            self._mark(done, self._added)
        except BaseException:
            _undo(done)
            raise
        self._prune(stale)
        return Written(len(self._staged), len(self._added) - len(self._staged), len(stale), self._bytes)

    def _target(self, path: str) -> Path:
        """Where a file goes, after making sure that no link on the way leads out of the site."""
        target = self._output / path
        if target.parent not in self._safe_parents:
            for folder in target.parents:
                if folder == self._output:
                    break
                if folder.is_symlink():
                    raise PublishError(f"{folder} is a link, which could lead out of the site", "remove it")
            self._safe_parents.add(target.parent)
        return target

    def _aside(self, done: list[tuple[Path, Path | None]]) -> Path:
        """A free name for a file that has to go, until the build is through."""
        old = self._staging / "old" / str(len(done))
        old.parent.mkdir(exist_ok=True)
        return old

    def _put(self, done: list[tuple[Path, Path | None]], path: str, staged: Path) -> None:
        target = self._target(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        old: Path | None = None
        if os.path.lexists(target):
            old = self._aside(done)
            _keep(target, old)
        done.append((target, old))  # before the rename: an interrupt between the two must still be undone
        staged.replace(target)

    def _mark(self, done: list[tuple[Path, Path | None]], files: frozenset[str] | set[str]) -> None:
        content = marker_bytes(files)
        if not _holds(self._output / MARKER, content):
            staged = self._staging / MARKER
            staged.write_bytes(content)
            self._put(done, MARKER, staged)

    def _prune(self, stale: list[str]) -> None:
        """Folders that removing left empty."""
        for folder in sorted({parent for p in stale for parent in (self._output / p).parents}, reverse=True):
            if folder.is_relative_to(self._output) and folder != self._output:
                _remove_if_empty(folder)


@contextlib.contextmanager
def open_site(output: Path) -> Iterator[SiteWriter]:
    """Lock a folder for one build and clean up after it.

    Raises PublishError where the folder holds something else than a perftrack site, another build is
    writing it, or it cannot be written (permissions, full disk).
    """
    with contextlib.ExitStack() as clean:
        with _explained(output):
            output = output.absolute().resolve()
            created = not output.exists()
            former = former_files(output)
            output.mkdir(parents=True, exist_ok=True)
            if created:
                clean.callback(_remove_if_empty, output)
            clean.enter_context(_locked(output))
            staging = output / STAGING
            shutil.rmtree(staging, ignore_errors=True)  # the lock is ours: its build was killed
            staging.mkdir()
            clean.callback(shutil.rmtree, staging, ignore_errors=True)
        yield SiteWriter(output, former)


def _remove_if_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


def _holds(target: Path, content: bytes) -> bool:
    """Whether a regular file already has these bytes."""
    try:
        if target.is_symlink() or target.stat().st_size != len(content):
            return False
        return target.read_bytes() == content
    except FileNotFoundError:
        return False


def _keep(target: Path, old: Path) -> None:
    """A second name for a file; a copy on file systems without hard links."""
    try:
        os.link(target, old, follow_symlinks=False)
    except OSError:
        shutil.copy2(target, old, follow_symlinks=False)


def _undo(done: list[tuple[Path, Path | None]]) -> None:
    for target, old in reversed(done):
        with contextlib.suppress(OSError):
            if old is None:
                target.unlink()
            else:
                old.replace(target)


@contextlib.contextmanager
def _locked(output: Path) -> Iterator[None]:
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
def _explained(output: Path) -> Iterator[None]:
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
