"""The worker's own file descriptors, and whether a benchmark left them alone. Standard library only."""

from __future__ import annotations

import fcntl
import os
import resource
import sys
from collections.abc import Mapping

STREAMS = {0: "stdin", 1: "stdout", 2: "stderr"}
# The second way of a reply is above what programs that close "everything" mostly close.
_HIGH = 4096


class Descriptors:
    """Which file each of some descriptors is, as when made: a closed one is soon another file's."""

    def __init__(self, named: Mapping[int, str]) -> None:
        self._fstat = os.fstat  # bound now: a benchmark may patch it
        self._named = {fd: (name, self._file(fd)) for fd, name in named.items()}

    def holds(self, fd: int) -> bool:
        """Whether it still is what it was."""
        return self._file(fd) == self._named[fd][1]

    def lost(self) -> tuple[str, ...]:
        """Names of those that were closed, or are another file by now; of the streams also as Python's own."""
        names = [name for fd, (name, _) in self._named.items() if not self.holds(fd)]
        streams = {name: getattr(sys, name) for name in STREAMS.values()}
        names += [name for name, stream in streams.items() if getattr(stream, "closed", False)]
        return tuple(dict.fromkeys(names))

    def _file(self, fd: int) -> tuple[int, int] | None:
        try:
            found = self._fstat(fd)
        except OSError:
            return None
        return found.st_dev, found.st_ino


class ReplyLine:
    """Where replies go: a descriptor, and a second one for the same file in case the first gets closed."""

    def __init__(self, fd: int) -> None:
        self._write = os.write  # bound now: a benchmark may patch it
        self._ways = (fd, *_second(fd))
        self._own = Descriptors(dict.fromkeys(self._ways, "replies"))

    def send(self, data: bytes) -> None:
        """All of it. Raises OSError where neither descriptor is there any more: never to another file."""
        way = next((fd for fd in self._ways if self._own.holds(fd)), None)
        if way is None:
            raise OSError("the descriptors on which this worker answers were closed")
        view = memoryview(data)
        while view:
            view = view[self._write(way, view) :]


def _second(fd: int) -> tuple[int, ...]:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    top = _HIGH if soft == resource.RLIM_INFINITY else min(soft, _HIGH)
    try:
        return (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, top - 16),)
    except (OSError, ValueError):  # so few may be open that there is no room up there
        return ()
