"""Show the site on this machine, and build it anew when the store changes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from perftrack.app.project import Project
from perftrack.app.publish import build
from perftrack.errors import PerftrackError
from perftrack.publish.server import serving
from perftrack.publish.site import BuildReport

LOOK_EVERY_S = 1.0
_Stamp = tuple[tuple[int, int, int] | None, ...]


@dataclass(frozen=True, slots=True)
class ServeEvents:
    """What happens, for whoever shows it: the address, once it answers, each build, and builds that failed."""

    started: Callable[[str], None]
    built: Callable[[BuildReport], None]
    failed: Callable[[PerftrackError], None]


def serve(
    project: Project,
    output: Path,
    host: str,
    port: int,
    events: ServeEvents,
    *,
    stop: threading.Event | None = None,
    look_every_s: float = LOOK_EVERY_S,
) -> None:
    """Build the site, show it, and build again when the store was written, until `stop` or an interrupt.

    A build that fails after the first leaves the site as it is. Raises PublishError where nothing can listen
    there, and for the first build what app.publish.build raises.
    """
    stop = stop or threading.Event()
    seen = _stamp(project.store.files)
    events.built(build(project, output, None))
    with serving(output, host, port) as address:
        events.started(address)
        while not stop.wait(look_every_s):
            now = _stamp(project.store.files)
            if now == seen or not _is_quiet(project, now):
                continue
            seen = now
            try:
                events.built(build(project, output, None))
            except PerftrackError as error:
                events.failed(error)


def _is_quiet(project: Project, stamp: _Stamp) -> bool:
    """Whether nobody is writing at this moment."""
    time.sleep(0.05)
    return _stamp(project.store.files) == stamp


def _stamp(files: tuple[Path, ...]) -> _Stamp:
    """What tells that the store was written: of it and its log, which file that is, how large and how old."""
    return tuple(_of(file) for file in files if file.suffix not in (".lock", ".queue"))


def _of(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
