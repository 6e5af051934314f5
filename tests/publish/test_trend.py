"""Series as columns: values, breaks between lanes, sparklines."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.history import Series
from perftrack.core.model import Interval, MeasurementTier, Status
from perftrack.core.pointtable import Facet
from perftrack.publish import thinning
from perftrack.publish.catalogue import catalogue
from perftrack.publish.changerows import CHANGE
from perftrack.publish.changes import ChangeSearch
from perftrack.publish.encode import number
from perftrack.publish.gather import History, read_history
from perftrack.publish.lines import all_lines
from perftrack.publish.points import Facets, SeriesPoints, superseded_lanes
from perftrack.publish.trend import lane_breaks, series_files, shown_value, sparkline
from tests.publish.synthetic import Shape, SyntheticHistory
from tests.publish.unpacking import Packed, unpacked, values

SOURCE = SyntheticHistory(30)
HISTORY = read_history(SOURCE)


def position(name: str, history: History = HISTORY) -> int:
    return next(at for at, s in enumerate(history.series) if s.case.id.startswith(name))


def files(name: str, source: SyntheticHistory = SOURCE) -> dict[str, Packed]:
    """The data files of a series by their folders."""
    history = read_history(source)
    at = position(name, history)
    lines = [line for line in all_lines(history, source) if line.series == at]
    found = list(zip(lines, ChangeSearch(lines, None).found(), strict=True))
    made = series_files(history, catalogue(history), at, found)
    return {path.split("/")[1]: unpacked(file.script()) for path, file in made}


def points(
    numbers: Sequence[float], lanes: Sequence[int], *, failed: Sequence[int] = (), dirty: Sequence[int] = ()
) -> SeriesPoints:
    """Points of a made-up series, one a commit, in lanes by position."""
    slots = sorted(set(lanes))
    facets = tuple(Facet(s, MeasurementTier.B, f"{slot}") for slot in slots for s in (Status.OK, Status.FAILED))
    lane = np.array([slot for slot in slots for _ in range(2)], dtype=np.int32)
    ok = np.array([f.status is Status.OK for f in facets])
    count = len(numbers)
    order = np.arange(count, dtype=np.int32)
    facet = np.array([2 * slots.index(slot) + (at in failed) for at, slot in enumerate(lanes)], dtype=np.int32)
    value = np.array([math.nan if at in failed else n for at, n in enumerate(numbers)])
    clean = np.array([at not in dirty for at in range(count)])
    nothing = np.full(count, math.nan)
    head = HISTORY.series[0]
    return SeriesPoints(head, Facets(facets, ok, lane), order, order, facet, clean, value, nothing, nothing)


def stored(name: str) -> Series:
    return next(s for s in SOURCE.series() if s.case.id.startswith(name))


def test_columns_keep_values_to_what_their_intervals_show() -> None:
    packed = files("softmax")["series"]
    found = values(packed.columns, [packed.document["ref"]] * 30)
    for value, point in zip(found, stored("softmax").points, strict=True):
        assert point.value is not None and point.interval is not None
        assert abs(value.value - point.value) <= (point.interval.hi - point.interval.lo) / 2 / 100


def test_intervals_are_told_to_a_fiftieth_of_their_half_width() -> None:
    packed = files("softmax")["series"]
    found = values(packed.columns, [packed.document["ref"]] * 30)
    for shown, point in zip(found, stored("softmax").points, strict=True):
        assert point.interval is not None
        half = (point.interval.hi - point.interval.lo) / 2
        assert abs(shown.lo - point.interval.lo) <= half / 50
        assert abs(shown.hi - point.interval.hi) <= half / 50


def test_a_failed_point_says_so_and_why() -> None:
    packed = files("attention[causal=True,heads=16,seq=2048]")["series"]
    facets, notes = packed.document["facets"], packed.document["notes"]
    failed = [at for at, code in enumerate(packed.columns["facet"]) if facets[code][0] == "failed"]
    assert failed == [17, 18, 29]
    assert packed.document["failed"] == 3
    assert "illegal memory access" in notes[facets[packed.columns["facet"][17]][3]][0][0]


def test_runs_are_differences_of_positions() -> None:
    assert files("softmax")["series"].columns["run"] == [0, *[1] * 29]


def test_equal_reasons_are_stored_once() -> None:
    assert len(files("softmax")["series"].document["notes"]) == 1


def test_a_lane_that_starts_later_is_a_break_with_its_fields() -> None:
    (found,) = files("softmax")["series"].document["breaks"]
    assert found[0] == 24
    assert found[3][0] == "driver: 550.54.15 → 570.86.10"


def test_a_series_in_one_lane_has_no_break() -> None:
    assert files("tokenise")["series"].document["breaks"] == []


def test_a_change_is_told_by_the_runs_around_it() -> None:
    source = SyntheticHistory(60, [Shape("stepped", (), 1e-3, 0.004, gpu=False, steps={30: 1.2})])
    (row,) = files("stepped", source)["series"].document["changes"]
    change = dict(zip(CHANGE, row, strict=True))
    assert (change["before"], change["first"], change["direction"]) == (change["first"] - 1, 30, "up")
    assert change["ratio"] == pytest.approx(1.2, abs=0.02)


def test_a_short_series_is_one_file_with_every_point() -> None:
    assert set(files("softmax")) == {"series"}


def test_a_long_series_is_thinned_and_a_second_file_has_every_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinning, "LONG", 100)
    monkeypatch.setattr(thinning, "_BUCKETS", 30)
    count = 300
    source = SyntheticHistory(count, [Shape("long", (), 1e-3, gpu=False, steps={200: 1.3})])
    found = files("long", source)
    few, all_ = found["series"].columns["run"], found["full"].columns["run"]
    assert len(few) <= 100 < len(all_) == found["series"].document["total"] == count
    shown = set(np.cumsum(few).tolist())
    assert {0, count - 1, 199, 200} <= shown


def test_lanes_that_take_turns_break_once() -> None:
    turns = points([1.0] * 6, [0, 1] * 3)
    assert [(b.at, b.lane) for b in lane_breaks(HISTORY, turns)] == [(1, 1)]


def test_a_lane_is_superseded_when_another_begins_after_its_end() -> None:
    own = points([1.0, 1.0, 1.0], [0, 0, 1])
    assert superseded_lanes(own, own.current()) == {0}


def test_lanes_that_overlap_are_all_present() -> None:
    own = points([1.0, 1.0, 1.0], [0, 1, 0])
    assert superseded_lanes(own, own.current()) == frozenset()


def spark(numbers: Sequence[float], *, failed: Sequence[int] = ()) -> str:
    own = points(numbers, [0] * len(numbers), failed=failed)
    return sparkline(own, np.arange(len(own)))


def test_a_sparkline_runs_from_lowest_to_highest() -> None:
    assert spark([1.0, 2.0, 3.0]) == "0iz"


def test_a_sparkline_shows_failures_as_gaps() -> None:
    assert spark([1.0, 2.0, 3.0], failed=[1]) == "0-z"


def test_a_sparkline_of_equal_values_is_a_line_in_the_middle() -> None:
    assert spark([5.0, 5.0]) == "ii"


def test_a_sparkline_of_values_too_far_apart_for_a_float_is_drawn() -> None:
    assert len(spark([-1.7e308, 1.7e308])) == 2


def test_dirty_points_give_way_to_clean_ones() -> None:
    assert points([1.0, 2.0], [0, 0], dirty=[1]).current().tolist() == [0]
    assert points([2.0], [0], dirty=[0]).current().tolist() == [0]


def test_a_line_goes_through_the_newest_clean_point_of_a_commit_and_lane() -> None:
    own = points([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 0], dirty=[3])
    same = replace(own, commit=np.zeros(4, dtype=np.int32))
    assert same.main().tolist() == [False, True, True, False]


def test_a_value_is_shown_with_its_unit_and_half_width() -> None:
    assert shown_value(1.2345e-3, "s", Interval(1.23e-3, 1.239e-3)) == "1.2345 ms ± 0.36 %"


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_numbers_are_finite_or_none(value: float) -> None:
    shown = number(value)
    assert (
        shown is None
        if not math.isfinite(value)
        else math.isclose(shown or 0.0, value, rel_tol=1e-5, abs_tol=5e-324)
    )
