from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.ceiling.card import CardModel
from perftrack.ceiling.grid import save_grid
from perftrack.ceiling.model_rig import ModelRig
from perftrack.ceiling.recorder import record_grid
from perftrack.core.ceiling import DataType
from tests.bench import ceiling_search
from tests.ceiling.made import QUICK

RECORDED = Path(__file__).parents[1] / "data" / "h200" / "ceiling_grid_bf16.npz"


def test_the_reference_grid_is_large_enough_on_every_kind_of_card() -> None:
    for units in (60, 80, 108, 113, 132, 148, 304):
        shapes = ceiling_search.reference_shapes(units, (128, 256), DataType.BFLOAT16, 141 * 10**9)
        assert len(set(shapes)) == len(shapes) >= 1500


def test_a_model_card_is_searched_with_a_fifth_of_the_measurements(capsys: pytest.CaptureFixture[str]) -> None:
    (trial,) = ceiling_search.run_model(1, 6, ceiling_search.Tuning())
    assert trial.shapes >= 1500
    assert max(trial.shares) <= 0.2
    assert max(trial.misses) <= ceiling_search.WITHIN
    ceiling_search.show([trial])
    assert "MAMF: 1 of 1 within 0.1%" in capsys.readouterr().out


def test_a_recorded_grid_is_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = CardModel(seed=2)
    shapes = ceiling_search.reference_shapes(card.units, card.tile, card.dtype, card.memory_bytes)[::25]
    for part in (0, 1):
        save_grid(tmp_path / f"{part}.npz", record_grid(ModelRig(card), shapes[part::2], tuning=QUICK))
    assert ceiling_search.main(["replay", *map(str, sorted(tmp_path.glob("*.npz"))), "--seeds", "1"]) == 0
    shown = capsys.readouterr().out
    assert f"{len(shapes)} shapes recorded" in shown
    assert "MSMF: " in shown


def test_the_search_finds_the_best_of_a_real_card_s_grid_with_a_fifth_of_the_measurements() -> None:
    (trial,) = ceiling_search.run_replay([RECORDED], 1, ceiling_search.Tuning())
    assert trial.shapes == 1560
    assert max(trial.shares) <= 0.2
    assert max(trial.misses) <= ceiling_search.WITHIN
