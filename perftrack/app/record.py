"""Record: measure the benchmarks of commits and store one run for each."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from perftrack.app.accelerators import Accelerator, accelerators
from perftrack.app.amounts import check_options, extension, plan_of
from perftrack.app.backlog import Backlog, Here, backlog
from perftrack.app.commitrun import Recorder
from perftrack.app.doctor import check_store
from perftrack.app.fleet import record_on
from perftrack.app.project import Project
from perftrack.app.recording import DryRun, Progress, Recorded, RecordOptions
from perftrack.app.sweep import Chosen
from perftrack.app.tree import Tree
from perftrack.app.visit import discover
from perftrack.core.checkup import Health
from perftrack.core.model import Commit, Reason
from perftrack.core.reasons import reason
from perftrack.errors import GitError, StoreError, UsageError
from perftrack.suite.pool import WorkerProcess
from perftrack.suite.selection import select
from perftrack.timing.clocks import LockedClockPolicy


def record(
    project: Project, options: RecordOptions, progress: Progress, clock: Callable[[], float] = time.time
) -> tuple[Recorded, ...]:
    """Measure and store. A commit that fails to build, or in which nothing runs, does not stop the others.

    What was stored stays, whatever ends the recording; a commit is stored whole or not at all. The answers of
    several commits are without samples: a long history has many.

    Raises GitError for a dirty tree or an unknown revision, UsageError for a pattern that means no case in
    the only commit or a device that does not exist, StoreError where a run cannot be stored.
    """
    check_options(project, options)
    _check_store(project, options)
    here = Here(project, options)
    if options.in_place:
        tree = _checkout(project, options)
        progress.commit(tree.commit, 1, 1)
        with _clocks(options):
            return (Recorder(project, options, progress, here.name, clock).record(tree, alone=True),)
    log = backlog(project, options, here, clock())
    progress.chosen(len(log.chosen.commits), log.chosen.done, log.chosen.cut)
    with _clocks(options):
        return _record_commits(project, log, options, progress, here, clock)


def _check_store(project: Project, options: RecordOptions) -> None:
    """What would make storing fail is told before measuring, not after. Raises StoreError, UsageError."""
    found = check_store(project.store)
    if found.status is Health.FAIL:
        raise StoreError(found.seen, found.advice or None)
    if not options.label.isprintable():
        raise UsageError(f"--label {options.label!r} has characters that cannot be shown", "Use plain text.")


@contextlib.contextmanager
def _clocks(options: RecordOptions) -> Iterator[None]:
    """The clocks that were asked for, and nothing else, while the block runs. Raises ClockLockError."""
    if options.lock_clocks_mhz is None:
        yield
        return
    clocks = LockedClockPolicy(options.lock_clocks_mhz, options.power_cap_w)
    clocks.apply()
    try:
        yield
    finally:
        clocks.restore()


def _record_commits(
    project: Project,
    log: Backlog,
    options: RecordOptions,
    progress: Progress,
    here: Here,
    clock: Callable[[], float],
) -> tuple[Recorded, ...]:
    work = Worktrees(project, options, here, clock, _uncommitted_benchmarks(project, options), log)
    places = accelerators(options.devices, project.device(options.device))
    if places:
        _check_places(project, options, here)
        return tuple(record_on(places, log.chosen.commits, work, progress))
    commits = log.chosen.commits
    recorded = []
    for position, commit in enumerate(commits, 1):
        progress.commit(commit, position, len(commits))
        done = work(commit, None, progress)
        progress.ended(done)
        recorded.append(done)
    return tuple(recorded)


def _check_places(project: Project, options: RecordOptions, here: Here) -> None:
    """Raises UsageError where commits cannot be measured beside one another."""
    if options.lock_clocks_mhz is not None or options.profiler is not None:
        given = "--lock-clocks" if options.lock_clocks_mhz is not None else "--ncu"
        raise UsageError(f"{given} is for one device, and --devices for several", "Give one of them.")
    if project.device(options.device) != "replay" and not here.machine().gpus:
        raise UsageError("--devices spreads commits over accelerators, and none is found here", "perftrack doctor")


@dataclass(frozen=True, slots=True)
class Worktrees:
    """Records commits, each in a worktree of its own; in this process, or sent to another."""

    project: Project
    options: RecordOptions
    here: Here
    clock: Callable[[], float]
    notes: tuple[Reason, ...]
    log: Backlog

    def __call__(self, commit: Commit, accelerator: Accelerator | None, progress: Progress) -> Recorded:
        alone = len(self.log.chosen.commits) == 1
        slot, variables = ("", {}) if accelerator is None else (str(accelerator.number), accelerator.variables)
        recorder = Recorder(self.project, self.options, progress, self.here.name, self.clock, variables, slot)
        with self.project.repository.worktree(commit.sha) as root:
            tree = Tree(commit, root, in_place=False, dirty=False, notes=self.notes)
            settled = self.log.settled.get(commit.sha, frozenset())
            recorded = recorder.record(tree, alone=alone, settled=settled)
        return recorded if alone else _without_samples(recorded)


def _without_samples(recorded: Recorded) -> Recorded:
    if recorded.run is None:
        return recorded
    bare = tuple(replace(m, processes=()) for m in recorded.run.measurements)
    return replace(recorded, run=replace(recorded.run, measurements=bare))


def dry_run(project: Project, options: RecordOptions, clock: Callable[[], float] = time.time) -> DryRun:
    """What `record` would do. Imports the benchmark files of the checkout; measures and writes nothing."""
    check_options(project, options)
    if options.in_place:
        log = Backlog(Chosen(project.repository.commits(("HEAD",))))
    else:
        log = backlog(project, options, Here(project, options), clock(), upgrade=False)
    setup = project.setup(project.root, python=options.python)
    with WorkerProcess(setup) as worker:
        catalogue = discover(worker, project.config.timeout_s)
    cases = select(catalogue.declared, options.patterns)
    plan, processes = plan_of(project, options)
    each = plan.warmup_cap_s + min(plan.budget_s, plan.windows * (plan.window_s + plan.pause_s))
    most, _ = extension(project, options, processes)
    chosen = log.chosen
    total = len(chosen.commits) * most * len(cases) * each
    return DryRun(
        chosen.commits, cases, catalogue.problems, processes, most, total, done=chosen.done, cut=chosen.cut
    )


def _checkout(project: Project, options: RecordOptions) -> Tree:
    changed = project.changed_paths()
    if changed and not options.allow_dirty:
        listed = ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
        raise GitError(
            f"the working tree has changes that are in no commit: {listed}",
            "Commit or stash them, name a revision (perftrack record HEAD), or give --allow-dirty to keep "
            "the run out of trends and baselines.",
        )
    (commit,) = project.repository.commits(("HEAD",))
    return Tree(commit, project.root, in_place=True, dirty=bool(changed))


def _uncommitted_benchmarks(project: Project, options: RecordOptions) -> tuple[Reason, ...]:
    if options.benchmarks_from_commit:
        return ()
    changed = project.changed_benchmarks()
    return (reason("benchmarks-uncommitted", paths=", ".join(changed[:3])),) if changed else ()
