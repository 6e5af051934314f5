"""Live comparison: two commits measured together, case by case, in fresh processes that take turns.

The strongest verdict there is: both sides see the same heat, clocks and neighbours, and the judgement is
on the paired log-ratios of the rounds, so no run-to-run variance of the lane enters it.
"""

from __future__ import annotations

import contextlib
import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from perftrack.app.amounts import policy
from perftrack.app.assemble import Circumstances, assemble
from perftrack.app.ceilings import limits_of
from perftrack.app.comparison import Comparison, explained, with_epochs
from perftrack.app.epochs import Accepted
from perftrack.app.history import CommitResults
from perftrack.app.project import Project
from perftrack.app.recording import Progress
from perftrack.app.tree import Tree, build, is_elsewhere
from perftrack.app.visit import Outcome, VisitSettings, discover, measure_case
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.model import Commit, Measurement, Status
from perftrack.core.paired import STOPPED, PairedEffect, paired_effect
from perftrack.core.plan import Plan
from perftrack.core.verdict import DEFAULT_THRESHOLD, judge
from perftrack.errors import BuildError, GitError, WorkerError
from perftrack.suite.launch import Setup
from perftrack.suite.pool import WorkerProcess
from perftrack.suite.selection import Selected, select
from perftrack.timing.uses import OFF_CARDS, card_uses

MIN_ROUNDS = 6  # fewer leave a t interval too wide to decide anything
MAX_ROUNDS = 30
# A round spends less on each case than a recording does: rounds are what narrows the interval.
PLAN = Plan(windows=2, window_s=0.05, max_samples=20, warmup_cap_s=0.5, budget_s=1.0, pause_s=0.0)


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """`budget_s`: rounds stop here. `width`: half-width of d that is enough; by default half of the threshold."""

    patterns: tuple[str, ...] = ()
    threshold: float | None = None
    max_rounds: int = MAX_ROUNDS
    budget_s: float = 600.0
    width: float | None = None
    build: str | None = None
    python: str | None = None
    seed: int | None = None


@dataclass(slots=True)
class _Rounds:
    """What one case showed so far: the outcomes of both sides, and who ran second."""

    selected: Selected
    outcomes: tuple[list[Outcome], list[Outcome]]
    candidate_second: list[bool]
    settled: bool = False


def compare_live(
    project: Project, baseline: str, candidate: str, options: LiveOptions, progress: Progress
) -> Comparison:
    """Measure both commits now, interleaved, and judge every case that both have.

    Raises GitError for an unknown revision or one commit given twice, ConfigError for a bad file of accepted
    changes, SuiteError for the candidate's benchmark files, BuildError for a build, WorkerError for the machine.
    """
    project.device()
    commits = tuple(project.repository.commits((r,))[0] for r in (baseline, candidate))
    if commits[0].sha == commits[1].sha:
        raise GitError(f"{baseline} and {candidate} are the same commit", "Name two commits to compare live.")
    accepted = Accepted.of(project, [commit.sha for commit in commits])  # first: no measuring in vain
    with contextlib.ExitStack() as stack:
        setups = [_set_up(project, stack, commit, options, progress) for commit in commits]
        uses = () if project.device() in OFF_CARDS else card_uses()
        setups = [replace(s, uses=uses) for s in setups]
        cases = _shared_cases(project, setups, options)
        seed = options.seed if options.seed is not None else time.time_ns() & 0x7FFFFFFF
        rounds = _run(project, setups, cases, options, seed, progress)
    return _compare(project, commits, rounds, options, accepted)


def _set_up(
    project: Project, stack: contextlib.ExitStack, commit: Commit, options: LiveOptions, progress: Progress
) -> Setup:
    root = stack.enter_context(project.repository.worktree(commit.sha))
    command = project.config.build if options.build is None else options.build
    if command:
        progress.building(command)
        failure = build(Tree(commit, root, in_place=False, dirty=False), command, project.config.build_timeout_s)
        if failure:
            message = f"{commit.sha[:12]}: {failure}"
            if is_elsewhere(failure):
                raise WorkerError(message, "This is not the commit's fault: put it right, and try again.")
            raise BuildError(commit.sha, message, "--build gives another build command.")
    return project.setup(root, python=options.python, benchmarks_from_tree=False)


def _shared_cases(project: Project, setups: Sequence[Setup], options: LiveOptions) -> tuple[Selected, ...]:
    """Cases by the checkout's benchmark files, which measure both sides."""
    with WorkerProcess(setups[1]) as worker:
        catalogue = discover(worker, project.config.timeout_s)
    return select(catalogue.declared, options.patterns)


def _run(
    project: Project,
    setups: Sequence[Setup],
    cases: Sequence[Selected],
    options: LiveOptions,
    seed: int,
    progress: Progress,
) -> list[_Rounds]:
    settings = VisitSettings(
        PLAN, project.config.timeout_s, project.config.device, policy(project), limits=limits_of(project)
    )
    rng = random.Random(seed)
    all_rounds = [_Rounds(s, ([], []), []) for s in cases]
    # Half of each block of rounds in either order, so that the effect of the order cancels.
    orders = {id(r): _balanced(rng, options.max_rounds) for r in all_rounds}
    started = time.monotonic()
    progress.planned(options.max_rounds * len(cases) * 2)
    for number in range(options.max_rounds):
        open_ones = [r for r in all_rounds if not r.settled]
        if not open_ones or (number >= MIN_ROUNDS and time.monotonic() - started > options.budget_s):
            break
        rng.shuffle(open_ones)
        with _both(setups) as workers:
            for rounds in open_ones:
                _take_turns(workers, rounds, settings, number, seed, orders[id(rounds)][number], progress)
        for rounds in open_ones:
            rounds.settled = _settled(rounds, options, project.config.threshold)
    return all_rounds


def _balanced(rng: random.Random, count: int) -> list[bool]:
    orders: list[bool] = []
    while len(orders) < count:
        pair = [True, False]
        rng.shuffle(pair)
        orders += pair
    return orders


class _Side:
    """A worker of one side that is started when needed, and again after a failure."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._worker: WorkerProcess | None = None

    def measure(self, selected: Selected, settings: VisitSettings, number: int, seed: int) -> Outcome:
        if self._worker is None:
            self._worker = WorkerProcess(self._setup)
            self._worker.start()
        outcome, usable = measure_case(self._worker, selected, settings, number, seed)
        if not usable:
            self.stop(0.0)
        return outcome

    def stop(self, grace_s: float = 5.0) -> None:
        if self._worker is not None:
            self._worker.stop(grace_s)
            self._worker = None


@contextlib.contextmanager
def _both(setups: Sequence[Setup]) -> Iterator[tuple[_Side, ...]]:
    sides = tuple(_Side(s) for s in setups)
    try:
        yield sides
    except BaseException:
        for side in sides:
            side.stop(0.0)
        raise
    for side in sides:
        side.stop()


def _take_turns(
    sides: Sequence[_Side],
    rounds: _Rounds,
    settings: VisitSettings,
    number: int,
    seed: int,
    candidate_second: bool,
    progress: Progress,
) -> None:
    for which in (0, 1) if candidate_second else (1, 0):
        outcome = sides[which].measure(rounds.selected, settings, number, seed)
        rounds.outcomes[which].append(outcome)
        progress.measured(rounds.selected, number, outcome)
    rounds.candidate_second.append(candidate_second)


def _settled(rounds: _Rounds, options: LiveOptions, threshold: float) -> bool:
    """No more rounds needed: something failed, or the time's interval is as narrow as wanted."""
    if any(o.result.status is not Status.OK for side in rounds.outcomes for o in side):
        return True
    if len(rounds.candidate_second) < MIN_ROUNDS:
        return False
    delta = options.threshold or rounds.selected.declared.threshold or threshold or DEFAULT_THRESHOLD
    wanted = delta / 2 if options.width is None else options.width
    sides = [assemble(rounds.selected, o, Circumstances(False, False, threshold)) for o in rounds.outcomes]
    effects = [_effect(b, c, rounds.candidate_second) for b, c in zip(*sides, strict=False)]
    return all(e is None or (e.interval.hi - e.interval.lo) / 2 <= wanted for e in effects)


def _effect(baseline: Measurement, candidate: Measurement, second: Sequence[bool]) -> PairedEffect | None:
    """Paired effect of one metric; None where it has no ratio (a value of zero or not finite, a failure)."""
    b, c = baseline.process_values, candidate.process_values
    if len(b) != len(c) or len(b) != len(second) or not all(0 < v < math.inf for v in (*b, *c)) or not b:
        return None
    return paired_effect([math.log(y / x) for x, y in zip(b, c, strict=True)], second, widen=STOPPED)


def _sometimes_failed(outcomes: Sequence[Outcome]) -> bool:
    """A case that a side can run, but that failed in one of its processes: it is not new on the other side."""
    return len({o.result.status is Status.FAILED for o in outcomes}) == 2


def _compare(
    project: Project, commits: Sequence[Commit], taken: Sequence[_Rounds], options: LiveOptions, accepted: Accepted
) -> Comparison:
    threshold = project.config.threshold
    sides: tuple[list[Measurement], list[Measurement]] = ([], [])
    judgements: list[Judgement] = []
    for rounds in taken:
        made = [assemble(rounds.selected, o, Circumstances(False, False, threshold)) for o in rounds.outcomes]
        for side, measurements in zip(sides, made, strict=True):
            side.extend(measurements)
        by_metric = [{m.metric: m for m in ms} for ms in made]
        for metric in dict.fromkeys((*by_metric[1], *by_metric[0])):
            b, c = by_metric[0].get(metric), by_metric[1].get(metric)
            effect = _effect(b, c, rounds.candidate_second) if b is not None and c is not None else None
            judged = judge(b, c, threshold=options.threshold, paired=effect)
            if judged.verdict is Verdict.NOT_COMPARABLE and _sometimes_failed(rounds.outcomes[0]):
                judged = replace(judged, verdict=Verdict.FAILED)
            judgements.append(judged)
    results = [CommitResults(commit, tuple(side), ()) for commit, side in zip(commits, sides, strict=True)]
    judgements = with_epochs(accepted, judgements, commits[0].sha, commits[1].sha)
    told = explained(project, results[0], results[1], judgements, live=True)
    return replace(told, unknown_epochs=accepted.unknown)
