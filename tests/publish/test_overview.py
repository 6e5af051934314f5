"""What changed, and the rows of all cases."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from perftrack.core.history import Lane, Point, RunSummary, Series, lane_id
from perftrack.core.judgement import Judgement, Verdict
from perftrack.publish.gather import History, read_history
from perftrack.publish.overview import change_of, grid_rows, overview_page
from perftrack.publish.pages import Event, GridRow
from tests.publish.synthetic import CPU, EVENT, HOST, NEW_DRIVER, OLD_DRIVER, SyntheticHistory

HISTORY = read_history(SyntheticHistory(40))
PAGE = overview_page(HISTORY, None)


class LastIsDirty(SyntheticHistory):
    """The newest run measured a tree with uncommitted changes."""

    def series(self) -> Sequence[Series]:
        last = self.runs()[-1].id

        def mark(point: Point) -> Point:
            return replace(point, dirty=True) if point.run_id == last else replace(point, dirty=False)

        return [replace(s, points=tuple(mark(p) for p in s.points)) for s in super().series()]

    def runs(self) -> Sequence[RunSummary]:
        found = super().runs()
        return [replace(r, dirty=r is found[-1]) for r in found]


def event(name: str) -> Event:
    return next(e for e in PAGE.events if e.case.startswith(name))


def row(name: str, params: str = "", history: History = HISTORY) -> GridRow:
    return next(r for r in grid_rows(history) if r.name == name and params in r.params)


def judged(name: str) -> Judgement:
    return next(j for j in HISTORY.judgements if j.subject.case.id.startswith(name))


def test_regressions_come_before_improvements_and_large_before_small() -> None:
    assert [(e.verdict, e.case.split("[")[0]) for e in PAGE.events] == [
        ("regression", "matmul"),
        ("regression", "copy"),
        ("improvement", "layer_norm"),
    ]


def test_an_event_carries_size_interval_and_values_with_units() -> None:
    one = event("matmul")
    assert one.change == "+12 %"
    assert one.change_lo.startswith("+1") and one.change_hi.startswith("+1")
    assert one.baseline_value.endswith("%") and " µs ± " in one.baseline_value


def test_a_falling_throughput_reads_as_a_fall() -> None:
    one = event("copy")
    assert (one.verdict, one.word, one.change) == ("regression", "worse", "-4.6 %")
    assert float(one.change_lo.split()[0]) < float(one.change_hi.split()[0]) < 0


def test_the_change_of_a_judgement_is_of_the_metric_itself() -> None:
    fall = change_of(judged("copy"))
    assert fall.value is not None
    assert math.isclose(math.exp(fall.value), 0.955, rel_tol=0.01)


def test_an_event_names_both_commits() -> None:
    one = event("matmul")
    assert one.baseline is not None and one.candidate is not None
    assert [one.baseline.sha, one.candidate.sha] == [c.sha for c in HISTORY.commits[-2:]]
    assert one.candidate.run == f"run.html#run={HISTORY.runs[-1].id}"


def test_counts_cover_every_judgement() -> None:
    assert sum(PAGE.counts.values()) == len(HISTORY.judgements)
    assert PAGE.counts["failed"] == 1


def test_every_series_has_one_row() -> None:
    rows = grid_rows(HISTORY)
    assert len(rows) == len(HISTORY.series)
    assert len({(r.page, r.key) for r in rows}) == len(rows)


def test_a_row_shows_the_lane_that_replaced_another() -> None:
    assert HISTORY.lanes[row("softmax").lane].lane.fingerprint.driver_version == "570.86.10"


class Doubled(SyntheticHistory):
    """Every point stands in a second lane as well."""

    def series(self) -> Sequence[Series]:
        lane = lane_id(NEW_DRIVER, EVENT)
        return [
            replace(s, points=s.points + tuple(replace(p, lane=lane) for p in s.points)) for s in super().series()
        ]

    def lanes(self) -> Sequence[Lane]:
        return [Lane(lane_id(f, p), f, p) for f, p in ((OLD_DRIVER, EVENT), (NEW_DRIVER, EVENT), (CPU, HOST))]


def test_lanes_side_by_side_each_have_a_row() -> None:
    rows = grid_rows(read_history(Doubled(10, upgrade=None)))
    assert len([r for r in rows if r.name == "tokenise"]) == 2


def test_a_failed_case_has_a_row_without_a_value() -> None:
    failed = row("attention", "seq=2048")
    assert (failed.status, failed.value, failed.verdict) == ("failed", None, "failed")
    assert "illegal memory access" in failed.why


def test_a_row_carries_the_judgement_of_its_lane() -> None:
    assert row("matmul", "n=4096").verdict == Verdict.REGRESSION
    assert row("matmul", "n=4096").change == pytest.approx(math.log(1.118), abs=0.02)


def test_a_dirty_run_is_not_what_a_row_shows() -> None:
    clean, dirty = read_history(SyntheticHistory(20)), read_history(LastIsDirty(20))
    assert dirty.runs[row("softmax", history=clean).run].id == clean.runs[-1].id
    assert dirty.runs[row("softmax", history=dirty).run].id == clean.runs[-2].id


def test_a_dirty_run_is_not_what_was_compared() -> None:
    page = overview_page(read_history(LastIsDirty(20)), None)
    assert page.compared is not None
    assert page.compared[1].sha == HISTORY.commits[18].sha


def test_one_commit_has_nothing_to_compare() -> None:
    page = overview_page(read_history(SyntheticHistory(1)), None)
    assert (page.events, page.compared) == ((), None)


def test_an_empty_history_has_an_empty_page() -> None:
    page = overview_page(read_history(SyntheticHistory(0, shapes=())), None)
    assert (page.series, page.newest, page.events) == (0, None, ())
