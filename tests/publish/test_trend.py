"""Series as columns: values, breaks between lanes, sparklines."""

import math
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.history import Point, Series
from perftrack.core.model import MeasurementTier, Status
from perftrack.publish.gather import History, read_history
from perftrack.publish.trend import (
    current,
    lane_breaks,
    number,
    sparkline,
    summary,
    superseded_lanes,
    trend_data,
)
from tests.publish.synthetic import SyntheticHistory, default_shapes

HISTORY = read_history(SyntheticHistory(30))


def series(name: str, history: History = HISTORY) -> Series:
    return next(s for s in history.series if s.case.id.startswith(name))


def point(value: float | None, at: int = 0, lane: str = "", status: Status = Status.OK) -> Point:
    run = HISTORY.runs[at]
    return Point(run.id, run.sha, run.started_at, False, status, value, None, MeasurementTier.B, (), (), lane)


def test_columns_have_one_entry_per_point() -> None:
    data = trend_data(HISTORY, series("attention"))
    lengths = {
        len(c) for c in (data.run, data.value, data.lo, data.hi, data.tier, data.status, data.lane, data.note)
    }
    assert lengths == {30}


def test_columns_keep_values_and_intervals() -> None:
    one = series("softmax")
    data = trend_data(HISTORY, one)
    first = HISTORY.ordered(one)[0]
    assert first.interval is not None
    assert math.isclose(data.value[0] or 0, first.value or 0, rel_tol=1e-5)
    assert math.isclose(data.lo[0] or 0, first.interval.lo, rel_tol=1e-5)


def test_a_failed_point_has_no_value_and_says_so() -> None:
    data = trend_data(HISTORY, series("attention[causal=True,heads=16,seq=2048]"))
    failed = data.status.index("f")
    assert data.value[failed] is None
    assert "illegal memory access" in data.notes[data.note[failed]].reasons[0]


def test_equal_reasons_are_stored_once() -> None:
    assert len(trend_data(HISTORY, series("softmax")).notes) == 1


def test_a_lane_that_starts_later_is_a_break_with_its_fields() -> None:
    (found,) = trend_data(HISTORY, series("softmax")).breaks
    assert found.at == 24
    assert found.fields[0] == "driver: 550.54.15 → 570.86.10"


def test_a_series_in_one_lane_has_no_break() -> None:
    assert trend_data(HISTORY, series("tokenise")).breaks == ()


def test_lanes_that_take_turns_break_once() -> None:
    a, b = (lane.id for lane in HISTORY.lanes[:2])
    points = [point(1.0, i, (a, b)[i % 2]) for i in range(6)]
    assert [(x.at, x.lane) for x in lane_breaks(HISTORY, points)] == [(1, 1)]


def test_a_lane_is_superseded_when_another_begins_after_its_end() -> None:
    points = [point(1.0, 0, "a"), point(1.0, 1, "a"), point(1.0, 2, "b")]
    assert superseded_lanes(HISTORY, points) == {"a"}


def test_lanes_that_overlap_are_all_present() -> None:
    points = [point(1.0, 0, "a"), point(1.0, 1, "b"), point(1.0, 2, "a")]
    assert superseded_lanes(HISTORY, points) == frozenset()


def test_a_sparkline_runs_from_lowest_to_highest() -> None:
    assert sparkline([point(1.0), point(2.0), point(3.0)]) == "0iz"


def test_a_sparkline_shows_failures_as_gaps() -> None:
    assert sparkline([point(1.0), point(None, status=Status.FAILED), point(3.0)]) == "0-z"


def test_a_sparkline_of_equal_values_is_a_line_in_the_middle() -> None:
    assert sparkline([point(5.0), point(5.0)]) == "ii"


def test_dirty_points_give_way_to_clean_ones() -> None:
    clean, dirty = point(1.0), replace(point(2.0), dirty=True)
    assert list(current([clean, dirty])) == [clean]
    assert list(current([dirty])) == [dirty]


def test_the_summary_says_what_a_reader_would_see() -> None:
    text = summary(HISTORY, series("attention[causal=True,heads=16,seq=2048]"))
    assert "30 points over 30 commits" in text
    assert "2 lanes" in text
    assert "3 failed" in text


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_numbers_are_finite_or_none(value: float) -> None:
    shown = number(value)
    assert (
        shown is None
        if not math.isfinite(value)
        else math.isclose(shown or 0.0, value, rel_tol=1e-5, abs_tol=5e-324)
    )


def test_shapes_of_the_usual_history_are_a_dozen() -> None:
    assert len(default_shapes(40)) == 12
