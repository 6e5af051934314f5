from __future__ import annotations

from dataclasses import replace

import pytest

from perftrack.core.changes.appraisal import CaseChange, WatchedLane, appraised, blamed, significant
from perftrack.core.changes.changepoint import ChangeKind, ChangePoint, Shift
from perftrack.core.changes.lanes import LaneTrend
from perftrack.core.changes.watch import Standing, WatchedChange
from perftrack.core.history import Point, Series
from perftrack.core.judgement import Verdict
from perftrack.core.model import Case, Direction, MeasurementTier, Status

POINT = Point("r", "a", 0.0, False, Status.OK, 1.0, None, MeasurementTier.B, (), (), "lane")


def change(at: int, before: float, after: float, **fields: object) -> ChangePoint:
    shift = Shift.UP if after > before else Shift.DOWN
    made = ChangePoint(at, at + 2, at + 1, 0.95, shift, before, after, after / before, None, 1e-8, ChangeKind.STEP)
    return replace(made, **fields)


def lane(
    *found: ChangePoint, direction: Direction = Direction.LOWER, n: int = 100, standing: Standing = Standing.ALERT
) -> WatchedLane:
    points = tuple(replace(POINT, sha=str(at)) for at in range(n))
    trend = LaneTrend(("lane", ""), points, tuple(range(n)))
    series = Series(Case("x"), "time", "s", direction, (), "", points)
    watched = tuple(WatchedChange(c, standing) for c in found)
    return WatchedLane(series, trend, 0.02, watched)


def standings(watched: WatchedLane) -> list[Standing]:
    return [c.standing for c in appraised(watched)]


@pytest.mark.parametrize(
    ("direction", "after", "verdict"),
    [
        (Direction.LOWER, 1.1, Verdict.REGRESSION),
        (Direction.LOWER, 0.9, Verdict.IMPROVEMENT),
        (Direction.HIGHER, 1.1, Verdict.IMPROVEMENT),
        (Direction.HIGHER, 0.9, Verdict.REGRESSION),
    ],
)
def test_the_metrics_direction_says_what_is_worse(direction: Direction, after: float, verdict: Verdict) -> None:
    (found,) = appraised(lane(change(50, 1.0, after), direction=direction))
    assert found.verdict is verdict
    assert found.alarming is (verdict is Verdict.REGRESSION)


def test_a_change_below_the_threshold_is_minor() -> None:
    assert standings(lane(change(50, 1.0, 1.015))) == [Standing.MINOR]
    assert standings(lane(change(50, 1.0, 1.025))) == [Standing.ALERT]


def test_without_a_ratio_no_threshold_applies() -> None:
    assert standings(lane(change(50, 0.0001, 1.0, ratio=None))) == [Standing.ALERT]


def test_a_regression_that_later_changes_took_back_has_recovered() -> None:
    back = lane(change(20, 1.0, 1.1), change(60, 1.1, 1.01))
    assert standings(back) == [Standing.RECOVERED, Standing.ALERT]


def test_half_of_it_taken_back_is_not_recovered() -> None:
    assert standings(lane(change(20, 1.0, 1.1), change(60, 1.1, 1.05)))[0] is Standing.ALERT


def test_recovery_goes_by_the_level_of_today() -> None:
    again = lane(change(20, 1.0, 1.1), change(50, 1.1, 1.0), change(80, 1.0, 1.1))
    assert standings(again) == [Standing.ALERT, Standing.ALERT, Standing.ALERT]


@pytest.mark.parametrize("standing", [Standing.ACCEPTED, Standing.PAST])
def test_what_was_accepted_or_is_past_stays_so(standing: Standing) -> None:
    assert standings(lane(change(50, 1.0, 1.001), standing=standing)) == [standing]


def test_many_quiet_lanes_need_a_surer_change() -> None:
    weak = lane(change(50, 1.0, 1.1, p_value=5e-4))
    assert significant([weak])[0].found
    assert not significant([weak, *[lane()] * 200])[0].found


def test_lanes_too_short_to_tell_do_not_count() -> None:
    weak = lane(change(50, 1.0, 1.1, p_value=5e-4))
    assert significant([weak, *[lane(n=5)] * 200])[0].found


def test_counts_make_no_room_for_noise_and_are_never_left_out() -> None:
    weak, exact = lane(change(50, 1.0, 1.1, p_value=5e-4)), lane(*[change(9, 1.0, 2.0, p_value=0.0)] * 5)
    found = significant([weak, *[exact] * 200, *[lane()] * 200])
    assert not found[0].found
    assert len(found[1].found) == 5


def placed(*codes: str | None, standing: Standing = Standing.ALERT, **fields: object) -> CaseChange:
    (made,) = appraised(lane(change(50, 1.0, 1.1, **fields), standing=standing))
    return blamed(made, codes)


def test_only_commits_that_changed_the_code_are_candidates() -> None:
    assert placed("a", "b", "b", "c").candidates == (50, 52)


def test_a_range_of_equal_code_is_a_suspect_that_says_so() -> None:
    found = placed("a", "a", "a", "a")
    assert (found.standing, found.candidates) == (Standing.SUSPECT, ())
    assert found.reasons[0].code == "equal-code-range"
    assert found.doubtful


def test_equal_code_does_not_open_what_was_accepted() -> None:
    assert placed("a", "a", "a", "a", standing=Standing.ACCEPTED).standing is Standing.ACCEPTED


def test_a_drift_is_no_commits_in_particular() -> None:
    assert placed("a", "a", "a", "a", kind=ChangeKind.GRADUAL).candidates == (50, 51, 52)
