"""One process's pass over the cases: the unit from which runs, live comparisons and searches are built."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perftrack.core.limit import KnownLimit
from perftrack.core.model import Case, Status
from perftrack.core.plan import Plan
from perftrack.errors import SuiteError, WorkerError
from perftrack.suite.launch import Setup
from perftrack.suite.messages import CaseResult, Catalogue, Request, RunCase
from perftrack.suite.pool import WorkerDied, WorkerProcess, WorkerTimedOut
from perftrack.suite.selection import Selected


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one process answered for one case, with the end of what it printed.

    `timed_out`: it gave no answer in time and was killed.
    """

    result: CaseResult
    output: str
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class VisitSettings:
    """What every case of a visit has in common. `timeout_s` is for cases that declare none."""

    plan: Plan
    timeout_s: float
    device: str = ""
    policy: str = ""
    cache_ratio: bool = False
    limits: tuple[KnownLimit, ...] = ()


Report = Callable[[Selected, Outcome], None]


def discover(worker: WorkerProcess, timeout_s: float) -> Catalogue:
    """What the worker's benchmark files declare. Raises SuiteError where importing them killed or hung it."""
    try:
        reply = worker.ask(Request(discover=True), timeout_s)
    except WorkerDied as error:
        raise SuiteError(
            f"importing the benchmark files: the worker {error.how}\n{error.output[-2000:]}".rstrip(),
            "Benchmark files only declare; do heavy work in the set-up of a benchmark.",
        ) from error
    if reply.failure is not None:
        raise SuiteError(f"{reply.failure.where}: {reply.failure.message}", reply.failure.hint or None)
    if reply.catalogue is None:
        raise WorkerError("the worker answered out of turn")
    return reply.catalogue


def visit(
    setup: Setup,
    cases: Sequence[Selected],
    settings: VisitSettings,
    process_index: int,
    seed: int,
    report: Report,
    worker: WorkerProcess | None = None,
) -> dict[Case, Outcome]:
    """Measure every case once in one fresh worker, in an order shuffled by the seed.

    A case that fails, kills or hangs the worker fails alone: a new worker goes on with the rest. `worker`: one
    that is already started and has measured nothing yet.
    """
    order = list(cases)
    random.Random(f"{seed}/{process_index}").shuffle(order)
    outcomes: dict[Case, Outcome] = {}
    current = worker
    try:
        for selected in order:
            if current is None:
                current = WorkerProcess(setup)
                current.start()
            outcome, usable = measure_case(current, selected, settings, process_index, seed)
            if not usable:
                current.stop(grace_s=0.0)
                current = None
            outcomes[selected.case] = outcome
            report(selected, outcome)
    except BaseException:
        if current is not None:
            current.stop(grace_s=0.0)  # it is in the middle of a case: waiting for it would be waiting for that
        raise
    if current is not None:
        current.stop()
    return outcomes


def measure_case(
    worker: WorkerProcess, selected: Selected, settings: VisitSettings, process_index: int, seed: int
) -> tuple[Outcome, bool]:
    """One case in one worker, and whether the worker may measure another.

    It may not after a failure: what failed can have left the device, or the interpreter, in any state.
    """
    case, declared = selected.case, selected.declared
    request = RunCase(
        benchmark=case.benchmark,
        params=case.params,
        plan=settings.plan,
        process_index=process_index,
        seed=random.Random(f"{seed}/{process_index}/{case.id}").getrandbits(63),
        device=settings.device,
        policy=settings.policy,
        cache_ratio=settings.cache_ratio and process_index == 0,
        limits=settings.limits,
    )
    timeout_s = declared.timeout_s or settings.timeout_s
    try:
        reply = worker.ask(Request(run=request), timeout_s)
    except WorkerDied as error:
        result = CaseResult(Status.FAILED, f"the worker {error.how}")
        return Outcome(result, error.output, isinstance(error, WorkerTimedOut)), False
    if reply.result is None:
        return Outcome(CaseResult(Status.FAILED, "the worker answered out of turn"), worker.output), False
    return Outcome(reply.result, worker.output), reply.result.status is not Status.FAILED
