"""Doctor: whether this machine is fit to measure, asked where measuring would happen."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

from perftrack.app.counters import check_ncu
from perftrack.app.project import Project
from perftrack.config import Config
from perftrack.core.checkup import Checkup, Finding, fail, ok, warn
from perftrack.errors import (
    ClockLockError,
    GitError,
    StoreError,
    StoreLockedError,
    StoreMissingError,
    UsageError,
    WorkerError,
)
from perftrack.store import Store
from perftrack.suite.launch import Setup
from perftrack.suite.messages import Reply, Request
from perftrack.suite.pool import WorkerDied, WorkerProcess
from perftrack.timing.clockrestore import RESTORE_HINT, pending_restore
from perftrack.timing.devices import KINDS
from perftrack.timing.uses import OFF_CARDS, card_uses
from perftrack.vcs.command import git

# Importing torch and starting a GPU from a cold disk takes a minute.
TIMEOUT_S = 180.0
STORE_WAIT_S = 2.0
LITTLE_SPACE_BYTES = 1 << 30
NO_SPACE_BYTES = 64 << 20


def check_up(start: Path, store: Path | None, device: str | None, python: str | None) -> Checkup:
    """Check the environment of the project around `start`, or outside of one, that of this interpreter.

    The worker's checks come first. device: a kind, "auto", or None for what `record` would use. Raises
    UsageError for a kind that does not exist, ConfigError for a file that can't be used.
    """
    if device is not None and device not in ("auto", *KINDS):
        raise UsageError(f"no device kind {device!r}", f"one of auto, {', '.join(KINDS)}")
    around: list[Finding] = [_named("git", check_git(start))]
    try:
        project = Project.find(start, store)
    except GitError as error:
        around.append(_named("repository", warn(error.message, error.hint or "Run it in the project's checkout.")))
        config, root, interpreter, ncu = Config(), start.resolve(), python or sys.executable, ""
    else:
        config, root, interpreter = project.config, project.root, project.interpreter(python)
        ncu = project.program(config.ncu)
        around.append(_named("repository", ok(str(root))))
        around.append(_named("store", check_store(project.store)))
        around.append(_named("disk", check_disk(project.store.path)))
    kind = device or config.device or "auto"
    setup = Setup(
        python=interpreter,
        base=root,
        folder=root,
        home=root,
        environment=dict(config.environment),
        uses=() if kind in OFF_CARDS else card_uses(),
    )
    checked = _ask_worker(setup, kind)
    return replace(checked, findings=(*checked.findings, *check_ncu(checked, setup, ncu), *around))


def left_locked() -> tuple[str, str] | None:
    """What to warn of before measuring, with what to do: clocks that a crash left locked. None: nothing.

    Unseen by the tier, since their lock's process is gone: a number would be filed as of floating clocks.
    """
    try:
        pending = pending_restore()
    except ClockLockError as error:
        return error.message, error.hint or RESTORE_HINT
    if not pending:
        return None
    cards = ", ".join(f"{r.card} at {r.target_mhz} MHz" for r in pending)
    return f"a process that crashed left clocks locked: {cards}", RESTORE_HINT


def _ask_worker(setup: Setup, kind: str) -> Checkup:
    """The worker's findings; a worker that can't start, or dies of its checks, is one itself."""
    try:
        with WorkerProcess(setup) as worker:
            return _checkup(worker.ask(Request(checkup=kind), TIMEOUT_S))
    except WorkerError as error:
        found = fail(error.message, error.hint or "Name another interpreter with --python.", blocks=True)
    except WorkerDied as error:
        printed = error.output.strip()[-1000:]
        found = fail(
            f"the worker {error.how} while it checked device {kind}" + (f":\n{printed}" if printed else ""),
            "Opening the device does this to any process: try --device cpu, and the driver's own tools.",
            blocks=True,
        )
    return Checkup(kind, setup.python, (replace(found, name="worker", area="worker"),))


def _checkup(reply: Reply) -> Checkup:
    if reply.failure is not None:
        raise WorkerError(reply.failure.message, reply.failure.hint or None)
    if reply.checkup is None:
        raise WorkerError("the worker answered out of turn")
    return reply.checkup


def check_git(start: Path) -> Finding:
    """Whether there is a git command: nothing can be recorded without one."""
    try:
        answer = git(start, ["--version"])
    except GitError as error:
        return fail(error.message, error.hint or "Install Git.")
    return ok(answer.out.strip())


def check_store(store: Store) -> Finding:
    """Whether runs can be put where they belong, and read from there."""
    path = store.path
    folder = path.parent
    elsewhere = "Name another place with --store or PERFTRACK_STORE."
    if not folder.is_dir():
        return fail(f"{path}: there is no folder {folder}", f"mkdir -p {folder}, or: {elsewhere}")
    # The lock and the write-ahead log are made beside it.
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        return fail(f"{path} can't be written", f"Check the permissions of it and of its folder. {elsewhere}")
    none_yet = ok(f"{path}: none yet, and it can be made")
    if not path.exists():
        return none_yet
    try:
        commits = len(replace(store, wait_s=STORE_WAIT_S).measured_shas())
    except StoreMissingError:
        return none_yet  # an empty file
    except StoreLockedError as error:
        return warn(error.message, error.hint or "Let it finish.")
    except StoreError as error:
        return fail(error.message, error.hint or elsewhere)
    return ok(
        f"{path}: {commits} measured commit(s), {path.stat().st_size / 2**20:.1f} MiB", commits=float(commits)
    )


def check_disk(path: Path) -> Finding:
    """Space for the store at `path`, which need not exist."""
    folder = next(p for p in path.parents if p.exists())
    free = shutil.disk_usage(folder).free
    seen = f"{free / 2**30:.1f} GiB free for the store"
    if free < NO_SPACE_BYTES:
        return fail(seen, "Make space: runs may not fit.", free_bytes=float(free))
    if free < LITTLE_SPACE_BYTES:
        return warn(seen, "Make space, or put the store elsewhere with --store.", free_bytes=float(free))
    return ok(seen, free_bytes=float(free))


def _named(name: str, found: Finding) -> Finding:
    return replace(found, name=name, area="project")
