from __future__ import annotations

from dataclasses import replace

from perftrack.core.history import Point, Series, lane_id, lane_of, reading_order
from perftrack.core.model import Case, Direction, MeasurementTier, Status
from tests.core.builders import HERE, HOST, VALUE, measured


def point(lane: str) -> Point:
    return Point("r", "0" * 40, 0.0, False, Status.OK, 1.0, None, MeasurementTier.B, (), (), lane)


def test_lane_is_twelve_digits_that_every_version_computes() -> None:
    assert lane_id(HERE, HOST) == "598025223215"


def test_lane_changes_with_the_key_and_the_protocol() -> None:
    other = replace(HERE, cpu_model="other")
    assert len({lane_id(e, p) for e in (HERE, other) for p in (HOST, VALUE, replace(HOST, version=2))}) == 6


def test_lane_does_not_change_with_the_context() -> None:
    assert lane_id(replace(HERE, host="elsewhere"), HOST) == lane_id(HERE, HOST)


def test_there_is_no_lane_without_an_environment() -> None:
    assert lane_id(None, HOST) == ""


def test_lane_of_a_measurement_is_that_of_its_environment_and_protocol() -> None:
    assert lane_of(measured(1.0)) == lane_id(HERE, HOST)


def test_series_lists_its_lanes_as_they_appear() -> None:
    points = tuple(point(lane) for lane in ("b", "", "a", "b", "c", "a"))
    series = Series(Case("work"), "time", "s", Direction.LOWER, (), "", points)
    assert series.lanes == ("b", "a", "c")


def test_cases_are_read_in_order_of_their_numbers() -> None:
    cases = [Case("b", (("n", n), ("dtype", t))) for n in (10, 9, 100.5) for t in ("f32", "bf16")]
    ordered = sorted(cases, key=lambda c: reading_order(c, "time", "s"))
    assert [dict(c.params)["n"] for c in ordered] == [9, 10, 100.5] * 2
    assert [dict(c.params)["dtype"] for c in ordered] == ["bf16"] * 3 + ["f32"] * 3


def test_parameters_of_mixed_types_can_be_ordered() -> None:
    cases = [Case("b", (("n", v),)) for v in (None, "x", 1, True, 2.5)]
    assert len(sorted(cases, key=lambda c: reading_order(c, "time", "s"))) == 5


def test_time_comes_before_other_metrics() -> None:
    metrics = sorted(["bytes", "time", "zeta"], key=lambda m: reading_order(Case("b"), m, "s"))
    assert metrics == ["time", "bytes", "zeta"]
