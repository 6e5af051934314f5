"""Running git: the only import of GitPython, and the environment that makes its output parse.

Plain formats through GitPython's command interface, never through its objects, which take ten times as
long over a long history.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from perftrack.errors import GitError

# What a user's configuration could change in output that is parsed, or could run meanwhile.
_CONFIG = tuple(
    argument
    for setting in (
        "color.ui=false",
        "core.fsmonitor=false",
        f"core.hooksPath={os.devnull}",
        "core.warnAmbiguousRefs=true",
        "i18n.logOutputEncoding=UTF-8",
        "log.showSignature=false",
        "submodule.recurse=false",
    )
    for argument in ("-c", setting)
)
_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
# A hook's environment points git at the hook's own repository and index, wherever a command runs.
_FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE")


@dataclass(frozen=True, slots=True)
class Answer:
    """`out` holds bytes that are no UTF-8 as surrogates; see `readable`."""

    status: int
    out: str
    err: str


_Question = tuple[Path, tuple[str, ...], str]
_ASKED: ContextVar[dict[_Question, Answer] | None] = ContextVar("asked", default=None)


@contextlib.contextmanager
def asked_once() -> Iterator[None]:
    """Inside the block a question that was answered is not put to git again: for those who only read.

    It takes longer to start git than to answer most questions.
    """
    token = _ASKED.set({})
    try:
        yield
    finally:
        _ASKED.reset(token)


def git(folder: Path, arguments: Sequence[str], given: str = "") -> Answer:
    """Run git in a folder with `given` as its standard input; whatever its exit status, that is an answer."""
    asked = _ASKED.get()
    if asked is None:
        return _run(folder, arguments, given)
    question = folder, tuple(arguments), given
    if question not in asked:
        asked[question] = _run(folder, arguments, given)
    return asked[question]


def _run(folder: Path, arguments: Sequence[str], given: str) -> Answer:
    try:
        from git import Git, GitCommandNotFound  # looks for the git command as it is imported
    except ImportError as error:
        raise _no_git() from error
    unset = [name for name in _FOREIGN if name in os.environ]
    command = ["env", *(f"-u{name}" for name in unset)] if unset else []
    command += [Git.GIT_PYTHON_GIT_EXECUTABLE or "git", *_CONFIG, *arguments]
    try:
        # Kept in a variable: this object ends the process when it goes away.
        running = Git(str(folder)).execute(command, as_process=True, istream=subprocess.PIPE, env=_ENVIRONMENT)
    except GitCommandNotFound as error:
        raise _no_git() from error
    process = running.proc
    assert process is not None
    try:
        out, err = process.communicate(given.encode())
    except BaseException:
        # Interrupted: git must not go on writing into a worktree that is about to be removed.
        process.terminate()
        process.wait()
        raise
    return Answer(process.returncode, out.decode(errors="surrogateescape"), err.decode(errors="replace"))


def _no_git() -> GitError:
    return GitError("there is no git command", "Install Git, and see that it is on PATH.")


def readable(text: str) -> str:
    """Bytes that are no UTF-8 as replacement characters: for people, JSON and the store."""
    return text.encode(errors="surrogateescape").decode(errors="replace")


def failed(command: str, answer: Answer) -> GitError:
    said = answer.err.strip().rpartition("\n")[2].removeprefix("fatal: ") or f"exit status {answer.status}"
    return GitError(f"git {command}: {said}")
