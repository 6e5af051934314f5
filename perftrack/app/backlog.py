"""Which commits are left to record on this kind of machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from perftrack.app.environment import current
from perftrack.app.project import Project
from perftrack.app.recording import RecordOptions
from perftrack.app.sweep import Chosen, choose
from perftrack.app.visit import discover
from perftrack.core.coverage import Covered, Machine, done, settled
from perftrack.errors import StoreMissingError, StoreVersionError, SuiteError, WorkerError
from perftrack.suite.pool import WorkerProcess
from perftrack.suite.selection import select
from perftrack.timing import host
from perftrack.timing.nvml import card_names


@dataclass(frozen=True, slots=True)
class Backlog:
    """The commits to record, in order, and by commit the cases that need no measuring any more."""

    chosen: Chosen
    settled: Mapping[str, frozenset[str]] = field(default_factory=dict)


class Here:
    """The kind of machine that this is; looked at once, when it is first asked for."""

    def __init__(self, project: Project, options: RecordOptions) -> None:
        self._project = project
        self._options = options
        self._machine: Machine | None = None

    def machine(self) -> Machine:
        if self._machine is None:
            self._machine = _look(self._project, self._options)
        return self._machine

    def name(self) -> str:
        return self.machine().name


def backlog(project: Project, options: RecordOptions, here: Here, now: float, *, upgrade: bool = True) -> Backlog:
    """What is to be recorded. Named commits are, recorded or not; of a range, those that are not done here.

    Done is a commit with a run from this kind of machine. With `missing` it is one that has a result for every
    case of the checkout; of the others only the cases without one are measured. `upgrade`: a store of an older
    schema may be written to, to be read.
    """
    sweep = options.sweep
    if not sweep.ranges or sweep.again:
        return Backlog(choose(project.repository, sweep, frozenset(), now))
    covered = _covered(project, upgrade)
    if not sweep.missing:
        return Backlog(choose(project.repository, sweep, done(covered, here.machine()), now))
    have = settled(covered, here.machine())
    wanted = _cases(project, options)
    complete = frozenset(sha for sha, cases in have.items() if wanted and wanted <= cases)
    return Backlog(choose(project.repository, sweep, complete, now), have)


def _covered(project: Project, upgrade: bool) -> tuple[Covered, ...]:
    """What is stored; nothing without a store."""
    try:
        return project.store.covered()
    except StoreMissingError:
        return ()
    except StoreVersionError:
        if not upgrade:
            raise
        project.store.upgrade()  # as the first run would; it refuses what is from a newer perftrack
        return project.store.covered()


def _cases(project: Project, options: RecordOptions) -> frozenset[str]:
    """Ids of the checkout's cases; none where they cannot be imported, or commits have benchmarks of their own."""
    if options.benchmarks_from_commit:
        return frozenset()
    try:
        with WorkerProcess(project.setup(project.root, python=options.python)) as worker:
            catalogue = discover(worker, project.config.timeout_s)
    except (SuiteError, WorkerError):
        return frozenset()  # each commit's build may make them importable
    if catalogue.problems:
        return frozenset()
    return frozenset(s.case.id for s in select(catalogue.declared, options.patterns))


def _look(project: Project, options: RecordOptions) -> Machine:
    """By the driver, which needs no torch here, and by a worker's own look, which knows every kind of device."""
    gpus, cpus = set(card_names()), {host.cpu_model()}
    device = project.device(options.device) or "auto"
    try:
        seen = current(project, device, options.python)
    except WorkerError:
        pass  # torch may be in the commits' environments only
    else:
        gpus |= {seen.gpu_name} if isinstance(seen.gpu_name, str) else set()
        cpus.add(seen.cpu_model)
    if device in ("cpu", "replay"):
        gpus = set()
    return Machine(frozenset(gpus), frozenset(c for c in cpus if isinstance(c, str)))
