from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from perftrack.core.changes import nulldata
from perftrack.core.changes.rankscan import RankSums
from tests.bench import null_table


def test_simulates_the_statistic_that_series_are_scanned_for() -> None:
    permutations = np.argsort(np.random.default_rng(1).random((20, 70)), axis=1)
    splits, arcs = null_table.statistics(permutations)
    for ranks, split, arc in zip(permutations, splits, arcs, strict=True):
        sums = RankSums(ranks.astype(np.float64))
        assert sums.best_split().statistic == pytest.approx(split, rel=1e-3)
        assert sums.best_arc().statistic == pytest.approx(arc, rel=1e-3)


@pytest.mark.parametrize("n", [26, 110])
def test_the_table_that_is_shipped_is_what_a_fresh_simulation_gives(n: int) -> None:
    rng = np.random.default_rng(2)
    found = null_table.statistics(np.argsort(rng.random((40_000, n)), axis=1))
    for statistics, table in zip(found, (nulldata.SPLITS, nulldata.ARCS), strict=True):
        for level, statistic in zip(nulldata.LEVELS[:9], table[n], strict=False):
            share = float((statistics >= statistic - 0.005).mean())
            assert share == pytest.approx(level, abs=4 * (level / 40_000) ** 0.5 + 0.03 * level)


def test_doubtful_values_are_drawn_to_their_neighbours_and_sure_ones_stay() -> None:
    lengths = (60, 120, 240, 480, 960)
    raw = {n: tuple(float(np.log(n)) - 3 * np.log(p) for p in null_table.LEVELS) for n in lengths}
    off = {**raw, 240: tuple(v + 1.0 for v in raw[240])}
    few = null_table.smoothed(off, dict.fromkeys(lengths, 2_000_000) | {240: 100})
    many = null_table.smoothed(off, dict.fromkeys(lengths, 2_000_000))
    assert few[240][8] == pytest.approx(raw[240][8], abs=0.1)
    assert many[240][0] == pytest.approx(off[240][0], abs=0.01)


def test_writes_the_module_that_is_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "nulldata.py"
    monkeypatch.setattr(null_table, "PERMUTATIONS", {10: 2000, 60: 2000, 90: 2000, 120: 2000})
    monkeypatch.setattr("sys.argv", ["null_table", "--scale", "0.5", "--output", str(output)])
    null_table.main()
    names: dict[str, object] = {}
    exec(compile(output.read_text(), output.name, "exec"), names)
    assert names["LEVELS"] == nulldata.LEVELS
    for table in (names["SPLITS"], names["ARCS"]):
        assert isinstance(table, dict)
        assert list(table) == [10, 60, 90, 120]
        assert all(list(row) == sorted(row) for row in table.values())
