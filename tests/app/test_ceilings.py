"""Which stored ceilings are in force."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from perftrack.app.ceilingruns import run_of
from perftrack.app.ceilings import ceilings_in_force, limits_of, stored_ceilings, without_ceilings
from perftrack.app.ceilingshow import show_ceilings
from perftrack.core.ceiling import DataType, Definition
from perftrack.core.share import StoredCeiling
from perftrack.errors import StoreMissingError
from perftrack.store import Store
from tests.app.ceiling_builders import CARD, COPY, MAMF, MSMF, device, part
from tests.core.builders import measured

OLD, NEW = "a" * 40, "b" * 40


class Kept:
    """A project's store, and nothing else of it."""

    def __init__(self, tmp_path: Path) -> None:
        self.store = Store(tmp_path / "s.duckdb")
        self.project: Any = SimpleNamespace(store=self.store)
        self._at = 1000.0

    def add(self, *parts: Any, sha: str = OLD, name: str = "cuda:0") -> str:
        self._at += 1
        run = run_of(device(*parts, name=name), sha, started_at=self._at)
        assert run is not None
        self.store.add_run(run)
        return run.id

    def held(self) -> dict[tuple[Definition, DataType | None], StoredCeiling]:
        own = ceilings_in_force(self.project).by_key.get(CARD.key_id, ())
        return {(c.definition, c.dtype): c for c in own}


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


BF16 = (Definition.MAMF, DataType.BFLOAT16)


def test_the_newest_of_each_definition_and_type_is_in_force(kept: Kept) -> None:
    kept.add(part(MAMF, MSMF, COPY))
    kept.add(part(replace(MAMF, value=8e14)), sha=NEW)
    held = kept.held()
    assert held[BF16].value == 8e14 and held[BF16].sha == NEW
    assert held[Definition.MSMF, DataType.BFLOAT16].sha == OLD
    assert held[Definition.COPY_DEVICE, None].value == 4.2e12


def test_of_several_cards_at_one_commit_the_fastest_counts(kept: Kept) -> None:
    kept.add(part(replace(MAMF, value=8.4e14)), name="cuda:0")
    kept.add(part(replace(MAMF, value=8.6e14)), name="cuda:1")
    kept.add(part(replace(MAMF, value=8.5e14)), name="cuda:2")
    assert kept.held()[BF16].value == 8.6e14


def test_a_search_that_was_cut_short_replaces_nothing(kept: Kept) -> None:
    kept.add(part(MAMF))
    kept.add(part(replace(MAMF, value=7e14, partial=True)), sha=NEW)
    assert kept.held()[BF16].value == 8.5e14


def test_a_tuned_definition_is_nobody_s_ceiling(kept: Kept) -> None:
    kept.add(part(replace(MAMF, protocol="v1/mamf-median5/boost_idle_s=0")))
    assert kept.held() == {}
    assert len(stored_ceilings(kept.project)) == 1


def test_each_environment_has_its_own(kept: Kept) -> None:
    other = replace(CARD, driver_version="590.0")
    kept.add(part(MAMF))
    kept.add(part(replace(MAMF, value=9e14), fingerprint=other), sha=NEW)
    assert kept.held()[BF16].value == 8.5e14
    assert ceilings_in_force(kept.project).by_key[other.key_id][0].value == 9e14


def test_results_of_the_environment_get_their_share(kept: Kept) -> None:
    kept.add(part(MAMF, COPY))
    held = ceilings_in_force(kept.project)
    work = measured(1e-3, value=1e-3, flops=4.25e11, fingerprint=CARD)
    assert held.shares(work)[0].value == pytest.approx(0.5)
    assert held.l2_bytes == {CARD.key_id: 60 << 20}


def test_a_store_that_is_not_there_has_no_ceilings(kept: Kept) -> None:
    assert stored_ceilings(kept.project) == ()
    assert ceilings_in_force(kept.project).by_key == {}
    assert limits_of(kept.project) == ()
    with pytest.raises(StoreMissingError):
        show_ceilings(kept.project)


def test_the_limits_of_a_recording_are_the_complete_validated_ones(kept: Kept) -> None:
    kept.add(part(replace(MAMF, validated=False), MSMF, COPY))
    assert {(k.dtype, k.rate) for k in limits_of(kept.project)} == {("bfloat16", 7.5e14), ("", 4.2e12)}


def test_shown_are_those_in_force_and_a_partial_one_that_nothing_better_replaced(kept: Kept) -> None:
    kept.add(part(MAMF))
    newer = kept.add(part(replace(MAMF, value=8e14), replace(MSMF, partial=True)), sha=NEW)
    shown = show_ceilings(kept.project)
    assert [(s.result.definition, s.run_id, s.in_force) for s in shown] == [
        (Definition.MAMF, newer, True), (Definition.MSMF, newer, False),
    ]  # fmt: skip
    assert len(show_ceilings(kept.project, everything=True)) == 3


def test_a_partial_one_is_not_shown_beside_a_complete_one(kept: Kept) -> None:
    kept.add(part(MSMF))
    kept.add(part(replace(MSMF, value=1e14, partial=True)), sha=NEW)
    assert [s.result.measurement.value for s in show_ceilings(kept.project)] == [7.5e14]


def test_a_gate_does_not_see_ceilings() -> None:
    run = run_of(device(part(MAMF)), OLD, started_at=0.0)
    assert run is not None
    own = measured(1e-3)
    assert without_ceilings([*run.measurements, own]) == (own,)
