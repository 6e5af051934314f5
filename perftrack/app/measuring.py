"""Measuring the cases of one tree: its processes one after the other, as many as each case needs."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from perftrack.app.amounts import extension, plan_of, policy
from perftrack.app.assemble import Circumstances, assemble
from perftrack.app.ceilings import limits_of
from perftrack.app.project import Project
from perftrack.app.recording import Progress, RecordOptions
from perftrack.app.visit import Outcome, VisitSettings, discover, visit
from perftrack.core.model import Case, Measurement, Status
from perftrack.errors import UsageError
from perftrack.suite.launch import Setup
from perftrack.suite.messages import Catalogue, Kind, Problem
from perftrack.suite.pool import WorkerProcess
from perftrack.suite.selection import Selected, select
from perftrack.timing.uses import OFF_CARDS, card_uses, memory_now


def measure(
    project: Project,
    setup: Setup,
    options: RecordOptions,
    progress: Progress,
    seed: int,
    *,
    dirty: bool = False,
    settled: Container[str] = (),
) -> tuple[tuple[Measurement, ...], Catalogue]:
    """Every case that was asked for, except the `settled` ones, by id.

    Raises UsageError for a pattern that means no case, WorkerError where the benchmark files cannot be imported.
    """
    plan, processes = plan_of(project, options)
    most, width = extension(project, options, processes)
    circumstances = Circumstances(dirty, options.quick, project.config.threshold, width)
    device, limits = project.device(options.device), limits_of(project)
    settings = VisitSettings(plan, project.config.timeout_s, device, policy(project), options.cache_ratio, limits)
    setup = replace(setup, uses=() if device in OFF_CARDS else card_uses())
    with WorkerProcess(setup) as worker:
        catalogue = discover(worker, settings.timeout_s)
        cases = [s for s in select(catalogue.declared, options.patterns) if s.case.id not in settled]
        if options.devices:
            _check_apart(cases, device)
        progress.planned(len(cases) * processes)
        outcomes: dict[Case, list[Outcome]] = {s.case: [] for s in cases}
        remaining: Sequence[Selected] = cases
        for process in range(most if cases else 0):
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


def _check_apart(cases: Sequence[Selected], device: str) -> None:
    """Raises UsageError for work on the CPU, which commits on several accelerators would do at the same time."""
    on_cpu = [
        s.case.id
        for s in cases
        if s.declared.kind is Kind.COMMAND
        or (s.declared.kind is Kind.BENCHMARK and (device or s.declared.device) == "cpu")
    ]
    if on_cpu:
        raise UsageError(
            f"--devices measures several commits at once, and {on_cpu[0]} is timed on the CPU that they share",
            "Leave such cases out with --bench, or leave out --devices.",
        )


def _wide(selected: Selected, outcomes: Sequence[Outcome], circumstances: Circumstances) -> bool:
    """The case's first metric needs more processes: its interval is wider than wanted."""
    limits = [r.code for m in assemble(selected, outcomes, circumstances)[:1] for r in m.limitations]
    return "width-target-missed" in limits
