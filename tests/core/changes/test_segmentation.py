from __future__ import annotations

import math

import numpy as np
import pytest

from perftrack.core.changes import segmentation, splitbound
from perftrack.core.changes.nulltable import split_p
from perftrack.core.changes.rankscan import RankSums
from perftrack.core.changes.segmentation import ALPHA, ARC_ALPHA, SPLIT_ALPHA, segment
from perftrack.core.changes.studentnoise import Spread
from perftrack.core.stats import Floats

NORMAL = Spread(5.0, 1.0)


def noise(seed: int, n: int = 200) -> Floats:
    return np.random.default_rng(seed).standard_normal(n)


def cuts(values: Floats, phi: float = 0.0) -> list[int]:
    return [cut.at for cut in segment(values, phi, NORMAL)]


def test_the_parts_of_the_chance_add_up() -> None:
    assert pytest.approx(ALPHA) == SPLIT_ALPHA + ARC_ALPHA


def test_nothing_changed_has_no_cut() -> None:
    assert sum(bool(cuts(noise(seed))) for seed in range(300)) <= 2


def test_a_step_is_one_cut() -> None:
    assert cuts(noise(1) + 4.0 * (np.arange(200) >= 70)) == [pytest.approx(70, abs=2)]


def test_both_edges_of_a_bump_are_cuts() -> None:
    values = noise(2)
    values[90:102] += 4.0
    assert cuts(values) == [pytest.approx(90, abs=2), pytest.approx(102, abs=2)]


def test_many_levels_are_all_found() -> None:
    levels = np.repeat([0.0, 5.0, 1.0, 8.0, 4.0, 0.0], 40)
    assert cuts(noise(3, 240) + levels) == [pytest.approx(40 * k, abs=2) for k in range(1, 6)]


def test_every_cut_is_less_likely_by_chance_than_the_limit() -> None:
    levels = np.repeat([0.0, 1.5, 0.0, 2.5], 50)
    for seed in range(20):
        assert all(0 < cut.p_value <= ALPHA for cut in segment(noise(seed) + levels, 0.0, NORMAL))


def test_autocorrelation_that_is_known_raises_no_alarm() -> None:
    rng = np.random.default_rng(4)
    alarms = {0.0: 0, 0.6: 0}
    for _ in range(60):
        values = np.zeros(200)
        for t in range(1, 200):
            values[t] = 0.6 * values[t - 1] + rng.standard_normal()
        for phi in alarms:
            alarms[phi] += bool(cuts(values, phi))
    assert alarms[0.0] >= 20
    assert alarms[0.6] <= 1


def test_short_series_have_no_cut() -> None:
    for n in range(14):
        assert cuts(np.arange(float(n))) == []


def test_values_without_spread_are_cut_where_they_change() -> None:
    assert [c.at for c in segment(np.repeat([1.0, 2.0], 30), 0.0, Spread(5.0, 0.0))] == [30]


def levelled(seed: int, n: int) -> Floats:
    """Noise with some steps and bumps of any size."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(n)
    for at in rng.integers(1, n, 4):
        values[at : at + rng.choice([5, 20, n])] += rng.choice([-40.0, -1.5, 0.0, 1.0, 4.0])
    return values


@pytest.mark.parametrize("n", [40, 200, 1500])
def test_what_is_not_looked_at_makes_no_difference(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [(levelled(seed, n), phi) for seed in range(25) for phi in (0.0, 0.3)]
    found = [segment(values, phi, NORMAL) for values, phi in cases]
    monkeypatch.setattr(segmentation, "arc_least", lambda p, n: -math.inf)
    monkeypatch.setattr(segmentation, "surely", lambda values, k, p: False)
    monkeypatch.setattr(splitbound, "surely", lambda values, k, p: False)
    assert [segment(values, phi, NORMAL) for values, phi in cases] == found
    assert sum(map(len, found)) >= 25


def test_a_step_too_sure_for_floats_is_one_cut() -> None:
    values = noise(5, 3000) + 50.0 * (np.arange(3000) >= 1400)
    (cut,) = segment(values, 0.0, NORMAL)
    assert (cut.at, cut.p_value) == (1400, 0.0)


def test_an_arc_is_found_beside_a_split_that_is_sure() -> None:
    values = noise(6, 600)
    values[200:313] += 8.0  # as long as an arc that is looked at
    first, second = segment(values, 0.0, NORMAL)
    assert first.p_value == second.p_value < split_p(RankSums(values).best_split().statistic, 600) / 1e6 < 1e-12


def test_a_cut_that_is_not_sure_enough_to_keep_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    values = noise(7, 300) + 8.0 * (np.arange(300) >= 100) + 1.5 * (np.arange(300) >= 220)
    assert cuts(values) == [pytest.approx(100, abs=1), pytest.approx(220, abs=5)]
    monkeypatch.setattr(segmentation, "KEEP_ALPHA", 1e-20)
    assert cuts(values) == [pytest.approx(100, abs=1)]
