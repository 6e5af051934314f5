"""A commit's files, and their build."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from perftrack.core.model import Commit, Reason

LOG_KEPT = 4000
# Colours, and other commands to a terminal, that compilers and installers print.
_STEERING = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# What says that the machine failed, not the commit.
_ELSEWHERE = re.compile(
    r"No space left on device|Disk quota exceeded|Temporary failure in name resolution|Name or service not known"
    r"|NewConnectionError|ConnectTimeoutError|ReadTimeoutError|Network is unreachable|Could not resolve host"
)


@dataclass(frozen=True, slots=True)
class Tree:
    """A commit's files: the user's checkout, or a worktree made for it."""

    commit: Commit
    root: Path
    in_place: bool
    dirty: bool
    notes: tuple[Reason, ...] = field(default=())


def lacks_submodules(root: Path) -> bool:
    """Whether a submodule's folder is empty: Git checks none out in a worktree."""
    try:
        text = (root / ".gitmodules").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    folders = [root / name for name in re.findall(r"^\s*path\s*=\s*(.*?)\s*$", text, re.MULTILINE)]
    return any(not folder.is_dir() or not any(folder.iterdir()) for folder in folders)


def build(tree: Tree, command: str, limit_s: float, variables: Mapping[str, str] | None = None) -> str:
    """Run the build command in the tree; empty on success, else what went wrong with the end of its log."""
    failure = run_command(["/bin/sh", "-c", command], tree.root, limit_s, variables)
    return f"the build {failure}" if failure else ""


def is_elsewhere(failure: str) -> bool:
    """Whether a failed command tells of a full disk or a lost network: that says nothing of the commit."""
    return _ELSEWHERE.search(failure) is not None


def run_command(
    command: Sequence[str], folder: Path, limit_s: float, variables: Mapping[str, str] | None = None
) -> str:
    """Run to the end, or for `limit_s` seconds; empty on success, else how it ended with the end of its log."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=variables,
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
        return f"took longer than {limit_s:g} s{_tail(log)}"
    except BaseException:
        _kill(process)
        raise
    if process.returncode:
        return f"exited with {process.returncode}{_tail(log)}"
    return ""


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _tail(log: bytes) -> str:
    text = _STEERING.sub("", log[-LOG_KEPT:].decode(errors="replace")).strip()
    return f": {text}" if text else ", and printed nothing"
