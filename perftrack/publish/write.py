"""Bytes to a folder: staged first, then moved into place, so that a build that stops leaves the old site.

Everything slow and everything that can run out of space happens in a staging folder. The changed files are then
renamed into place; if one rename fails, those already done are undone. Only files that a former build
wrote are ever removed: what else lies in the folder (a CNAME, a Git worktree's `.git`) stays.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from perftrack.errors import PublishError
from perftrack.publish.folder import explained, holds, keep_as, locked, remove_if_empty, size_of, undo, write_file
from perftrack.publish.marker import MARKER, STAGING, former_files, is_plain, marker_bytes
from perftrack.publish.signatures import SIGNATURES, Signature, former_signatures, short, signature_bytes
from perftrack.publish.sizes import FolderSize

_FRONT = "index.html"


@dataclass(frozen=True, slots=True)
class Written:
    """What a build did to the folder. `bytes` is the size of the whole site."""

    written: int
    unchanged: int
    removed: int
    bytes: int

    @property
    def files(self) -> int:
        return self.written + self.unchanged


class SiteWriter:
    """Collects the files of one build. Nothing in the site changes before `publish`."""

    def __init__(self, output: Path, former: frozenset[str], signatures: Mapping[str, Signature]) -> None:
        self._output = output
        self._former = former
        self._signatures = signatures
        self._root = os.path.join(output, "")
        self._staging = os.path.join(output, STAGING, "")
        self._added: set[str] = set()
        self._signed: dict[str, Signature] = {}
        self._staged: list[str] = []
        self._safe_folders: set[str] = set()
        self._made: set[str] = set()
        self._bytes = 0
        self._sizes: dict[str, FolderSize] = {}

    def __contains__(self, path: object) -> bool:
        return path in self._added

    def former(self, path: str) -> bytes | None:
        """What a former build wrote to a path; None where it wrote nothing."""
        if path not in self._former:
            return None
        with contextlib.suppress(OSError), open(self._target(path), "rb") as file:
            return file.read()
        return None

    def keep(self, path: str, signature: str) -> bool:
        """Take a file as it is, if the last build wrote it under this signature and it still has its size."""
        known = self._signatures.get(path)
        if known is None or known.text != short(signature) or path in self._added:
            return False
        target = self._target(path)
        try:
            if size_of(target) != known.size:
                return False
        except OSError:
            return False
        self._take(path, known.size, signature)
        return True

    def add(self, path: str, content: bytes, signature: str | None = None) -> None:
        """Take one file; `path` is relative to the site, with forward slashes.

        `signature`: of all that the content follows from, for `keep`. Raises PublishError for a path that is not
        plain, that leaves the site, or that was added before.
        """
        if not is_plain(path):
            raise PublishError(f"not a path inside a site: {path!r}")
        if path in self._added:
            raise PublishError(f"two pages claim the address {path}", "rename one of the benchmarks")
        with explained(self._output):
            if not holds(self._target(path), content):
                staged = self._staged_as(path)
                self._make_folder(staged)
                write_file(staged, content)
                self._staged.append(path)
        self._take(path, len(content), signature)

    def sizes(self) -> dict[str, FolderSize]:
        """How much of the site is in each folder."""
        return dict(self._sizes)

    def _take(self, path: str, size: int, signature: str | None) -> None:
        self._added.add(path)
        self._bytes += size
        folder = path.rpartition("/")[0]
        own = self._sizes.get(folder, FolderSize())
        self._sizes[folder] = FolderSize(own.files + 1, own.bytes + size)
        if signature is not None:
            self._signed[path] = Signature(short(signature), size)

    def publish(self) -> Written:
        """Move what changed into place and remove what former builds wrote and this one did not."""
        with explained(self._output):
            return self._publish()

    def _publish(self) -> Written:
        stale = sorted(p for p in self._former - self._added if os.path.lexists(self._target(p)))
        self._staged.sort(key=_turn)
        done: list[tuple[str, str | None]] = []
        try:
            # Known files first, so that a build killed between two renames leaves none that nobody owns.
            # Signatures go before the files that they are of, and come back after them.
            self._remove(done, SIGNATURES)
            own = marker_bytes(self._added)
            self._mark(done, own if self._former <= self._added else marker_bytes(self._former | self._added))
            for path in self._staged:
                self._put(done, path, self._staged_as(path))
            for path in stale:
                self._remove(done, path)
            self._mark(done, own)
            self._put_own(done, SIGNATURES, signature_bytes(own, self._signed))
        except BaseException:
            undo(done)
            raise
        self._prune(stale)
        return Written(len(self._staged), len(self._added) - len(self._staged), len(stale), self._bytes)

    def _staged_as(self, path: str) -> str:
        return f"{self._staging}new/{path}"

    def _make_folder(self, file: str) -> None:
        """The folder that a file goes into."""
        folder = file.rpartition("/")[0]
        if folder not in self._made:
            os.makedirs(folder, exist_ok=True)
            self._made.add(folder)

    def _target(self, path: str) -> str:
        """Where a file goes, after making sure that no link on the way leads out of the site."""
        folder = path.rpartition("/")[0]
        if folder not in self._safe_folders:
            parts = folder.split("/")
            for count in range(len(parts) if folder else 0):
                inside = self._root + "/".join(parts[: count + 1])
                if os.path.islink(inside):
                    raise PublishError(f"{inside} is a link, which could lead out of the site", "remove it")
            self._safe_folders.add(folder)
        return self._root + path

    def _aside(self, done: list[tuple[str, str | None]]) -> str:
        """A free name for a file that has to go, until the build is through."""
        old = f"{self._staging}old/{len(done)}"
        self._make_folder(old)
        return old

    def _put(self, done: list[tuple[str, str | None]], path: str, staged: str) -> None:
        target = self._target(path)
        self._make_folder(target)
        old: str | None = None
        if os.path.lexists(target):
            old = self._aside(done)
            keep_as(target, old)
        done.append((target, old))  # before the rename: an interrupt between the two must still be undone
        os.replace(staged, target)

    def _remove(self, done: list[tuple[str, str | None]], path: str) -> None:
        target = self._target(path)
        if os.path.lexists(target):
            old = self._aside(done)
            done.append((target, old))
            os.replace(target, old)

    def _mark(self, done: list[tuple[str, str | None]], content: bytes) -> None:
        if not holds(self._root + MARKER, content):
            self._put_own(done, MARKER, content)

    def _put_own(self, done: list[tuple[str, str | None]], name: str, content: bytes) -> None:
        staged = self._staging + name
        write_file(staged, content)
        self._put(done, name, staged)

    def _prune(self, stale: list[str]) -> None:
        """Folders that removing left empty."""
        for folder in sorted({parent for p in stale for parent in (self._output / p).parents}, reverse=True):
            if folder.is_relative_to(self._output) and folder != self._output:
                remove_if_empty(folder)


@contextlib.contextmanager
def open_site(output: Path) -> Iterator[SiteWriter]:
    """Lock a folder for one build and clean up after it.

    Raises PublishError where the folder holds something else than a perftrack site, another build is
    writing it, or it cannot be written (permissions, full disk).
    """
    with contextlib.ExitStack() as clean:
        with explained(output):
            output = output.absolute().resolve()
            created = not output.exists()
            former = former_files(output)
            output.mkdir(parents=True, exist_ok=True)
            if created:
                clean.callback(remove_if_empty, output)
            clean.enter_context(locked(output))
            staging = output / STAGING
            shutil.rmtree(staging, ignore_errors=True)  # the lock is ours: its build was killed
            staging.mkdir()
            clean.callback(shutil.rmtree, staging, ignore_errors=True)
        yield SiteWriter(output, former, former_signatures(output, former))


def _turn(path: str) -> int:
    """When a file is moved into place: first what others lead to, then the indexes, and the front page last.

    A position in the history that an index lacks is passed over by pages, so that the old indexes do with the new
    data in between, or for good where a build is killed there.
    """
    if path == _FRONT:
        return 3
    if path.startswith("data/"):
        return 2 if path.count("/") == 1 else 0
    return 1
