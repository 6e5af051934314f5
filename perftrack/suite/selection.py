"""Which cases a pattern on the command line means."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from perftrack.core.model import Case
from perftrack.errors import UsageError
from perftrack.suite.messages import Declared


@dataclass(frozen=True, slots=True)
class Selected:
    """One case to measure, with its benchmark's declaration."""

    declared: Declared
    case: Case


def all_cases(declared: Sequence[Declared]) -> tuple[Selected, ...]:
    return tuple(Selected(d, Case(d.name, params)) for d in declared for params in d.cases)


def select(declared: Sequence[Declared], patterns: Sequence[str]) -> tuple[Selected, ...]:
    """Cases that any of the patterns means; all without patterns, in declared order.

    `path/bench_x.py`, a folder, `path/bench_x.py::name`, `::name`; otherwise a text found in the case's id, or
    with `*` and `?` a pattern that the whole id must fit. Raises UsageError for a pattern that means no case.
    """
    cases = all_cases(declared)
    if not patterns:
        return cases
    chosen: set[Case] = set()
    for pattern in patterns:
        hits = [s.case for s in cases if matches(pattern, s)]
        if not hits:
            raise UsageError(f"no case matches {pattern!r}", _near(pattern, cases))
        chosen.update(hits)
    return tuple(s for s in cases if s.case in chosen)


def matches(pattern: str, selected: Selected) -> bool:
    return means(pattern, selected.case, selected.declared.file)


def means(pattern: str, case: Case, file: str) -> bool:
    """Whether a pattern means a case that `file` declares; see `select`."""
    where, separator, name = pattern.rpartition("::")
    if separator:
        return (not where or _in_file(where, file)) and (name in (case.benchmark, case.id) or _fits(name, case.id))
    if pattern.endswith((".py", "/")):
        return _in_file(pattern, file)
    if "*" in pattern or "?" in pattern:
        return _fits(pattern, case.id)
    return pattern in case.id


def _in_file(pattern: str, file: str) -> bool:
    wanted, have = PurePosixPath(pattern).parts, PurePosixPath(file).parts
    wanted = tuple(p for p in wanted if p != ".")
    if pattern.endswith("/"):
        return have[: len(wanted)] == wanted
    return bool(wanted) and have[-len(wanted) :] == wanted


def _fits(pattern: str, text: str) -> bool:
    """Glob with `*` and `?` only: brackets are part of a case's id."""
    expression = "".join(".*" if c == "*" else "." if c == "?" else re.escape(c) for c in pattern)
    return re.fullmatch(expression, text, re.DOTALL) is not None


def _near(pattern: str, cases: Sequence[Selected]) -> str:
    names = list(dict.fromkeys(s.declared.name for s in cases))
    if not names:
        return "No benchmark was found at all; perftrack list says why."
    close = difflib.get_close_matches(pattern, names, 3, 0.4) or names[:5]
    return f"There are {', '.join(close)}{'' if len(close) == len(names) else ', …'}; perftrack list shows all."
