"""The one case that a search or a check is about."""

from __future__ import annotations

from collections.abc import Sequence

from perftrack.app.project import Project
from perftrack.app.visit import discover
from perftrack.errors import SuiteError, UsageError
from perftrack.suite.messages import Catalogue, Declared, Kind
from perftrack.suite.pool import WorkerProcess
from perftrack.suite.selection import Selected, all_cases, matches, select


def the_case(project: Project, pattern: str, python: str | None = None) -> Selected:
    """What a pattern means in the checkout's benchmark files: a case by its id, or the only one that fits.

    Raises UsageError for a pattern of none or of several.
    """
    declared = _catalogue(project, python).declared
    found = _meant(declared, pattern) or list(select(declared, (pattern,)))  # the latter says what comes near
    return _only(found, pattern)


def case_here(project: Project, pattern: str, python: str | None = None) -> Selected | str:
    """As `the_case`, but where the checkout's commit does not have such a case, why."""
    catalogue = _catalogue(project, python)
    found = _meant(catalogue.declared, pattern)
    if found:
        return _only(found, pattern)
    why = "".join(f"; {p.where}: {p.message}" for p in catalogue.problems[:3])
    return f"no case matches {pattern!r} in this commit's benchmark files{why}"


def first_metric(declared: Declared) -> str:
    """The metric that is meant where none is named; empty: the first that a command prints."""
    if declared.kind is Kind.COMMAND:
        return "time" if declared.unit == "s" else ""
    return "value" if declared.kind is Kind.METRIC else "time"


def _catalogue(project: Project, python: str | None) -> Catalogue:
    """Raises SuiteError where the benchmark files cannot be used, WorkerError where the interpreter cannot."""
    with WorkerProcess(project.setup(project.root, python=python)) as worker:
        catalogue = discover(worker, project.config.timeout_s)
    if not catalogue.declared and catalogue.problems:
        first = catalogue.problems[0]
        raise SuiteError(f"{first.where}: {first.message}", first.hint or None)
    return catalogue


def _meant(declared: Sequence[Declared], pattern: str) -> list[Selected]:
    cases = all_cases(declared)
    return [s for s in cases if s.case.id == pattern] or [s for s in cases if not pattern or matches(pattern, s)]


def _only(found: Sequence[Selected], pattern: str) -> Selected:
    if len(found) > 1:
        names = ", ".join(s.case.id for s in found[:5]) + (", …" if len(found) > 5 else "")
        what = f"{pattern!r} means {len(found)} cases" if pattern else f"there are {len(found)} cases"
        raise UsageError(f"{what}: {names}", "One case is searched with: give its whole name to --bench.")
    return found[0]
