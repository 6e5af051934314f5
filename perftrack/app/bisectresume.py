"""Which search is meant: a new one, or one that was left and goes on; and whether it may."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from perftrack.app.bisectheading import Heading
from perftrack.app.bisectjournal import Stored, stored_searches
from perftrack.app.bisectoptions import BisectOptions
from perftrack.app.bisectvisit import Subject
from perftrack.app.project import Project
from perftrack.config import shown
from perftrack.core.fingerprint import differences
from perftrack.core.search.bisection import Search
from perftrack.core.search.settings import SearchSettings
from perftrack.core.text import quoted
from perftrack.errors import StoreError, UsageError
from perftrack.vcs.changes import private_folder

ANEW = "--restart begins anew."
# Keys of the configuration that change what is measured; the build command is kept with the search.
MEASURED = (
    "python",
    "pythonpath",
    "env",
    "env-files",
    "env-requirements",
    "env-install",
    "device",
    "environment",
)


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
    every = list(stored_searches(private_folder(project.root)))
    left = [s for s in every if _fits(s.heading, options)]
    if not left:
        hint = "perftrack bisect --bench CASE GOOD BAD begins one."
        if every:
            raise UsageError(f"no search of that was left, but {_listed(every)}", hint)
        raise UsageError("no search was left to go on with", hint)
    if len(left) > 1:
        raise UsageError(
            f"{len(left)} searches were left: {_listed(left)}", "Name GOOD and BAD of one, and its --bench."
        )
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
    case = not options.bench or options.bench in heading.case_id
    return case and options.metric in ("", heading.metric) and options.first_parent <= heading.first_parent


def _listed(left: Sequence[Stored]) -> str:
    """What was left, with what tells one from another."""
    heads = [s.heading for s in left[:5]]
    lines = [" --first-parent" if h.first_parent else "" for h in heads]
    return "; ".join(
        f"{h.metric or 'the first metric'} of {h.case_id} {h.good[:12]} {h.bad[:12]}{line}"
        for h, line in zip(heads, lines, strict=True)
    )


def nothing_left(project: Project, options: BisectOptions, case_id: str, metric: str) -> str:
    """That a search begins where one was to go on, and which others of the same ends were left."""
    told = f"no search of {metric or 'the first metric'} of {case_id} in this range was left: this is a new one"
    ends = {project.repository.resolve(end) for end in (options.good, options.bad)}
    others = [s for s in stored_searches(private_folder(project.root)) if {s.heading.good, s.heading.bad} == ends]
    return f"{told}; there is one of {_listed(others)}" if others else told


def configured(project: Project) -> dict[str, str]:
    """What of the configuration a search rests on, by key."""
    return {setting.toml: str(value) for setting, value in shown(project.config) if setting.toml in MEASURED}


def taken_over(project: Project, stored: Stored, options: BisectOptions) -> BisectOptions:
    """The options with what the search was begun with.

    Raises UsageError for one that asks for another thing to be measured, or a configuration that does.
    """
    heading, search = stored.heading, stored.search
    given: tuple[tuple[str, object, object], ...] = (
        ("--build", options.build, heading.build),
        ("--python", options.python, heading.python),
        ("--env", options.env, heading.env),
        ("--seed", options.seed, search.seed),
    )
    for name, now, then in given:
        if now is not None and now != then:
            was = f"with {name} {quoted(then)}" if then else f"without {name}"
            raise UsageError(
                f"the search was begun {was}, so {name} {quoted(now)} would mix two things in one answer",
                f"Leave {name} out to go on as it was begun; {ANEW}",
            )
    if options.live_only and search.recorded:
        raise UsageError(
            f"the search was begun with {len(search.recorded)} stored run(s) as evidence: --live-only comes late",
            f"Leave it out to go on as it was begun; {ANEW}",
        )
    for key, now in configured(project).items():
        if (then := heading.configured.get(key, "")) != now:
            raise UsageError(
                f"`{key}` of the configuration was {quoted(then)} as the search began, and is {quoted(now)}",
                f"Put it back as it was; {ANEW}",
            )
    return replace(options, build=heading.build, python=heading.python, env=heading.env)


def seconds_left(stored: Stored | None, options: BisectOptions) -> float:
    """Of a budget of time; infinite without one."""
    seconds = options.budget.seconds if options.budget else stored.search.settings.seconds if stored else None
    return math.inf if seconds is None else seconds - (stored.search.spent.seconds if stored else 0.0)


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
