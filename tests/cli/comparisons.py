"""Comparisons made by hand, for tests of how they are shown."""

from __future__ import annotations

from dataclasses import replace

from perftrack.app.comparison import Comparison, ranked
from perftrack.app.history import CommitResults
from perftrack.core.judgement import Judgement
from perftrack.core.model import Case, Commit
from perftrack.core.verdict import judge
from tests.core.builders import VALUE, failed, measured


def commit(letter: str) -> Commit:
    return Commit(letter * 40, (), "A", 0, 1_700_000_000, "A subject")


def comparison(*judgements: Judgement) -> Comparison:
    sides = [CommitResults(commit(letter), (), ("r",)) for letter in "bc"]
    return Comparison(sides[0], sides[1], ranked(judgements))


def counted(name: str, before: float, after: float, **fields: object) -> Judgement:
    """An exact change of a count."""
    sides = [
        measured(v, v, case=Case(name), metric="size", protocol=VALUE, value=v, **fields) for v in (before, after)
    ]
    return judge(*sides)


def renamed(judged: Judgement, name: str) -> Judgement:
    sides = [replace(m, case=Case(name)) if m else None for m in (judged.baseline, judged.candidate)]
    return replace(judged, baseline=sides[0], candidate=sides[1])


def broken(name: str, message: str) -> Judgement:
    return judge(measured(1.0, case=Case(name)), replace(failed(message), case=Case(name)))


def undecided(name: str) -> Judgement:
    return judge(measured(1.0, 1.1, case=Case(name), value=1.0), measured(1.2, 1.3, case=Case(name), value=1.2))
