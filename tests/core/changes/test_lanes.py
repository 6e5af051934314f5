from __future__ import annotations

from dataclasses import replace

import pytest

from perftrack.core.changes.lanes import LaneTrend, lane_trends
from perftrack.core.history import Point, Series
from perftrack.core.model import Case, Direction, Interval, MeasurementTier, Status, Timer

POINT = Point("r", "a", 0.0, False, Status.OK, 1.0, None, MeasurementTier.B, (), (), "lane")
ORDER = {sha: at for at, sha in enumerate("abcdef")}


def point(sha: str, value: float | None = 1.0, **fields: object) -> Point:
    return replace(POINT, sha=sha, value=value, **fields)


def trends(*points: Point) -> tuple[LaneTrend, ...]:
    return lane_trends(Series(Case("x"), "time", "s", Direction.LOWER, (), "", points), ORDER)


def test_values_come_in_the_order_of_commits_not_of_runs() -> None:
    (found,) = trends(point("c", 3.0), point("a", 1.0), point("b", 2.0))
    assert found.values == (1.0, 2.0, 3.0)
    assert found.positions == (0, 1, 2)
    assert found.shas == ("a", "b", "c")


def test_each_environment_is_a_line_of_its_own() -> None:
    found = trends(point("a", 1.0), point("b", 9.0, lane="other"), point("c", 2.0))
    assert [(t.lane, t.values) for t in found] == [("lane", (1.0, 2.0)), ("other", (9.0,))]


def test_a_changed_benchmark_is_a_line_of_its_own() -> None:
    found = trends(point("a", code_hash="1"), point("b", code_hash="2"))
    assert [t.line for t in found] == [("lane", "1"), ("lane", "2")]


@pytest.mark.parametrize(
    "left_out",
    [
        point("b", None, status=Status.FAILED),
        point("b", dirty=True),
        point("b", lane=""),
        point("b", float("inf")),
        point("elsewhere"),
    ],
)
def test_what_is_no_result_of_the_line_is_left_out(left_out: Point) -> None:
    (found,) = trends(point("a"), left_out)
    assert found.shas == ("a",)


def test_the_newest_run_of_a_commit_counts() -> None:
    assert trends(point("a", 1.0), point("a", 2.0))[0].values == (2.0,)


def test_measuring_again_replaces_tier_c_and_is_not_replaced_by_it() -> None:
    doubtful = point("a", 9.0, tier=MeasurementTier.C)
    assert trends(doubtful, point("a", 1.0))[0].trusted == (True,)
    assert trends(point("a", 1.0), doubtful)[0].values == (1.0,)
    assert trends(doubtful, replace(doubtful, value=8.0))[0].values == (8.0,)


def test_counts_that_every_process_reads_alike_are_exact() -> None:
    alike = point("a", 5.0, interval=Interval(5.0, 5.0), processes=2)
    (found,) = trends(alike, replace(alike, sha="b"))
    assert found.exact(Timer.VALUE) is True
    assert found.exact(Timer.HOST) is None


@pytest.mark.parametrize(
    "other", [{"interval": Interval(4.0, 6.0), "processes": 2}, {"interval": None}, {"processes": 1}]
)
def test_one_run_that_does_not_agree_leaves_a_count_in_doubt(other: dict[str, object]) -> None:
    alike = point("a", 5.0, interval=Interval(5.0, 5.0), processes=2)
    (found,) = trends(alike, replace(alike, sha="b", **other))
    assert found.exact(Timer.VALUE) is None
