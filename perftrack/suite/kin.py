"""The processes that a worker leaves behind, and their end. By /proc, so on Linux only; elsewhere none is found.

Killing a worker's process group misses what left it: a daemon has a session of its own, and no parent that
is known. Three things still tell whose it was: while the worker lives, its descendants, to which orphans are
given back (the worker is their subreaper); and afterwards a mark in the environment that all of them inherit.
"""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass
from pathlib import Path

MARK = "PERFTRACK_WORKER"
PROC = Path("/proc")
_ROUNDS = 5  # what forks while it is being looked for is found the next time


@dataclass(frozen=True, slots=True)
class Process:
    """A process as /proc tells of it. `started`: ticks since boot; with the id it is unmistakable."""

    pid: int
    parent: int
    started: int


def descendants(pid: int, proc: Path = PROC) -> frozenset[Process]:
    """Every process under `pid` that has not left it."""
    alive = _alive(proc)
    found: set[Process] = set()
    parents = {pid}
    while parents:
        children = {p for p in alive if p.parent in parents} - found
        found |= children
        parents = {p.pid for p in children}
    return frozenset(found)


def end_kin(mark: str, known: frozenset[Process], proc: Path = PROC) -> None:
    """Kill the processes in `known` that are still there, and all whose environment has `mark`.

    `mark`: the value of MARK that the worker was started with.
    """
    needle = f"{MARK}={mark}".encode()
    for _ in range(_ROUNDS):
        alive = _alive(proc)
        mine = [p for p in alive if _same(p, known) or needle in _environment(p.pid, proc)]
        mine = [p for p in mine if p.pid != os.getpid()]
        if not mine:
            return
        for process in mine:
            _kill(process, proc)


def _same(process: Process, known: frozenset[Process]) -> bool:
    """Also under another parent: that of an orphan changes."""
    return any(p.pid == process.pid and p.started == process.started for p in known)


def _alive(proc: Path) -> list[Process]:
    """Processes that run: a zombie waits for its parent and can do nothing any more."""
    found = []
    for folder in proc.glob("[0-9]*"):
        process = _look(int(folder.name), proc)
        if process is not None:
            found.append(process)
    return found


def _look(pid: int, proc: Path) -> Process | None:
    try:
        text = (proc / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    # The name may hold spaces and brackets: what follows its last bracket is state, parent, …, the start.
    fields = text.rpartition(")")[2].split()
    if len(fields) < 20 or fields[0] in "ZX":
        return None
    return Process(pid, int(fields[1]), int(fields[19]))


def _environment(pid: int, proc: Path) -> list[bytes]:
    """As it was when the program started; empty for other people's processes."""
    try:
        return (proc / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _kill(process: Process, proc: Path) -> None:
    """By a handle where there are such, so that the id cannot become another process's in between."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if not hasattr(os, "pidfd_open"):
            os.kill(process.pid, signal.SIGKILL)
            return
        handle = os.pidfd_open(process.pid)
        try:
            now = _look(process.pid, proc)
            if now is not None and now.started == process.started:
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        finally:
            os.close(handle)
