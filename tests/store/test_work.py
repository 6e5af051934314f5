"""What cases declare of one call, as their newest measurement says."""

from __future__ import annotations

from dataclasses import replace

from perftrack.core.model import Cache
from perftrack.core.share import Work
from perftrack.store import Store
from tests.core.builders import measured
from tests.store.builders import run


def test_the_newest_declaration_of_a_case_and_metric_counts(store: Store) -> None:
    first = measured(1.0, value=1.0)
    for at, work in enumerate([(1e9, None), (2e9, 3e6), (None, None)]):
        flops, moved = work
        store.add_run(run(replace(first, flops=flops, bytes_moved=moved), at=1000.0 + at))
    found = store.declared_work()
    assert found == {(first.case.id, first.metric): Work(2e9, 3e6, cache=Cache(first.protocol.cache))}


def test_a_store_without_declarations_has_none(store: Store) -> None:
    store.add_run(run())
    assert store.declared_work() == {}
