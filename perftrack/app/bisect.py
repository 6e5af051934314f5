"""Bisect: the commit at which a case got worse, by measuring as few commits as it takes to be sure."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from perftrack.app.bisectcase import first_metric, the_case
from perftrack.app.bisectfiles import BenchmarkFiles
from perftrack.app.bisectheading import Heading
from perftrack.app.bisecthistory import Past, past_of
from perftrack.app.bisectjournal import Journal, Stored, journal_path, observed, stored_search
from perftrack.app.bisectnotes import end_failed, notes_of
from perftrack.app.bisectoptions import BisectOptions, BisectProgress
from perftrack.app.bisectrange import SearchRange, range_of, skipped
from perftrack.app.bisectresume import (
    as_left,
    check_left,
    check_same,
    configured,
    gone_on,
    nothing_left,
    seconds_left,
    settings_of,
    taken_over,
)
from perftrack.app.bisectstory import Story, story_of
from perftrack.app.bisectvisit import Subject, Visits
from perftrack.app.bisectworkshop import Workshop
from perftrack.app.comparison import EXIT_UNDECIDED
from perftrack.app.project import Project
from perftrack.core.search.bisection import Search
from perftrack.core.search.blame import Blame
from perftrack.core.search.visits import Outcome
from perftrack.errors import StoreError
from perftrack.store.blames import add_blame
from perftrack.timing.uses import OFF_CARDS, card_uses
from perftrack.vcs.changes import private_folder


@dataclass(frozen=True, slots=True)
class Bisected:
    """The answer. `left`: the search can go on from here, with a larger budget. `unstored`: why it is not kept."""

    range: SearchRange
    search: Search
    blame: Blame
    story: Story
    past: Past
    left: bool
    notes: tuple[str, ...] = ()
    unstored: str = ""

    @property
    def exit_code(self) -> int:
        """0 where what is to blame was named; else 4; 1 where that could not be stored."""
        return 1 if self.unstored else 0 if self.blame.named else EXIT_UNDECIDED


def bisect(
    project: Project, options: BisectOptions, progress: BisectProgress, clock: Callable[[], float] = time.time
) -> Bisected:
    """Search, store the answer and explain it.

    Raises UsageError for ends or a case that do not fit, or a search that was left; GitError for an unknown
    revision; WorkerError where an end cannot be measured; StoreError where a stored search cannot go on.
    """
    options = as_left(project, options)
    project.device()
    found = range_of(project.repository, options.good, options.bad, first_parent=options.first_parent)
    graph = found.graph
    skip = skipped(project.repository, graph, options.skip)
    files = BenchmarkFiles.seen(project.root / project.config.benchmarks)
    selected = the_case(project, options.bench, options.python)
    metric = options.metric or first_metric(selected.declared)
    path = journal_path(
        private_folder(project.root),
        selected.case.id,
        metric,
        graph.good,
        graph.bad,
        first_parent=options.first_parent,
    )
    with contextlib.ExitStack() as stack:
        journal = stack.enter_context(Journal(path))
        stored = None if options.restart else stored_search(path)
        if stored is not None and not stored.search.spent.measurements and not options.resume:
            stored = None  # ended before it had measured anything
        if stored is not None:
            check_left(stored, options)
            options = taken_over(project, stored, options)
        elif options.resume:
            progress.note(nothing_left(project, options, selected.case.id, metric))
        workshop = stack.enter_context(_workshop(project, found, options, progress))
        seed = options.seed if options.seed is not None else time.time_ns() & 0x7FFFFFFF
        done = stored.search.spent.measurements if stored else 0
        visits = Visits(project, workshop, found.commits, progress, stored.search.seed if stored else seed, done)
        subject = visits.look(graph.bad, selected, metric, seconds_left(stored, options))
        search, past = _start(project, found, subject, options, skip, stored, journal, seed, workshop.seconds)
        progress.began(search, selected.case.id, subject.metric, resumed=stored is not None)
        search = _carry_out(search, subject, visits, journal, files, progress)
        if search.outcome is Outcome.END_FAILED:
            journal.done()
            raise end_failed(search)
        blame = Blame.of(search, selected.case.id, subject.metric, subject.unit)
        blame = replace(blame, lane=subject.lane, finished_at=round(clock(), 6))
        with _ending(progress):
            found = _with_named(found, blame, visits)
            story = story_of(
                project, blame, subject, workshop, found.commits, visits.changes, profile=options.profile
            )
            unstored = _store(project, blame, found)
        left = search.outcome is Outcome.BUDGET
        if not left and not unstored:
            journal.done()
    return Bisected(found, search, blame, story, past, left, notes_of(project, visits, workshop), unstored)


def _workshop(project: Project, found: SearchRange, options: BisectOptions, progress: BisectProgress) -> Workshop:
    return Workshop(
        project,
        progress.building,
        ends=(found.graph.good, found.graph.bad),
        keep=options.keep,
        command=options.build,
        python=options.python,
        env=options.env,
        uses=() if project.device() in OFF_CARDS else card_uses(),
    )


def _start(
    project: Project,
    found: SearchRange,
    subject: Subject,
    options: BisectOptions,
    skip: tuple[str, ...],
    stored: Stored | None,
    journal: Journal,
    seed: int,
    built_s: float,
) -> tuple[Search, Past]:
    code_hash = subject.selected.declared.code_hash
    if stored is not None:
        check_same(stored, subject, code_hash)
        search = _charged(gone_on(stored.search, options, skip), built_s)
        journal.go_on(stored, search)
        return search, Past(search.recorded)
    case_id = subject.selected.case.id
    past = Past()
    if not options.live_only:
        past = past_of(project, found.graph, case_id, subject.metric, subject.direction, subject.lane, code_hash)
    search = Search.begin(
        found.graph,
        settings_of(options, subject, skip),
        prior=past.prior,
        recorded=past.recorded,
        seed=seed,
    )
    search = _charged(search, built_s)
    journal.begin(_heading(project, subject, found, options), search)
    return search, past


def _charged(search: Search, built_s: float) -> Search:
    """With the build of BAD, by which it was looked at, taken from a budget of time."""
    return search if search.settings.seconds is None else search.passed(built_s, built_s)


def _heading(project: Project, subject: Subject, found: SearchRange, options: BisectOptions) -> Heading:
    selected = subject.selected
    return Heading(
        case_id=selected.case.id,
        metric=subject.metric,
        unit=subject.unit,
        lane=subject.lane,
        code_hash=selected.declared.code_hash,
        good=found.graph.good,
        bad=found.graph.bad,
        build=project.config.build if options.build is None else options.build,
        python=options.python,
        env=options.env,
        configured=configured(project),
        first_parent=options.first_parent,
        environment=subject.environment.to_dict(),
    )


def _carry_out(
    search: Search,
    subject: Subject,
    visits: Visits,
    journal: Journal,
    files: BenchmarkFiles,
    progress: BisectProgress,
) -> Search:
    try:
        while True:
            if search.outcome is Outcome.NON_MONOTONE and (part := search.part) is not None:
                progress.note(f"the speed changed more than once: going on after {part[:12]}, which is fast again")
                search = search.narrowed()
                journal.state(search)
            probe = search.next_probe()
            if probe is None:
                return search
            progress.visiting(search, probe, visits.commit(probe.commit))
            seconds = search.settings.seconds
            left_s = math.inf if seconds is None else seconds - search.spent.seconds
            readings = visits.take(subject, probe, left_s)
            files.check()
            search = observed(search, readings)
            journal.visited(readings)
            progress.learnt(search)
    except BaseException:
        count = search.spent.measurements
        if count:
            progress.note(f"left after {count} measurements; perftrack bisect --resume goes on with it")
        raise


@contextlib.contextmanager
def _ending(progress: BisectProgress) -> Iterator[None]:
    """What is left to do once the search is at its end."""
    try:
        yield
    except BaseException:
        progress.note("the search is at its end; perftrack bisect --resume tells what it found")
        raise


def _with_named(found: SearchRange, blame: Blame, visits: Visits) -> SearchRange:
    """With a commit that is named although it is history of GOOD."""
    more = {sha: visits.commit(sha) for sha in blame.commits if sha not in found.commits}
    return replace(found, commits={**found.commits, **more})


def _store(project: Project, blame: Blame, found: SearchRange) -> str:
    """Store the answer; why that is not so, or empty: what a search has found is told in any case."""
    named = dict.fromkeys((blame.good, *blame.commits, blame.bad))
    try:
        project.repository.ensure_ignored(*project.store.files)
        add_blame(project.store, blame, [found.commits[sha] for sha in named if sha in found.commits])
    except StoreError as error:
        return error.message
    return ""
