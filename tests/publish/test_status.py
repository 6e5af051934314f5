from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perftrack.core.changes.silence import SilenceRules
from perftrack.core.history import Series
from perftrack.publish.gather import read_history
from perftrack.publish.status import status_page
from perftrack.publish.storypages import StatusPage
from tests.publish.synthetic import SyntheticHistory


class Ended(SyntheticHistory):
    """One case has not been measured at the last five commits."""

    def line(self) -> Sequence[str]:
        return [c.sha for c in self.commits()]

    def ended(self) -> Series:
        return next(s for s in super().series() if s.case.benchmark == "softmax")

    def _make_series(self) -> list[Series]:
        made = super()._make_series()
        return [replace(s, points=s.points[:-5]) if s.case.benchmark == "softmax" else s for s in made]


class Allowed(Ended):
    def silence(self) -> SilenceRules:
        return SilenceRules(14.0, 3, ("softmax*",))


class Off(Ended):
    def silence(self) -> SilenceRules:
        return SilenceRules(0.0, 3)


def page(source: SyntheticHistory) -> StatusPage:
    return status_page(read_history(source), source, None)


def test_a_case_that_later_commits_lack_is_told_with_its_last_commit() -> None:
    source = Ended(30)
    (quiet,) = page(source).silences
    assert quiet.name == source.ended().case.id
    assert quiet.missing == 5
    assert quiet.last is not None
    assert quiet.last.sha == source.commits()[24].sha


def test_what_the_configuration_allows_is_not_told() -> None:
    assert page(Allowed(30)).silences == ()
    assert page(Off(30)).silences == ()


def test_a_case_that_only_fails_lately_is_silent_and_those_who_report_are_named() -> None:
    source = SyntheticHistory(20)
    made = page(source)
    assert [q.name.partition("[")[0] for q in made.silences] == ["attention"]
    assert [(r.kind, r.name, r.runs) for r in made.reporters] == [("host", "bench-01", 20)]
    assert dict(made.facts)["Runs"] == "20"
