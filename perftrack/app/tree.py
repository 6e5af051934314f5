"""A commit's files, and their build."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from perftrack.core.model import Commit, Reason

LOG_KEPT = 4000


@dataclass(frozen=True, slots=True)
class Tree:
    """A commit's files: the user's checkout, or a worktree made for it."""

    commit: Commit
    root: Path
    in_place: bool
    dirty: bool
    notes: tuple[Reason, ...] = field(default=())


def build(tree: Tree, command: str, limit_s: float) -> str:
    """Run the build command in the tree; empty on success, else what went wrong with the end of its log."""
    process = subprocess.Popen(
        ["/bin/sh", "-c", command],
        cwd=tree.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a compiler that the shell started must not outlive it
    )
    try:
        log, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        _kill(process)
        log, _ = process.communicate()
        return f"the build took longer than {limit_s:g} s: {_tail(log)}"
    except BaseException:
        _kill(process)
        raise
    if process.returncode:
        return f"the build exited with {process.returncode}: {_tail(log)}"
    return ""


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _tail(log: bytes) -> str:
    return log[-LOG_KEPT:].decode(errors="replace").strip()
