from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest

from perftrack.ceiling.grid import KEPT, Grid, Recorded, load_grid, merge, save_grid, thinned
from perftrack.ceiling.protocols import RigFacts
from perftrack.core.ceiling import DataType, Shape
from perftrack.errors import DeviceError, InvalidValueError
from tests.ceiling.made import burst

FACTS = RigFacts(
    "a card",
    DataType.BFLOAT16,
    unit_count=132,
    tile_hint=(128, 256),
    power_limit_w=700.0,
    telemetry="nvml",
    power_separates=True,
)


def entry(shape: Shape, rate: float = 7e14) -> Recorded:
    boost = burst([rate * 1.1, rate * 1.2, rate], shape=shape, clock=[1980.0, 1965.0, None])
    held = burst([rate] * 4, shape=shape, clock=None, power=690.0)
    return Recorded(replace(boost, ended_at=0.0), replace(held, ended_at=0.0), 2 * shape.flops / rate)


GRID = Grid(FACTS, tuple(entry(Shape(1024 * i, 2048, 4096)) for i in range(1, 5)))


def test_a_saved_grid_reads_back_the_same(tmp_path: Path) -> None:
    save_grid(tmp_path / "grid.npz", GRID)
    assert load_grid(tmp_path / "grid.npz") == GRID
    assert [p.name for p in tmp_path.iterdir()] == ["grid.npz"]


def test_a_grid_that_cannot_be_written_is_an_error_and_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "grid.npz"
    save_grid(path, GRID)

    def full(file: BinaryIO, **columns: object) -> None:
        file.write(b"PK")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(DeviceError, match="No space left"):
        save_grid(path, Grid(FACTS, GRID.entries[:1]))
    assert load_grid(path) == GRID
    assert [p.name for p in tmp_path.iterdir()] == ["grid.npz"]


def test_a_folder_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="can't write"):
        save_grid(tmp_path / "missing" / "grid.npz", GRID)


def test_thinning_keeps_evenly_spaced_iterations() -> None:
    long = burst([1e14 + i for i in range(1000)])
    short = thinned(long)
    assert len(short.seconds) == len(short.clock_mhz) == len(short.power_w) == KEPT
    assert np.mean(short.seconds) == pytest.approx(np.mean(long.seconds))
    assert thinned(short) == short
    assert thinned(burst([1e14] * 100, clock=None)).clock_mhz == ()


def test_parts_merge_and_the_first_of_a_repeated_shape_stays() -> None:
    first, second = Grid(FACTS, GRID.entries[:3]), Grid(FACTS, (entry(GRID.shapes[0], 1e14), GRID.entries[3]))
    merged = merge([first, second])
    assert set(merged.shapes) == set(GRID.shapes)
    assert next(e for e in merged.entries if e.shape == GRID.shapes[0]) == GRID.entries[0]


def test_grids_of_two_devices_do_not_merge() -> None:
    other = Grid(replace(FACTS, product="another"), GRID.entries)
    with pytest.raises(InvalidValueError, match="another"):
        merge([GRID, other])
    with pytest.raises(InvalidValueError, match="no grids"):
        merge([])


def columns(path: Path) -> dict[str, Any]:
    save_grid(path, GRID)
    with np.load(path) as archive:
        return dict(archive)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("shapes", np.zeros((4, 2), dtype=np.int64), "shapes of int64"),
        ("shapes", np.zeros((4, 3)), "shapes of float64"),
        ("shapes", np.zeros((4, 3), dtype=np.int64), "the smallest size 0"),
        ("shapes", np.zeros((0, 3), dtype=np.int64), "0 shapes"),
        ("held_period", np.array([1.0, 2.0, 3.0]), "for 4 shapes"),
        ("held_period", np.array([1.0, 2.0, 3.0, -1.0]), "a period that is no time"),
        ("boost_seconds", np.full((4, 3), np.nan), "no seconds"),
        ("held_seconds", np.full((4, 3), -1.0), "no time"),
        ("held_seconds", np.ones((4, 5000)), "a column of shape"),
        ("boost_clock", np.ones(4), "a column of shape"),
        ("meta", np.array('{"version": 99, "facts": {}}'), "version 99"),
        ("meta", np.array('{"version": 1, "facts": {"product": "x"}}'), "dtype|tile_hint"),
        ("meta", np.array("not json"), "JSONDecodeError"),
        ("meta", np.array([{"version": 1}], dtype=object), "allow_pickle"),
        ("boost_power", None, "boost_power"),
    ],
)
def test_a_damaged_or_hostile_file_is_refused_by_name(tmp_path: Path, name: str, value: Any, why: str) -> None:
    path = tmp_path / "grid.npz"
    arrays = columns(path)
    arrays[name] = value
    if value is None:
        del arrays[name]
    np.savez(path, **arrays)
    with pytest.raises(DeviceError, match=rf"grid\.npz is not a recorded grid: .*({why})"):
        load_grid(path)


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "grid.npz"
    path.write_bytes(b"PK\x03\x04 cut short")
    with pytest.raises(DeviceError, match="not a recorded grid"):
        load_grid(path)
    path.write_text("text")
    with pytest.raises(DeviceError, match="not a recorded grid"):
        load_grid(path)
    buffer = io.BytesIO()
    np.save(buffer, np.ones(3))
    path.write_bytes(buffer.getvalue())
    with pytest.raises(DeviceError, match="not a recorded grid"):
        load_grid(path)
    with pytest.raises(DeviceError, match="can't read"):
        load_grid(tmp_path / "missing.npz")


def test_the_meta_is_plain_json(tmp_path: Path) -> None:
    facts = json.loads(str(columns(tmp_path / "g.npz")["meta"]))["facts"]
    assert facts["product"] == "a card"
    assert facts["tile_hint"] == [128, 256]
