from __future__ import annotations

from dataclasses import replace

import pytest

from perftrack.ceiling.candidates import HIGH_K, Outlook, first_look, long_shapes, neighbours, outlook, whole_k
from perftrack.ceiling.geometry import fits
from perftrack.ceiling.protocols import RigFacts
from perftrack.ceiling.space import space_of
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import DataType, Shape
from perftrack.errors import UsageError

FACTS = RigFacts("a card", DataType.BFLOAT16, unit_count=132, tile_hint=(128, 256), memory_bytes=140 * 10**9)
TUNING = Tuning()


def view(**facts: object) -> Outlook:
    return outlook(replace(FACTS, **facts), TUNING)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("missing", "named"),
    [({"unit_count": None}, "compute units"), ({"unit_count": 0}, "units"), ({"tile_hint": None}, "tile")],
)
def test_a_device_without_known_geometry_is_told_to_search_a_range(missing: dict[str, object], named: str) -> None:
    with pytest.raises(UsageError, match=named) as caught:
        view(**missing)
    assert "a card" in caught.value.message
    assert "--search grid" in (caught.value.hint or "")


def test_the_first_look_has_each_shape_once_and_all_are_in_the_space() -> None:
    here = view()
    look = first_look(here, TUNING)
    assert len(set(look)) == len(look)
    assert all(s in here.space for s in look)


def test_every_wave_layout_is_looked_at_at_the_high_k_and_those_of_few_waves_at_a_short_one_too() -> None:
    here = view()
    look = set(first_look(here, TUNING))
    for layout in here.layouts:
        for m, n in layout.pairs:
            assert Shape(m, n, HIGH_K) in look
            short = any(Shape(m, n, k) in look for k in (2048, 3072, 6144))
            assert short == (layout.waves <= 8) or (m, n) in {(8192, 8192), (2048, 2048)}


def test_the_published_winners_family_is_among_the_first_looks() -> None:
    assert Shape(1536, 2816, 6144) in first_look(view(), TUNING)[:10]


def test_shapes_that_do_not_fit_the_memory_are_not_tried() -> None:
    small = view(memory_bytes=4 * 10**9)
    shapes = (*first_look(small, TUNING), *whole_k(small, [(16384, 16384)], [(16384, 16384)]))
    assert shapes
    assert all(fits(s, DataType.BFLOAT16, 4 * 10**9) for s in shapes)


def test_leaders_at_boost_get_long_ks_and_saturated_ones_short_ones_too() -> None:
    here = view()
    boost, held = whole_k(here, [(1536, 2816)], []), whole_k(here, [], [(1536, 2816)])
    assert max(s.k for s in boost) == 40960
    assert min(s.k for s in boost) > min(s.k for s in held) == 1024


def test_a_small_space_has_its_other_outputs_looked_at_up_to_the_number_wanted() -> None:
    grid = [
        Shape(m, n, k) for m in range(1024, 9217, 1024) for n in range(1024, 9217, 1024) for k in (4096, 16384)
    ]
    few, many = (
        first_look(outlook(FACTS, TUNING, space_of(grid)), replace(TUNING, probe_pairs=count))
        for count in (30, 60)
    )
    assert set(few) < set(many) <= set(grid)
    assert len({(s.m, s.n) for s in many}) == 60


def test_neighbours_of_all_seeds_come_once() -> None:
    here = view()
    seeds = [Shape(1536, 2816, 4096), Shape(1664, 2816, 4096)]
    around = neighbours(here, seeds, TUNING)
    assert len(set(around)) == len(around)
    assert set(seeds) <= set(around)  # each is next to the other
    assert Shape(1536, 2816, 5120) in around


def test_limits_of_size_hold() -> None:
    tuning = replace(TUNING, max_size=4096, max_k=8192)
    here = outlook(FACTS, tuning)
    look = first_look(here, tuning)
    assert max(max(s.m, s.n) for s in look) <= 4096
    assert max(s.k for s in look) <= 8192


def test_outputs_of_few_waves_are_to_be_screened_at_the_longest_k() -> None:
    here = view()
    long = long_shapes(here, TUNING)
    assert Shape(2816, 1536, 40960) in long
    assert {s.k for s in long} == {max(here.space.k)}
    few = {p for layout in here.layouts if layout.waves <= 2 for p in layout.pairs}
    assert {(s.m, s.n) for s in long} == few
