"""Visits of a search: fresh processes of a commit and of an end, taking turns on one device."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

from perftrack.app.amounts import policy
from perftrack.app.bisectoptions import BisectProgress
from perftrack.app.bisectworkshop import OutOfTime, Workshop
from perftrack.app.ceilings import limits_of
from perftrack.app.project import Project
from perftrack.app.visit import Outcome, VisitSettings, measure_case
from perftrack.core.fingerprint import Difference, EnvironmentFingerprint, differences
from perftrack.core.history import lane_id
from perftrack.core.model import Commit, Direction, Status
from perftrack.core.plan import Plan
from perftrack.core.search.visits import Failure, FailureKind, Probe, Result
from perftrack.core.stats import process_value
from perftrack.errors import UsageError, WorkerError
from perftrack.suite.launch import Setup
from perftrack.suite.messages import MetricSamples
from perftrack.suite.pool import WorkerProcess
from perftrack.suite.selection import Selected

# A process is one reading: a few windows, so that its median shrugs off what happens beside it.
PLAN = Plan(windows=4, window_s=0.04, max_samples=20, warmup_cap_s=0.3, budget_s=1.0, pause_s=0.005)
DETAIL = 2000  # characters of what went wrong that are kept
NOT_A_NUMBER = "is not a finite number"  # as core.quantity says it


@dataclass(frozen=True, slots=True)
class Subject:
    """What is measured, as the first process of BAD showed it."""

    selected: Selected
    metric: str
    unit: str
    direction: Direction
    lane: str
    environment: EnvironmentFingerprint


@dataclass(frozen=True, slots=True)
class Readings:
    """What a visit gave: by SHA, the probed commit first, one or both of those that were to be measured; none
    where the time that was left ended first.
    """

    sides: tuple[tuple[str, Result], ...]
    seconds: float
    build_seconds: float


class Visits:
    """Measures one case of commits. `count`: processes started so far, by which each is told from the others."""

    def __init__(
        self,
        project: Project,
        workshop: Workshop,
        commits: Mapping[str, Commit],
        progress: BisectProgress,
        seed: int,
        count: int = 0,
    ) -> None:
        self._project, self._workshop, self._progress = project, workshop, progress
        self._commits = dict(commits)
        self._seed, self._count = seed, count
        self._settings = VisitSettings(
            PLAN, project.config.timeout_s, project.device(), policy(project), limits=limits_of(project)
        )
        self.changes: dict[str, tuple[Difference, ...]] = {}  # by SHA: key fields that differ from the subject's

    def look(self, sha: str, selected: Selected, metric: str, left_s: float = math.inf) -> Subject:
        """One process of BAD, whose value is not used: what there is to measure, and in which environment.

        Raises WorkerError where it cannot be built, within `left_s` seconds, or measured, UsageError for a metric
        that it does not have.
        """
        self._workshop.deadline = time.monotonic() + left_s
        try:
            setup = self._workshop.setup(self.commit(sha))
        except OutOfTime as error:
            raise WorkerError(
                f"the budget ended while BAD ({sha[:12]}) was being built", "Give a larger --budget."
            ) from error
        outcome = None if isinstance(setup, Failure) else self._ask(setup, selected)
        if outcome is None or outcome.result.status is not Status.OK:
            why = setup.detail if isinstance(setup, Failure) else outcome.result.message if outcome else ""
            raise WorkerError(
                f"BAD ({sha[:12]}) cannot be measured: {why}",
                "Name another BAD, or another command with --build; perftrack record -v shows what is wrong.",
            )
        samples = _chosen(outcome, metric)
        if samples is None:
            names = ", ".join(m.metric for m in outcome.result.metrics)
            raise UsageError(f"{selected.case.id} has no metric {metric!r}", f"--metric is one of {names}.")
        environment = EnvironmentFingerprint.from_dict(outcome.result.fingerprint)
        lane = lane_id(environment, samples.protocol)
        return Subject(selected, samples.metric, samples.unit, samples.direction, lane, environment)

    def take(self, subject: Subject, probe: Probe, left_s: float = math.inf) -> Readings:
        """The visit that a probe asks for. A commit that fails once in it fails as a whole.

        A build that takes longer than `left_s` seconds is ended, and nothing is measured.
        """
        started, built = time.monotonic(), self._workshop.seconds
        self._workshop.deadline = started + left_s
        try:
            results = self._results(subject, probe)
        except OutOfTime:
            results = {}
        sides = tuple((sha, results[sha]) for sha in (probe.commit, probe.beside) if sha in results)
        return Readings(
            tuple((sha, result) for sha, result in sides if sha is not None),
            time.monotonic() - started,
            self._workshop.seconds - built,
        )

    def _results(self, subject: Subject, probe: Probe) -> dict[str, Result]:
        found: dict[str, Result] = {}
        setups: dict[str, Setup] = {}
        for sha in dict.fromkeys((probe.commit, *probe.order)):
            setup = self._workshop.setup(self.commit(sha))
            if isinstance(setup, Failure):
                found[sha] = setup
                self._progress.failed(sha, setup)
            else:
                setups[sha] = setup
        values: dict[str, list[float]] = {}
        if not found:  # a reading of an end alone is not what was asked for
            values = self._turns(subject, probe, setups, found)
        return {**values, **found}

    def _turns(
        self, subject: Subject, probe: Probe, setups: Mapping[str, Setup], failed: dict[str, Result]
    ) -> dict[str, list[float]]:
        values: dict[str, list[float]] = {}
        for sha in probe.order:
            if failed:
                break
            try:
                read = self._value(subject, sha, self._ask(setups[sha], subject.selected))
            except WorkerError as error:
                read = Failure(FailureKind.CRASH, error.message[:DETAIL])
            if isinstance(read, Failure):
                failed[sha] = read
                self._progress.failed(sha, read)
            else:
                values.setdefault(sha, []).append(read)
                self._progress.measured(sha, read)
        return values

    def _ask(self, setup: Setup, selected: Selected) -> Outcome:
        number, self._count = self._count, self._count + 1
        with WorkerProcess(setup) as worker:
            outcome, usable = measure_case(worker, selected, self._settings, number, self._seed)
            if not usable:
                worker.stop(0.0)
        return outcome

    def _value(self, subject: Subject, sha: str, outcome: Outcome) -> float | Failure:
        result = outcome.result
        if result.status is not Status.OK:
            kind = FailureKind.TIMEOUT if outcome.timed_out else FailureKind.CRASH
            if NOT_A_NUMBER in result.message:
                kind = FailureKind.NOT_A_NUMBER
            return Failure(kind, result.message[:DETAIL])
        samples = _chosen(outcome, subject.metric)
        if samples is None:
            return Failure(FailureKind.CRASH, f"it has no metric {subject.metric!r}")
        environment = EnvironmentFingerprint.from_dict(result.fingerprint)
        apart = tuple(d for d in differences(subject.environment, environment) if d.refuses)
        if apart:
            self.changes[sha] = apart
        return process_value(samples.process)

    def commit(self, sha: str) -> Commit:
        if sha not in self._commits:  # what is before a culprit may be history of GOOD
            self._commits[sha] = self._project.repository.commit(sha)
        return self._commits[sha]


def _chosen(outcome: Outcome, metric: str) -> MetricSamples | None:
    """The metric asked for; the first without a name."""
    metrics = outcome.result.metrics
    return next((m for m in metrics if not metric or m.metric == metric), None)
