from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from perftrack.core.search.bisection import Search
from perftrack.core.search.expectation import expected, likely_probes
from perftrack.core.search.visits import Phase
from tests.core.search.builders import QUICK, World, below, chain, graph

LINE = chain(256)


def test_the_forecast_before_anything_is_measured_is_about_right() -> None:
    settings = replace(QUICK, checks=0)
    forecast = expected(Search.begin(LINE, settings), 2.0).measurements
    spent = []
    for seed in range(6):
        world = World(below(LINE, f"c{40 * seed + 7}"), shift=2.0, seed=seed)
        spent.append(world.carry_out(Search.begin(LINE, settings, seed=seed)).spent.measurements)
    assert forecast == pytest.approx(np.mean(spent), rel=0.35)


def test_a_smaller_difference_takes_longer() -> None:
    search = Search.begin(LINE, QUICK)
    assert expected(search, 1.0).measurements > 2 * expected(search, 2.0).measurements


def test_the_forecast_falls_as_the_search_goes_on() -> None:
    world = World(below(LINE, "c99"), shift=2.0)
    search = world.until(Search.begin(LINE, QUICK), lambda s: s.phase is Phase.SEARCH)
    begun = expected(search).search
    search = world.until(search, lambda s: s.block.probability > 0.5)
    assert 0.0 < expected(search).search < 0.6 * begun


def test_nothing_is_to_come_after_the_end() -> None:
    search = World((), shift=0.0).carry_out(Search.begin(LINE, QUICK))
    assert expected(search).measurements == 0.0


def test_no_difference_at_all_has_a_forecast_that_is_finite() -> None:
    assert expected(Search.begin(LINE, QUICK), 0.0).reproduce == 120.0


def test_likely_probes_halve_and_quarter_the_range() -> None:
    assert likely_probes(Search.begin(LINE, QUICK), 3) == ("c127", "c63", "c191")


def test_likely_probes_leave_out_what_is_to_be_skipped() -> None:
    search = Search.begin(LINE, replace(QUICK, skip=tuple(f"c{n}" for n in range(100, 160))))
    assert likely_probes(search, 1)[0] in {"c99", "c160"}


def test_likely_probes_end_where_nothing_is_to_be_told() -> None:
    within = graph({"a": "good", "bad": "a"})
    assert likely_probes(Search.begin(within, QUICK), 9) == ("a",)
