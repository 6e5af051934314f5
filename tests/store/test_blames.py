"""Searches in the store, and the stored runs that they begin with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perftrack.core.model import Case, Direction, Interval, MeasurementTier, Status
from perftrack.core.search.blame import Blame
from perftrack.core.search.visits import Outcome
from perftrack.errors import StoreError, StoreMissingError
from perftrack.store import Store
from perftrack.store.blames import add_blame, past_runs, read_blames
from tests.core.builders import measured, process
from tests.store import builders

BLAME = Blame(
    case_id="total",
    metric="time",
    unit="s",
    direction=Direction.LOWER,
    good="a" * 40,
    bad="b" * 40,
    outcome=Outcome.FOUND,
    commits=("c" * 40,),
    probability=0.995,
    confidence=0.99,
    merge=False,
    before="d" * 40,
    after="c" * 40,
    effect=0.05,
    interval=Interval(0.04, 0.06),
    p_value=0.008,
    logs=True,
    explained=0.97,
    posterior=(("c" * 40, 0.995),),
    earlier=("e" * 40,),
    measurements=40,
    builds=7,
    seconds=12.5,
    seed=3,
    lane="lane",
    finished_at=100.0,
)


def test_a_blame_is_read_back_as_it_was(store: Store) -> None:
    nothing = replace(
        BLAME, outcome=Outcome.NOT_REPRODUCED, commits=(), posterior=(), earlier=(), finished_at=50.0
    )
    nothing = replace(nothing, effect=None, interval=None, p_value=None, explained=None)
    assert add_blame(store, nothing)
    assert add_blame(store, BLAME, [builders.commit("c" * 40)])
    assert read_blames(store) == (BLAME, nothing)
    assert read_blames(store, "total") == (BLAME, nothing)
    assert read_blames(store, "other") == ()
    assert [c.sha for c in store.commits()] == ["c" * 40]


def test_the_same_blame_is_stored_once(store: Store) -> None:
    assert add_blame(store, BLAME)
    assert not add_blame(store, BLAME)
    assert len(read_blames(store)) == 1


def test_a_store_is_made_for_the_first_blame(no_store: Store) -> None:
    assert add_blame(no_store, BLAME)
    assert read_blames(no_store) == (BLAME,)


def test_text_that_no_store_can_hold_is_refused(store: Store) -> None:
    with pytest.raises(StoreError):
        add_blame(store, replace(BLAME, case_id="half \ud800"))
    assert read_blames(store) == ()


def test_past_runs_have_the_process_medians_of_clean_good_runs(store: Store) -> None:
    case = Case("total")
    own = measured(case=case, value=1.6, processes=(process([1.0, 2.0], [3.0]), process([4.0, 5.0, 9.0])))
    store.add_run(builders.run(own, at=2))
    store.add_run(builders.run(measured(1.4, 1.6, case=case, value=1.5), at=1, sha="b" * 40))
    store.add_run(builders.run(measured(9.0, case=case, value=9.0), at=3, dirty=True))
    store.add_run(builders.run(measured(9.0, case=case, value=9.0, tier=MeasurementTier.C), at=4))
    store.add_run(builders.run(measured(9.0, case=Case("else"), value=9.0), at=5))
    store.add_run(builders.run(measured(case=case, status=Status.FAILED, value=None, fingerprint=None), at=6))
    first, second = past_runs(store, "total", "time")
    assert (first.sha, first.value) == ("b" * 40, 1.5)
    assert second.values == own.process_values == (2.25, 5.0)
    assert second.code_hash == own.code_hash
    assert past_runs(store, "total", "other") == ()


def test_without_a_store_reading_says_so(no_store: Store) -> None:
    with pytest.raises(StoreMissingError):
        past_runs(no_store, "total", "time")
