"""The points of all series as columns: the same as series give, point by point."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given, settings

from perftrack.core.history import Series
from perftrack.core.model import Case, Interval, MeasurementTier, Reason
from perftrack.core.pointtable import PointTable, table_of
from perftrack.core.renames import Renames, identity
from perftrack.store import Store
from tests.core.builders import HERE, failed, measured
from tests.store import builders

ELSEWHERE = replace(HERE, cpu_model="Other 1")


def points(table: PointTable) -> dict[object, list[tuple[object, ...]]]:
    """Everything about every point, by series."""
    found = {}
    for at, head in enumerate(table.heads):
        own = table.span(at)
        rows = zip(
            (table.runs[r] for r in table.run[own].tolist()),
            (table.facets[f] for f in table.facet[own].tolist()),
            *(map(repr, column[own].tolist()) for column in (table.value, table.lo, table.hi, table.within)),
            table.processes[own].tolist(),
            strict=True,
        )
        key = (identity(head.case, head.metric), head.unit, head.direction, head.tags, head.source, head.threshold)
        found[key] = list(rows)
    return found


def same(store: Store) -> bool:
    return points(store.point_table()) == points(table_of(store.series()))


def fill(store: Store) -> None:
    for at in range(4):
        names = ("a", "b") if at < 3 else ("b",)
        good = [
            measured(
                1.0 + at / 10,
                1.2,
                1.3,
                value=1.1 + at,
                interval=Interval(0.9, 2.4) if at else None,
                case=Case(name, (("n", n),)),
                tier=MeasurementTier.A if at % 2 else MeasurementTier.B,
                reasons=(Reason("a", f"b{at}"),),
                fingerprint=ELSEWHERE if at == 2 else HERE,
                code_hash=f"{at // 2}",
                tags=("old",) if at < 2 else ("new",),
            )
            for name in names
            for n in (1, 1.0, True, "1")
        ]
        store.add_run(builders.run(*good, failed(), at=1_700_000_000 + 60 * (at * 7 % 4), sha=f"{at:040x}"))


def test_a_table_holds_what_series_hold(store: Store) -> None:
    fill(store)
    assert same(store)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(run=builders.runs)
def test_whatever_is_stored(store: Store, run: object) -> None:
    store.add_run(run)  # type: ignore[arg-type]
    assert same(store)


def test_points_are_oldest_run_first(store: Store) -> None:
    fill(store)
    table = store.point_table()
    for at in range(len(table.heads)):
        assert (np.diff(table.run[table.span(at)]) >= 0).all()
    starts = [run.started_at for run in table.runs]
    assert starts == sorted(starts)


def test_series_are_in_reading_order(store: Store) -> None:
    sizes = [Case("b", (("n", n),)) for n in (100, 20, 3)]
    results = [measured(1.0, case=case, metric=metric) for case in sizes for metric in ("bytes", "time")]
    store.add_run(builders.run(*results))
    found = [(dict(head.case.params)["n"], head.metric) for head in store.point_table().heads]
    assert found == [(n, metric) for n in (3, 20, 100) for metric in ("time", "bytes")]


def test_a_benchmark_that_was_renamed_is_one_series(store: Store) -> None:
    fill(store)
    renamed = replace(store, renames=Renames({"a": "b"}))
    assert same(renamed)
    heads: list[Series] = list(renamed.point_table().heads)
    assert {h.case.benchmark for h in heads} == {"b", failed().case.benchmark}


def test_an_empty_store_has_an_empty_table(store: Store) -> None:
    table = store.point_table()
    assert (len(table), table.heads, table.bounds.tolist()) == (0, (), [0])


def test_details_have_settings_environments_and_outputs(store: Store) -> None:
    broken = replace(failed(), output="Traceback")
    run = builders.run(measured(1.0, 1.1, value=1.05), broken, settings={"quick": True})
    store.add_run(run)
    (detail,) = store.run_details().values()
    assert detail.settings == {"quick": True}
    assert [f for f, _ in detail.environments] == [HERE]
    assert detail.outputs == {(broken.case, "time"): "Traceback"}
    assert detail.sampled


def test_inside_a_snapshot_reading_takes_one_connection(store: Store) -> None:
    fill(store)
    with store.snapshot():
        before = store.runs()
        assert store.point_table().runs
        assert store.runs() == before
    fill_again = builders.run(at=1_800_000_000, sha="f" * 40)
    assert store.add_run(fill_again)
