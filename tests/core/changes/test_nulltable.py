from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from perftrack.core.changes.nulldata import ARCS, LEVELS, SPLITS
from perftrack.core.changes.nulltable import LONGEST, SHORTEST, arc_p, split_p


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
