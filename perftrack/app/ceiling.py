"""Measure the ceilings of devices and store them, or only measure where there is no repository."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from perftrack.app.amounts import policy
from perftrack.app.ceilingruns import run_of
from perftrack.app.ceilingsearch import measure_ceilings
from perftrack.app.deviceceilings import CeilingOptions, DeviceProgress, Measured
from perftrack.app.doctor import check_store
from perftrack.app.project import Project
from perftrack.config import Config, load_config
from perftrack.core.checkup import Health
from perftrack.core.model import Commit, Run
from perftrack.errors import GitError, StoreError, UsageError
from perftrack.suite.launch import Setup
from perftrack.timing.uses import OFF_CARDS, card_uses


@dataclass(frozen=True, slots=True)
class Taken:
    """What was measured, and the runs that it was stored as: one a device, None where nothing was stored."""

    measured: Measured
    commit: Commit | None
    runs: tuple[tuple[Run, bool] | None, ...]


def take_ceilings(
    start: Path,
    store: Path | None,
    options: CeilingOptions,
    progress: Callable[[str], DeviceProgress],
    *,
    python: str | None = None,
    label: str = "",
    keep: bool = True,
    clock: Callable[[], float] = time.time,
) -> Taken:
    """Measure, and store under HEAD unless not to `keep`; then no repository is needed.

    What was found until Ctrl-C or a device's failure is stored too, marked partial. Raises GitError outside a
    repository, StoreError where storing would fail (before anything is measured), and what measuring raises.
    """
    if not label.isprintable():
        raise UsageError(f"--label {label!r} has characters that cannot be shown", "Use plain text.")
    project = _project(start, store, keep=keep)
    commit = project.repository.commit("HEAD") if project is not None and keep else None
    root, config = (project.root, project.config) if project else (start.resolve(), load_config(start.resolve()))
    options = replace(
        options,
        kind=options.kind or config.device or "auto",
        policy=policy(project) if project else "",
    )
    setup = Setup(
        python=project.interpreter(python) if project else _interpreter(config, python),
        base=root,
        folder=root,
        home=root,
        environment=dict(config.environment),
        uses=() if options.kind in OFF_CARDS else card_uses(),
    )
    started = clock()
    measured = measure_ceilings(setup, options, progress)
    if project is None or commit is None:
        return Taken(measured, None, tuple(None for _ in measured.devices))
    runs: list[tuple[Run, bool] | None] = []
    for device in measured.devices:
        run = run_of(device, commit.sha, started_at=started, label=label)
        if run is None:
            runs.append(None)
            continue
        project.repository.ensure_ignored(*project.store.files)
        runs.append((run, project.store.add_run(run, [commit])))
    return Taken(measured, commit, tuple(runs))


def _project(start: Path, store: Path | None, *, keep: bool) -> Project | None:
    try:
        project = Project.find(start, store)
    except GitError as error:
        if not keep:
            return None
        raise GitError(
            f"{error.message}, and a ceiling is stored under a commit",
            "Run it in a repository, or measure without storing: --no-store",
        ) from error
    if keep:
        found = check_store(project.store)
        if found.status is Health.FAIL:
            raise StoreError(found.seen, found.advice or None)
    return project


def _interpreter(config: Config, given: str | None) -> str:
    import sys

    return given or config.python or sys.executable
