"""Alerts that were reported, and who recorded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perftrack.core.changes.alert import Alert
from perftrack.core.history import lane_of
from perftrack.core.renames import Renames
from perftrack.errors import StoreError
from perftrack.store import Store
from perftrack.store.alerts import Origin, Source, add_alerts, read_alerts, read_origins, read_sources
from tests.core.builders import HERE, failed, measured
from tests.store import builders

ALERT = Alert("0123", "step", "x'; DROP TABLE alerts; --", "time", "lane", "up", "a" * 40, "b" * 40, "c" * 40)


def test_alerts_read_back_as_they_were_in_the_order_of_reporting(store: Store) -> None:
    other = replace(ALERT, id="0000")
    add_alerts(store, [ALERT], 1.0)
    add_alerts(store, [other], 2.0)
    assert read_alerts(store) == (ALERT, other)


def test_an_alert_that_is_there_is_not_added_again(store: Store) -> None:
    add_alerts(store, [ALERT, ALERT], 1.0)
    add_alerts(store, [replace(ALERT, last_sha="f" * 40)], 2.0)
    assert read_alerts(store) == (ALERT,)


def test_a_renamed_benchmark_keeps_its_alerts(store: Store) -> None:
    add_alerts(store, [replace(ALERT, subject="old[n=1]"), Alert("1", "host", "old")], 1.0)
    renamed = replace(store, renames=Renames.of({"new": ("old",)}))
    assert [a.subject for a in read_alerts(renamed)] == ["new[n=1]", "old"]


def test_an_alert_and_the_suspect_of_its_name_are_two(store: Store) -> None:
    suspect = replace(ALERT, kind="suspect")
    add_alerts(store, [suspect], 1.0)
    add_alerts(store, [ALERT], 2.0)
    assert read_alerts(store) == (suspect, ALERT)


def test_text_that_is_none_is_refused_and_nothing_kept(store: Store) -> None:
    with pytest.raises(StoreError, match="alert cannot be stored"):
        add_alerts(store, [ALERT, replace(ALERT, id="4567", subject="\ud800")], 1.0)
    assert read_alerts(store) == ()


def test_origins_are_those_of_the_runs_asked_for(store: Store) -> None:
    mine, other = builders.run(measured(value=1.0), at=1, perftrack_version="1.0"), builders.run(at=2)
    for run in (mine, other):
        store.add_run(run)
    lane = lane_of(measured())
    assert read_origins(store, [mine.id]) == {(mine.id, lane): Origin(HERE.id, "1.0")}
    assert read_origins(store, []) == {}


def test_sources_count_runs_and_keep_the_last(store: Store) -> None:
    for at in (1.0, 5.0, 3.0):
        store.add_run(builders.run(measured(value=at), measured(value=at, metric="size"), at=at, host="box"))
    store.add_run(builders.run(replace(failed(), fingerprint=None), at=9.0))
    assert read_sources(store) == (Source("", "", 1, 9.0), Source("box", HERE.id, 3, 5.0))
