"""Series: which points, in what order, with what of the measurement they stand for."""

from __future__ import annotations

import dataclasses
import gc

import pytest

from perftrack.core.history import Point, Series, lane_of
from perftrack.core.model import Case, Direction, Interval, MeasurementTier, Reason, Run, Status
from perftrack.store import Store
from perftrack.store.rows import within_variance
from tests.core.builders import HERE, failed, measured
from tests.store import builders

ELSEWHERE = dataclasses.replace(HERE, cpu_model="Other 1")


def add(store: Store, *runs: Run) -> None:
    for run in runs:
        store.add_run(run)


def only(found: tuple[Series, ...]) -> Series:
    (series,) = found
    return series


def test_a_point_has_all_of_its_measurement_but_the_samples(store: Store) -> None:
    measurement = measured(
        1.0,
        1.2,
        1.3,
        value=1.1,
        interval=Interval(0.9, 1.4),
        tier=MeasurementTier.A,
        reasons=(Reason("a", "b"),),
        limitations=(Reason("c", "d"), Reason("e", "f")),
    )
    run = builders.run(measurement, dirty=True)
    add(store, run)
    assert only(store.series()).points == (
        Point(
            run_id=run.id,
            sha=run.sha,
            started_at=run.started_at,
            dirty=True,
            status=Status.OK,
            value=1.1,
            interval=Interval(0.9, 1.4),
            tier=MeasurementTier.A,
            reasons=measurement.reasons,
            limitations=measurement.limitations,
            lane=lane_of(measurement),
            within_variance=within_variance(measurement),
            processes=3,
        ),
    )


def test_a_failed_measurement_is_a_point_without_a_value(store: Store) -> None:
    add(store, builders.run(dataclasses.replace(failed(), fingerprint=None)))
    (point,) = only(store.series()).points
    assert (point.status, point.value, point.interval, point.within_variance, point.lane) == (
        Status.FAILED,
        None,
        None,
        None,
        "",
    )


def test_points_are_oldest_run_first(store: Store) -> None:
    add(store, *(builders.run(measured(value=float(at)), at=at) for at in (3, 1, 2)))
    assert [p.value for p in only(store.series()).points] == [1.0, 2.0, 3.0]


def test_a_series_runs_over_lanes_and_commits(store: Store) -> None:
    add(
        store,
        builders.run(measured(value=1.0), at=1),
        builders.run(measured(value=2.0, fingerprint=ELSEWHERE), at=2, sha="b" * 40),
    )
    series = only(store.series())
    assert [p.sha for p in series.points] == ["a" * 40, "b" * 40]
    assert series.lanes == (lane_of(measured()), lane_of(measured(fingerprint=ELSEWHERE)))


def test_there_is_a_series_for_each_metric_of_each_case(store: Store) -> None:
    other = Case("work", (("n", 16),))
    measurements = [measured(value=1.0), measured(value=2.0, metric="size"), measured(value=3.0, case=other)]
    add(store, builders.run(*measurements, at=1), builders.run(*measurements, at=2))
    found = store.series()
    assert [(s.case.id, s.metric) for s in found] == [
        ("work[n=8]", "time"),
        ("work[n=8]", "size"),
        ("work[n=16]", "time"),
    ]
    assert [[p.value for p in s.points] for s in found] == [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]


def test_every_point_of_many_series_is_in_its_own(store: Store) -> None:
    def value(n: int, at: int) -> float:
        return 1000.0 * n + at

    for at in range(1, 8):
        cases = [n for n in range(40) if (n + at) % 3]
        add(
            store, builders.run(*(measured(value=value(n, at), case=Case("b", (("n", n),))) for n in cases), at=at)
        )
    found = store.series()
    assert len(found) == 40
    for series in found:
        n = dict(series.case.params)["n"]
        assert isinstance(n, int)
        assert [p.value for p in series.points] == [value(n, at) for at in range(1, 8) if (n + at) % 3]


def test_what_a_series_is_called_comes_from_its_newest_run(store: Store) -> None:
    old = measured(unit="s", tags=("a",), source="old.py:1", threshold=0.1)
    new = measured(unit="B", direction=Direction.HIGHER, tags=("b", "c"), source="new.py:2", threshold=None)
    add(store, builders.run(new, at=2), builders.run(old, at=1))
    series = only(store.series())
    assert (series.unit, series.direction, series.tags, series.source, series.threshold) == (
        "B",
        Direction.HIGHER,
        ("b", "c"),
        "new.py:2",
        None,
    )


def test_parameters_are_in_the_order_of_the_newest_run(store: Store) -> None:
    first, second = Case("b", (("n", 1), ("m", 2))), Case("b", (("m", 2), ("n", 1)))
    add(store, builders.run(measured(case=first), at=1), builders.run(measured(case=second), at=2))
    assert only(store.series()).case == second


def test_one_case_by_its_id(store: Store) -> None:
    add(store, builders.run(measured(), measured(metric="size"), measured(case=Case("work"))))
    assert [(s.case.id, s.metric) for s in store.series(case="work[n=8]")] == [
        ("work[n=8]", "time"),
        ("work[n=8]", "size"),
    ]


def test_one_benchmark_by_its_name(store: Store) -> None:
    add(store, builders.run(measured(), measured(case=Case("work")), measured(case=Case("workshop"))))
    assert [s.case.id for s in store.series(benchmark="work")] == ["work[n=8]", "work"]


@pytest.mark.parametrize("name", ["", "%", "work%", "'; DROP TABLE runs; --", "no such"])
def test_a_name_that_is_not_there_has_no_series(store: Store, name: str) -> None:
    add(store, builders.run())
    assert store.series(case=name) == ()
    assert store.series(benchmark=name) == ()
    assert len(store.runs()) == 1


def test_names_are_data(store: Store) -> None:
    name = '\'; DROP TABLE runs; -- "[n=1]" \0 ü'
    add(store, builders.run(measured(case=Case(name))))
    assert [s.case.benchmark for s in store.series(benchmark=name)] == [name]


def test_points_share_what_they_have_in_common(store: Store) -> None:
    """Or a million points would hold a million copies of a run's id."""
    add(store, builders.run(measured(value=1.0), measured(value=2.0, metric="size")))
    one, two = (s.points[0] for s in store.series())
    assert one.run_id is two.run_id
    assert one.lane is two.lane
    assert one.reasons is two.reasons


def test_collecting_garbage_is_left_as_it_was(store: Store) -> None:
    add(store, builders.run())
    store.series()
    assert gc.isenabled()
    gc.disable()
    try:
        store.series()
        assert not gc.isenabled()
    finally:
        gc.enable()
