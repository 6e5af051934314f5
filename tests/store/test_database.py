"""What is stored once, what is found again, and what is said where nothing is."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import pytest

from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.history import Lane, lane_of
from perftrack.core.model import Cache as CacheState
from perftrack.core.model import Case, Protocol, Run, Status, Timer
from perftrack.errors import StoreError, StoreMissingError
from perftrack.store import Store
from tests.core.builders import HERE, failed, measured
from tests.store import builders

ELSEWHERE = dataclasses.replace(HERE, cpu_model="Other 1")


def add(store: Store, *runs: Run) -> tuple[Run, ...]:
    for run in runs:
        assert store.add_run(run, [builders.commit(run.sha)])
    return runs


def test_constructing_a_store_touches_nothing(tmp_path: Path) -> None:
    Store(tmp_path / "perftrack.duckdb")
    assert list(tmp_path.iterdir()) == []


def test_the_files_of_a_store_are_itself_and_what_it_leaves_beside_it(no_store: Store) -> None:
    no_store.add_run(builders.run())
    no_store.runs()
    left = set(no_store.path.parent.iterdir())
    assert left == {p for p in no_store.files if p.exists()}
    assert {p.name.removeprefix("perftrack.duckdb") for p in no_store.files} >= {
        "",
        ".lock",
        ".queue",
        ".wal",
        ".new",
    }


READERS = {
    "runs": lambda s: s.runs(),
    "run": lambda s: s.run("ab"),
    "latest_run": lambda s: s.latest_run(builders.SHA),
    "measurements": lambda s: s.measurements(builders.SHA),
    "series": lambda s: s.series(),
    "commits": lambda s: s.commits(),
    "measured_shas": lambda s: s.measured_shas(),
    "covered": lambda s: s.covered(),
    "lanes": lambda s: s.lanes(),
    "fingerprints": lambda s: s.fingerprints(),
    "case_ids": lambda s: s.case_ids(),
    "declared_work": lambda s: s.declared_work(),
    "profiles": lambda s: s.profiles(builders.SHA),
    "latest_profiles": lambda s: s.latest_profiles(builders.SHA),
    "newest_profiles": lambda s: s.newest_profiles(),
    "point_table": lambda s: len(s.point_table()),
    "run_details": lambda s: s.run_details(),
    "snapshot": lambda s: s.snapshot().__enter__(),
    "codes": lambda s: s.codes(),
    "known_renames": lambda s: s.known_renames().present,
}


@pytest.mark.parametrize("name", READERS)
def test_reading_without_a_store_says_what_makes_one_and_makes_none(no_store: Store, name: str) -> None:
    with pytest.raises(StoreMissingError, match="no store at") as caught:
        READERS[name](no_store)
    assert "perftrack record" in str(caught.value.hint)
    assert list(no_store.path.parent.iterdir()) == []


@pytest.mark.parametrize("name", sorted(READERS.keys() - {"run"}))
def test_reading_a_store_without_runs_finds_nothing(store: Store, name: str) -> None:
    assert not READERS[name](store)


def test_every_public_reader_is_tested_without_a_store() -> None:
    public = {n for n, v in vars(Store).items() if callable(v) and not n.startswith("_")}
    assert public - {"add_run", "add_profile", "upgrade"} == set(READERS)


def test_a_run_is_stored_once(store: Store) -> None:
    run = builders.run()
    assert store.add_run(run, [builders.commit()])
    before = store.path.read_bytes()
    assert not store.add_run(run, [builders.commit("b" * 40)])
    assert store.path.read_bytes() == before
    assert [r.id for r in store.runs()] == [run.id]
    assert len(store.measurements(run.sha)) == 1


def test_recording_again_adds_a_run(store: Store) -> None:
    one, two = add(store, builders.run(at=1), builders.run(at=2))
    assert [r.id for r in store.runs()] == [two.id, one.id]
    assert store.run(one.id) == one


def test_commits_environments_and_cases_are_stored_once(store: Store) -> None:
    add(store, builders.run(at=1), builders.run(at=2))
    assert len(store.commits()) == 1
    assert store.fingerprints() == {HERE.id: HERE}
    assert len(store.lanes()) == 1
    assert store.case_ids() == ("work[n=8]",)


def test_a_run_is_found_by_the_beginning_of_its_id(store: Store) -> None:
    one, two = add(store, builders.run(at=1), builders.run(at=2))
    assert store.run(two.id[:6]) == two
    assert store.run(one.id) == one


@pytest.mark.parametrize("wrong", ["", "zz", "%", "_", "' OR 1=1 --"])
def test_an_id_that_no_run_has_is_named(store: Store, wrong: str) -> None:
    add(store, builders.run())
    with pytest.raises(StoreError, match="no run") as caught:
        store.run(wrong)
    assert repr(wrong) in caught.value.message


def test_a_beginning_that_several_ids_have_is_ambiguous(store: Store) -> None:
    by_digit: dict[str, Run] = {}
    for at in itertools.count(1):
        second = builders.run(at=at)
        first = by_digit.setdefault(second.id[0], second)
        if first is not second:
            break
    add(store, first, second)
    with pytest.raises(StoreError, match="is ambiguous") as caught:
        store.run(first.id[0])
    assert first.id in caught.value.message
    assert second.id in caught.value.message


def test_summaries_count_by_status(store: Store) -> None:
    skipped = measured(status=Status.SKIPPED, case=Case("s"))
    (run,) = add(
        store, builders.run(measured(1.0), failed(), skipped, skipped, label="nightly", host="box", dirty=True)
    )
    (summary,) = store.runs()
    assert (summary.ok, summary.failed, summary.skipped) == (1, 1, 2)
    assert (summary.id, summary.sha, summary.label, summary.host) == (run.id, run.sha, "nightly", "box")
    assert (summary.started_at, summary.duration_s, summary.dirty) == (run.started_at, 2.5, True)


def test_a_run_that_measured_nothing_is_listed(store: Store) -> None:
    add(store, dataclasses.replace(builders.run(), measurements=()))
    assert [(r.ok, r.failed, r.skipped) for r in store.runs()] == [(0, 0, 0)]


def test_runs_of_one_commit(store: Store) -> None:
    one, _ = add(store, builders.run(at=1), builders.run(at=2, sha="b" * 40))
    assert [r.id for r in store.runs(one.sha)] == [one.id]
    assert store.runs("c" * 40) == ()


def test_the_latest_run_of_a_commit(store: Store) -> None:
    _, newer, _ = add(store, builders.run(at=1), builders.run(at=3), builders.run(at=2))
    assert store.latest_run(builders.SHA) == newer
    assert store.latest_run("b" * 40) is None


def test_measured_commits_have_a_measurement_that_succeeded(store: Store) -> None:
    add(
        store,
        builders.run(sha="a" * 40),
        builders.run(failed(), sha="b" * 40),
        builders.run(failed(), measured(1.0), sha="c" * 40),
    )
    assert store.measured_shas() == {"a" * 40, "c" * 40}


def test_commits_are_ordered_by_time(store: Store) -> None:
    late, early = builders.commit("a" * 40, at=20), builders.commit("b" * 40, at=10, parents=("c" * 40, "d" * 40))
    store.add_run(builders.run(), [late, early])
    assert store.commits() == (early, late)


# Newest measurements ------------------------------------------------------------------------------


def values(store: Store) -> list[float | None]:
    return [m.value for m in store.measurements(builders.SHA)]


def test_the_newest_measurement_of_a_case_and_metric_counts(store: Store) -> None:
    add(store, builders.run(measured(value=1.0), at=2), builders.run(measured(value=2.0), at=1))
    assert values(store) == [1.0]


def test_what_a_later_run_left_out_stays(store: Store) -> None:
    first = builders.run(measured(value=1.0), measured(value=2.0, case=Case("other")), at=1)
    add(store, first, builders.run(measured(value=3.0), at=2))
    assert values(store) == [3.0, 2.0]


def test_metrics_and_cases_are_told_apart(store: Store) -> None:
    case = Case("work", (("n", "8"),))
    add(
        store,
        builders.run(measured(value=1.0), measured(value=2.0, metric="size"), measured(value=3.0, case=case)),
    )
    assert values(store) == [1.0, 2.0, 3.0]


def test_a_case_is_the_same_in_whatever_order_its_parameters_are(store: Store) -> None:
    one, other = Case("b", (("n", 1), ("m", 2))), Case("b", (("m", 2), ("n", 1)))
    add(
        store,
        builders.run(measured(value=1.0, case=one), at=1),
        builders.run(measured(value=2.0, case=other), at=2),
    )
    assert [(m.value, m.case) for m in store.measurements(builders.SHA)] == [(2.0, other)]


def test_each_lane_has_its_newest(store: Store) -> None:
    event = Protocol(Timer.EVENT, CacheState.HOT)
    runs = [
        builders.run(measured(value=1.0), measured(value=2.0, protocol=event), at=1),
        builders.run(measured(value=3.0, fingerprint=ELSEWHERE), at=2),
        builders.run(measured(value=4.0), at=3),
    ]
    add(store, *runs)
    assert values(store) == [4.0, 3.0, 2.0]


def test_context_fields_do_not_make_a_lane(store: Store) -> None:
    moved = dataclasses.replace(HERE, host="other")
    add(store, builders.run(measured(value=1.0), at=1), builders.run(measured(value=2.0, fingerprint=moved), at=2))
    assert values(store) == [2.0]
    assert store.measurements(builders.SHA)[0].fingerprint == moved
    assert set(store.fingerprints()) == {HERE.id, moved.id}


def test_a_failure_without_environment_is_settled_by_a_newer_measurement(store: Store) -> None:
    broken = dataclasses.replace(failed(), fingerprint=None)
    add(store, builders.run(broken, at=1), builders.run(measured(value=1.0), at=2))
    assert values(store) == [1.0]


def test_a_failure_without_environment_counts_while_it_is_the_newest(store: Store) -> None:
    broken = dataclasses.replace(failed(), fingerprint=None)
    add(store, builders.run(measured(value=1.0), at=1), builders.run(broken, at=2))
    assert values(store) == [None, 1.0]


def test_measurements_of_another_commit_do_not_count(store: Store) -> None:
    add(store, builders.run(measured(value=1.0), at=1), builders.run(measured(value=2.0), at=2, sha="b" * 40))
    assert values(store) == [1.0]
    assert store.measurements("c" * 40) == ()


def test_newest_measurements_come_with_their_samples(store: Store) -> None:
    run, _ = add(store, builders.run(measured(1.0, 2.0, 3.0)), builders.run(measured(9.0), at=1, sha="b" * 40))
    assert store.measurements(run.sha) == run.measurements


# Lanes --------------------------------------------------------------------------------------------


def test_lanes_come_in_order_of_appearance_with_their_newest_environment(store: Store) -> None:
    moved = dataclasses.replace(HERE, host="other")
    newest = measured(fingerprint=moved)
    add(
        store,
        builders.run(measured(fingerprint=ELSEWHERE), at=5),
        builders.run(newest, at=6),
        builders.run(measured(), at=1),
    )
    first, second = store.lanes()
    assert first == Lane(lane_of(newest), moved, newest.protocol)
    assert second.fingerprint == ELSEWHERE


def test_a_measurement_without_environment_is_in_no_lane(store: Store) -> None:
    add(store, builders.run(measured(fingerprint=None)))
    assert store.lanes() == ()
    assert store.fingerprints() == {}


# What cannot be stored ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "measurement",
    [
        measured(float("nan")),
        measured(value=float("inf")),
        measured(output="\ud800"),
        measured(case=Case("b", (("n", 1), ("n", 2)))),
        measured(case=Case("\udcff")),
        measured(processes=(dataclasses.replace(measured(1.0).processes[0], inner_reps=2**63),)),
        measured(fingerprint=EnvironmentFingerprint(host="\ud800")),
    ],
    ids=["nan", "infinity", "surrogate", "twice", "name", "integer", "environment"],
)
def test_a_run_that_cannot_be_stored_is_refused_whole(store: Store, measurement: object) -> None:
    add(store, builders.run(at=1))
    with pytest.raises(StoreError, match=r"perftrack\.duckdb"):
        store.add_run(builders.run(measured(1.0), measurement, at=2), [builders.commit("b" * 40)])  # type: ignore[arg-type]
    assert [r.started_at for r in store.runs()] == [1.0]
    assert len(store.commits()) == 1


@pytest.mark.parametrize("field", ["host", "label", "perftrack_version"])
def test_text_of_a_run_that_is_no_unicode_is_refused(no_store: Store, field: str) -> None:
    with pytest.raises(StoreError, match="not Unicode text"):
        no_store.add_run(builders.run(**{field: "\ud800"}))
    assert not no_store.path.exists()


ASKED = {
    "runs": lambda s, x: s.runs(x),
    "run": lambda s, x: s.run(x),
    "latest_run": lambda s, x: s.latest_run(x),
    "measurements": lambda s, x: s.measurements(x),
    "case": lambda s, x: s.series(case=x),
    "benchmark": lambda s, x: s.series(benchmark=x),
}


@pytest.mark.parametrize("name", ASKED)
def test_asking_for_what_is_no_text_is_an_error_of_the_store(store: Store, name: str) -> None:
    add(store, builders.run())
    with pytest.raises(StoreError, match="nothing can be stored under"):
        ASKED[name](store, "\udcff")
