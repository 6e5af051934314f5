"""Which search is meant: a new one, or one that was left and goes on; and whether it may."""

from __future__ import annotations

from dataclasses import replace

from perftrack.app.bisectjournal import Heading, Stored, stored_searches
from perftrack.app.bisectoptions import BisectOptions
from perftrack.app.bisectvisit import Subject
from perftrack.app.project import Project
from perftrack.core.fingerprint import differences
from perftrack.core.search.bisection import Search
from perftrack.core.search.settings import SearchSettings
from perftrack.errors import StoreError, UsageError
from perftrack.vcs.changes import private_folder

ANEW = "--restart begins anew."


def as_left(project: Project, options: BisectOptions) -> BisectOptions:
    """The options, with the ends and the case of the one search that was left where none are named.

    Raises UsageError where ends are missing and there is not exactly one to go on with.
    """
    if options.good and options.bad:
        return options
    if options.good or not options.resume:
        missing = "BAD is" if options.good else "GOOD and BAD are"
        raise UsageError(
            f"{missing} missing", "perftrack bisect --bench CASE GOOD BAD, or --resume to go on with one."
        )
    left = [s for s in stored_searches(private_folder(project.root)) if _fits(s.heading, options)]
    if not left:
        raise UsageError("no search was left to go on with", "perftrack bisect --bench CASE GOOD BAD begins one.")
    if len(left) > 1:
        listed = "; ".join(f"{s.heading.case_id} {s.heading.good[:12]} {s.heading.bad[:12]}" for s in left[:5])
        raise UsageError(f"{len(left)} searches were left: {listed}", "Name GOOD and BAD of one, and its --bench.")
    heading = left[0].heading
    return replace(
        options,
        good=heading.good,
        bad=heading.bad,
        bench=heading.case_id,
        metric=heading.metric,
        first_parent=heading.first_parent,
    )


def _fits(heading: Heading, options: BisectOptions) -> bool:
    return (not options.bench or options.bench in heading.case_id) and options.metric in ("", heading.metric)


def check_left(stored: Stored, options: BisectOptions) -> None:
    """Raises UsageError where a search of the range was left and nobody said what is to become of it."""
    if not options.resume and not options.restart:
        count = stored.search.spent.measurements
        raise UsageError(
            f"a search of this range was left after {count} measurement{'' if count == 1 else 's'}",
            f"--resume goes on with it; {ANEW}",
        )


def check_same(stored: Stored, subject: Subject, code_hash: str) -> None:
    """Raises StoreError where what was measured then and what would be measured now are not alike."""
    heading = stored.heading
    if heading.code_hash != code_hash:
        raise StoreError(f"the benchmark {heading.case_id} was changed since the search was left", ANEW)
    apart = [d for d in differences(heading.fingerprint, subject.environment) if d.refuses]
    if apart:
        raise StoreError(f"this is another environment than the search began in: {apart[0]}", ANEW)
    if heading.lane != subject.lane:
        raise StoreError("the protocol of measuring changed since the search was left", ANEW)


def settings_of(options: BisectOptions, subject: Subject, skip: tuple[str, ...]) -> SearchSettings:
    """How a new search is to be carried out. Raises InvalidValueError for what is out of range."""
    budget = options.budget
    return SearchSettings(
        direction=subject.direction,
        confidence=options.level,
        skip=skip,
        measurements=budget.measurements if budget else None,
        seconds=budget.seconds if budget else None,
    )


def gone_on(search: Search, options: BisectOptions, skip: tuple[str, ...]) -> Search:
    """The stored search with what is asked for now in place of what was: budget, confidence, more to skip."""
    settings = search.settings
    if options.budget is not None:
        settings = replace(settings, measurements=options.budget.measurements, seconds=options.budget.seconds)
    if options.confidence is not None:
        settings = replace(settings, confidence=options.confidence)
    settings = replace(settings, skip=tuple(dict.fromkeys((*settings.skip, *skip))))
    return Search.resumed(
        search.graph,
        settings,
        search.seed,
        search.prior,
        search.recorded,
        search.visits,
        search.reproduction,
        search.earlier,
    )
