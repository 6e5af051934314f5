"""What goes in comes out: every run that there can be, to the last bit, under the id it went in by."""

from __future__ import annotations

import dataclasses
import itertools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.model import Case, Commit, Evidence, ProcessSamples, Run, Window
from perftrack.store import Store
from tests.core.builders import measured
from tests.store import builders


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One store for all examples: they are told apart by their ids."""
    return Store(tmp_path_factory.mktemp("store") / "perftrack.duckdb")


def stored(store: Store, run: Run) -> Run:
    store.add_run(run)
    return store.run(run.id)


@given(run=builders.runs)
@settings(max_examples=30)
@example(run=builders.run(measured(1.0, output="trailing zero\0", tags=("\0", "a\0b"))))
@example(run=builders.run(measured(1.0, case=Case("b", (("z", 1), ("a", 1.0), ("t", True), ("s", "1"))))))
@example(run=builders.run(measured(-0.0, value=-0.0)))
def test_a_run_reads_back_as_it_was(shared: Store, run: Run) -> None:
    back = stored(shared, run)
    assert back == run
    # The id tells apart what equality does not: 1 from 1.0 and True, -0.0 from 0.0.
    assert back.id == run.id


def test_cases_that_python_takes_for_equal_stay_apart(shared: Store) -> None:
    run = builders.run(*(measured(1.0, case=Case("b", (("n", n),))) for n in (1, 1.0, True, "1")))
    assert [m.case.params[0][1] for m in stored(shared, run).measurements] == [1, 1.0, True, "1"]
    assert [type(m.case.params[0][1]) for m in shared.run(run.id).measurements] == [int, float, bool, str]


def test_environments_that_python_takes_for_equal_stay_apart(shared: Store) -> None:
    environments = [EnvironmentFingerprint(ecc=v) for v in (1, True)]
    back = stored(shared, builders.run(*(measured(1.0, fingerprint=e) for e in environments)))
    assert [type(m.fingerprint.ecc) for m in back.measurements if m.fingerprint] == [int, bool]


def test_a_run_keeps_its_id_where_its_environment_was_stored_with_another_kind_of_number(shared: Store) -> None:
    for limit in (700.0, 700):
        run = builders.run(measured(1.0, fingerprint=EnvironmentFingerprint(power_limit_w=limit)), at=limit + 1)
        assert stored(shared, run).id == run.id


def test_parameters_keep_the_order_they_were_declared_in(shared: Store) -> None:
    one = Case("b", (("n", 1), ("dtype", "bf16")))
    other = Case("b", (("dtype", "bf16"), ("n", 1)))
    back = stored(shared, builders.run(measured(1.0, case=one), measured(2.0, case=other)))
    assert [m.case for m in back.measurements] == [one, other]


def test_a_metric_that_returned_whole_numbers_keeps_its_id(shared: Store) -> None:
    process = ProcessSamples(0, (Window((3, 4), Evidence(clock_mhz=(1980,), power_w=700)),))
    run = builders.run(measured(value=3, processes=(process,), threshold=0), at=5)
    assert stored(shared, run).id == run.id


@pytest.mark.parametrize("bits", [None, 0, 1, 2**63, 2**64 - 1])
def test_telemetry_that_read_zero_is_not_telemetry_that_was_not_read(shared: Store, bits: int | None) -> None:
    evidence = Evidence(event_reasons=bits, throttle_s=None if bits is None else 0.0)
    process = ProcessSamples(0, (Window((1.0,), evidence),))
    back = stored(shared, builders.run(measured(processes=(process,))))
    assert back.measurements[0].processes[0].windows[0].evidence == evidence


def test_a_run_without_measurements_is_a_run(shared: Store) -> None:
    run = dataclasses.replace(builders.run(), measurements=())
    assert stored(shared, run) == run


moments = itertools.count(1)
seen: dict[str, Commit] = {}


@given(
    commit=st.builds(
        Commit,
        sha=st.text("0123456789abcdef", min_size=40, max_size=40),
        parents=st.lists(st.text("0123456789abcdef", min_size=40, max_size=40), max_size=4).map(tuple),
        author=builders.texts,
        author_time=st.integers(-(2**63), 2**63 - 1),
        commit_time=st.integers(-(2**63), 2**63 - 1),
        subject=builders.texts,
    )
)
@settings(max_examples=10)
def test_a_commit_reads_back_as_it_was(shared: Store, commit: Commit) -> None:
    shared.add_run(builders.run(at=next(moments)), [commit, builders.commit("f" * 40)])
    # A sha stands for one commit: what it was first stored with stays.
    first = seen.setdefault(commit.sha, commit)
    assert {c.sha: c for c in shared.commits()}[commit.sha] == first


def test_a_large_run_reads_back_as_it_was(shared: Store) -> None:
    """More rows than one of DuckDB's vectors holds."""
    windows = tuple(Window(tuple(1e-6 * (i + j) for j in range(i % 7))) for i in range(30))
    many = tuple(ProcessSamples(i, windows) for i in range(3))
    run = builders.run(
        *(measured(case=Case("b", (("n", n),)), processes=many, output=f"{n}\n" * 50) for n in range(60))
    )
    assert stored(shared, run) == run
