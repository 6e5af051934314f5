"""What the store knows of which commits were measured, where, and in what."""

from __future__ import annotations

from dataclasses import replace

from perftrack.core.ceiling import Definition
from perftrack.core.coverage import Covered
from perftrack.core.history import lane_of
from perftrack.core.model import Case
from perftrack.store import Store
from tests.core.builders import HERE, failed, measured
from tests.store import builders

A, B, C, D = ("abcd"[i] * 40 for i in range(4))
ELSEWHERE = replace(HERE, cpu_model="Other 1")
X = measured(1.0, 1.1, value=1.05, case=Case("x"))
CEILING = replace(X, case=Case("ceiling", (("definition", next(iter(Definition)).value),)))


def add(store: Store, *measurements: object, sha: str, at: float = 1.0, **fields: object) -> str:
    run = replace(builders.run(sha=sha, at=at, **fields), measurements=measurements)
    store.add_run(run, [builders.commit(sha)])
    return run.id


def test_measured_is_what_has_a_success_of_its_own_code_in_one_of_the_lanes(store: Store) -> None:
    other = replace(X, fingerprint=ELSEWHERE)
    add(store, X, sha=A)
    add(store, other, sha=B)
    add(store, X, sha=C, dirty=True)
    add(store, failed(), sha=D)
    assert store.measured_shas() == {A, B, C}
    assert store.measured_shas(clean=True) == {A, B}
    assert store.measured_shas([lane_of(X)], clean=True) == {A}
    assert store.measured_shas([]) == set()


def test_a_ceiling_makes_no_commit_measured_or_covered(store: Store) -> None:
    add(store, CEILING, sha=A)
    assert store.measured_shas() == set()
    assert store.measured_shas([lane_of(CEILING)]) == set()
    assert store.covered() == ()


def test_a_benchmark_that_happens_to_be_called_ceiling_counts(store: Store) -> None:
    add(store, replace(X, case=Case("ceiling", (("definition", "mine"),))), sha=A)
    assert store.measured_shas() == {A}


def test_a_run_covers_its_successes_by_environment(store: Store) -> None:
    run = add(
        store,
        X,
        replace(X, case=Case("y"), fingerprint=ELSEWHERE),
        replace(failed(), case=Case("z"), fingerprint=None),
        sha=A,
    )
    found = {(c.fingerprint, c.cases) for c in store.covered()}
    assert found == {(HERE, ("x",)), (ELSEWHERE, ("y",)), (None, ())}
    assert {(c.run_id, c.sha) for c in store.covered()} == {(run, A)}


def test_a_run_without_measurements_tells_its_machine(store: Store) -> None:
    run = add(store, sha=A, settings={"machine": "NVIDIA H200"})
    assert store.covered() == (Covered(run, A, "NVIDIA H200", None),)


def test_uncommitted_changes_cover_nothing(store: Store) -> None:
    add(store, X, sha=A, dirty=True)
    assert store.covered() == ()
