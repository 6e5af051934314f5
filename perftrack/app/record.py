"""Record: measure the benchmarks of commits and store one run for each."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from perftrack._version import __version__
from perftrack.app.amounts import check_options, extension, plan_of, policy
from perftrack.app.assemble import Circumstances, assemble
from perftrack.app.ceilings import limits_of
from perftrack.app.doctor import check_store
from perftrack.app.project import Project
from perftrack.app.recording import DryRun, Progress, Recorded, RecordOptions
from perftrack.app.tree import Tree, build, lacks_submodules
from perftrack.app.visit import Outcome, VisitSettings, discover, visit
from perftrack.core.checkup import Health
from perftrack.core.model import Case, Commit, Measurement, Reason, Run, Status
from perftrack.core.reasons import reason
from perftrack.errors import GitError, StoreError, SuiteError, UsageError, WorkerError
from perftrack.suite.launch import Setup
from perftrack.suite.messages import Catalogue, Problem
from perftrack.suite.pool import WorkerProcess
from perftrack.suite.selection import Selected, select
from perftrack.timing.clocks import LockedClockPolicy
from perftrack.timing.uses import OFF_CARDS, card_uses, memory_now


def record(
    project: Project, options: RecordOptions, progress: Progress, clock: Callable[[], float] = time.time
) -> tuple[Recorded, ...]:
    """Measure and store. A commit that fails to build, or in which nothing runs, does not stop the others.

    Raises GitError for a dirty tree or an unknown revision, UsageError for a pattern that means no case in
    the only commit or a device that does not exist, StoreError where a run cannot be stored.
    """
    check_options(project, options)
    _check_store(project, options)
    if not options.revisions:
        tree = _checkout(project, options)
        with _clocks(options):
            return (_record_tree(project, tree, options, progress, clock, 1, 1),)
    commits = project.repository.commits(options.revisions)
    with _clocks(options):
        return _record_commits(project, commits, options, progress, clock)


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
    commits: Sequence[Commit],
    options: RecordOptions,
    progress: Progress,
    clock: Callable[[], float],
) -> tuple[Recorded, ...]:
    notes = _uncommitted_benchmarks(project, options)
    recorded = []
    for position, commit in enumerate(commits, 1):
        with project.repository.worktree(commit.sha) as root:
            tree = Tree(commit, root, in_place=False, dirty=False, notes=notes)
            recorded.append(_record_tree(project, tree, options, progress, clock, position, len(commits)))
    return tuple(recorded)


def dry_run(project: Project, options: RecordOptions) -> DryRun:
    """What `record` would do. Imports the benchmark files of the checkout; measures and writes nothing."""
    check_options(project, options)
    commits = project.repository.commits(options.revisions or ("HEAD",))
    setup = project.setup(project.root, python=options.python)
    with WorkerProcess(setup) as worker:
        catalogue = discover(worker, project.config.timeout_s)
    cases = select(catalogue.declared, options.patterns)
    plan, processes = plan_of(project, options)
    each = plan.warmup_cap_s + min(plan.budget_s, plan.windows * (plan.window_s + plan.pause_s))
    most, _ = extension(project, options, processes)
    total = len(commits) * most * len(cases) * each
    return DryRun(commits, cases, catalogue.problems, processes, most, total)


def _wide(selected: Selected, outcomes: Sequence[Outcome], circumstances: Circumstances) -> bool:
    """The case's first metric needs more processes: its interval is wider than wanted."""
    limits = [r.code for m in assemble(selected, outcomes, circumstances)[:1] for r in m.limitations]
    return "width-target-missed" in limits


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


def _record_tree(
    project: Project,
    tree: Tree,
    options: RecordOptions,
    progress: Progress,
    clock: Callable[[], float],
    position: int,
    total: int,
) -> Recorded:
    progress.commit(tree.commit, position, total)
    started = clock()
    command = options.build if options.build is not None else ("" if tree.in_place else project.config.build)
    if command:
        progress.building(command)
        if failure := build(tree, command, project.config.build_timeout_s):
            return Recorded(tree.commit, None, False, failure=failure)
    if not tree.in_place and lacks_submodules(tree.root):  # asked now, as the build may have fetched them
        tree = replace(tree, notes=(*tree.notes, reason("no-submodules")))
    setup = project.setup(
        tree.root, python=options.python, benchmarks_from_tree=tree.in_place or options.benchmarks_from_commit
    )
    seed = options.seed if options.seed is not None else time.time_ns() & 0x7FFFFFFF
    try:
        measurements, catalogue = _measure(project, setup, tree, options, progress, seed)
    except (SuiteError, WorkerError) as error:
        if total == 1:
            raise
        return Recorded(tree.commit, None, False, failure=error.message)
    for problem in catalogue.problems:
        progress.problem(problem)
    if not measurements:
        return Recorded(tree.commit, None, False, catalogue.problems, "no benchmark was found")
    run = _run_of(tree, options, measurements, catalogue, seed, started, clock() - started)
    project.repository.ensure_ignored(*project.store.files)
    new = project.store.add_run(run, [tree.commit])
    progress.stored(run, new)
    recorded = Recorded(tree.commit, run, new, catalogue.problems)
    return options.profiler.profile(setup, recorded, catalogue, progress) if options.profiler else recorded


def _measure(
    project: Project,
    setup: Setup,
    tree: Tree,
    options: RecordOptions,
    progress: Progress,
    seed: int,
) -> tuple[tuple[Measurement, ...], Catalogue]:
    plan, processes = plan_of(project, options)
    most, width = extension(project, options, processes)
    circumstances = Circumstances(tree.dirty, options.quick, project.config.threshold, width)
    device, limits = project.device(options.device), limits_of(project)
    settings = VisitSettings(plan, project.config.timeout_s, device, policy(project), options.cache_ratio, limits)
    setup = replace(setup, uses=() if device in OFF_CARDS else card_uses())
    with WorkerProcess(setup) as worker:
        catalogue = discover(worker, settings.timeout_s)
        cases = select(catalogue.declared, options.patterns)
        progress.planned(len(cases) * processes)
        outcomes: dict[Case, list[Outcome]] = {s.case: [] for s in cases}
        remaining: Sequence[Selected] = cases
        for process in range(most):
            if process:
                setup = replace(setup, uses=memory_now(setup.uses))
            answers = visit(
                setup,
                remaining,
                settings,
                process,
                seed,
                lambda selected, outcome, process=process: progress.measured(selected, process, outcome),  # type: ignore[misc]
                worker if process == 0 else None,
            )
            for case, outcome in answers.items():
                outcomes[case].append(outcome)
            # A failed or skipped case is settled: more processes cannot make it a measurement.
            remaining = [s for s in remaining if answers[s.case].result.status is Status.OK]
            if process + 1 >= processes:
                remaining = [s for s in remaining if _wide(s, outcomes[s.case], circumstances)]
                progress.planned_more(len(remaining) if process + 1 < most else 0)
            if not remaining:
                break
    measurements = tuple(m for s in cases for m in assemble(s, outcomes[s.case], circumstances))
    for m in measurements:
        if m.status is Status.FAILED and all(o.result.status is Status.OK for o in outcomes[m.case]):
            progress.problem(Problem(m.source, f"{m.case.id}: {m.reasons[0].message}"))
    return measurements, catalogue


def _run_of(
    tree: Tree,
    options: RecordOptions,
    measurements: tuple[Measurement, ...],
    catalogue: Catalogue,
    seed: int,
    started: float,
    duration_s: float,
) -> Run:
    limitations = list(tree.notes)
    if tree.dirty:
        limitations.append(reason("dirty"))
    if options.quick:
        limitations.append(reason("quick"))
    if catalogue.problems:
        where = "; ".join(f"{p.where}: {p.message}" for p in catalogue.problems[:5])
        limitations.append(reason("suite-problems", count=len(catalogue.problems), where=where))
    hosts = {str(m.fingerprint.host) for m in measurements if m.fingerprint and m.fingerprint.host}
    return Run(
        sha=tree.commit.sha,
        started_at=round(started, 6),
        duration_s=round(duration_s, 3),
        seed=seed,
        dirty=tree.dirty,
        measurements=measurements,
        limitations=tuple(limitations),
        perftrack_version=__version__,
        host=", ".join(sorted(hosts)),
        label=options.label,
        settings={"quick": options.quick, "processes": options.processes},
    )
