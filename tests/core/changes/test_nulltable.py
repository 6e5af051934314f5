from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from perftrack.core.changes.nulldata import ARCS, LEVELS, SPLITS
from perftrack.core.changes.nulltable import LONGEST, SHORTEST, arc_least, arc_p, split_p


def test_gives_the_level_at_a_length_and_statistic_of_the_table() -> None:
    for n in (60, 180, 1024):
        assert split_p(SPLITS[n][8], n) == pytest.approx(LEVELS[8])
        assert arc_p(ARCS[n][12], n) == pytest.approx(LEVELS[12])


def test_lies_between_the_lengths_on_either_side() -> None:
    statistic = 14.0
    assert split_p(statistic, 60) < split_p(statistic, 67) < split_p(statistic, 75)


def test_falls_with_the_statistic_and_goes_on_beyond_the_table() -> None:
    p_values = [split_p(statistic, 200) for statistic in np.arange(0.0, 100.0, 0.5)]
    assert p_values[0] == 1.0
    assert all(a >= b for a, b in pairwise(p_values))
    assert 0 < p_values[-1] < 1e-12


def test_is_never_below_that_of_two_halves_apart() -> None:
    """Of 14 values there are C(14, 7) ways to be the lower half: none is rarer than both ends."""
    assert split_p(1e6, 14) == pytest.approx(2 / math.comb(14, 7))


def test_lengths_outside_the_table_take_its_ends() -> None:
    assert split_p(9.0, LONGEST * 10) == split_p(9.0, LONGEST)
    assert arc_p(2.6, SHORTEST - 2) >= arc_p(2.6, SHORTEST)


def test_rows_rise_and_levels_fall() -> None:
    assert list(LEVELS) == sorted(LEVELS, reverse=True)
    assert LEVELS[-1] == 1e-5
    assert list(SPLITS) == list(ARCS) == sorted(SPLITS)
    for row in (*SPLITS.values(), *ARCS.values()):
        assert len(row) == len(LEVELS)
        assert list(row) == sorted(row)


@pytest.mark.parametrize("n", [14, 30, 57, 200, 2000])
def test_an_arc_that_is_less_likely_reaches_the_least_statistic(n: int) -> None:
    for p in (0.3, 2e-4, 1e-5, 1e-9, 1e-40, 1e-200):
        least = arc_least(p, n)
        for statistic in np.arange(0.0, 1200.0, 0.7):
            assert statistic >= least or arc_p(statistic, n) > p
        assert n < 57 or least == math.inf or arc_p(least + 4.0, n) <= p  # and one that is much less would not do


def test_every_arc_reaches_the_least_statistic_of_a_certainty() -> None:
    assert arc_least(1.0, 100) == -math.inf


def test_no_arc_is_less_likely_than_two_halves_apart() -> None:
    assert arc_least(0.9 * 2 / math.comb(30, 15), 30) == math.inf
    assert arc_least(1.1 * 2 / math.comb(30, 15), 30) < math.inf


def test_probabilities_that_floats_hardly_hold_are_not_told_apart() -> None:
    assert arc_least(0.0, 3000) == arc_least(5e-324, 3000) == arc_least(1e-301, 3000) < math.inf
