from __future__ import annotations

from dataclasses import replace

from perftrack.ceiling.geometry import Layouts
from perftrack.ceiling.ranking import (
    boost_pairs,
    boost_pool,
    by_boost,
    by_clock,
    by_peak,
    by_sustained,
    merged,
    seeds,
    sustained_pairs,
    sustained_shortlist,
)
from perftrack.ceiling.readings import Reading
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import Shape
from tests.ceiling.made import reading

TUNING = Tuning()


def scouts(*readings: Reading) -> dict[Shape, Reading]:
    return {r.shape: r for r in readings}


def at(m: int, n: int = 1024, k: int = 1024) -> Shape:
    return Shape(m, n, k)


def many(count: int, **fields: float) -> dict[Shape, Reading]:
    return scouts(*(reading(at(1024 + i), 7e14 - i * 1e12, **fields) for i in range(count)))


def test_a_fast_scout_that_drew_little_is_discounted() -> None:
    seen = scouts(reading(at(1), 9e14, power=500.0), reading(at(2), 7e14, power=700.0))
    assert by_sustained(seen, TUNING) == (at(2), at(1))


def test_power_near_the_highest_costs_nothing() -> None:
    seen = scouts(reading(at(1), 7.1e14, power=685.0), reading(at(2), 7e14, power=700.0))
    assert by_sustained(seen, TUNING)[0] == at(1)


def test_without_power_the_rate_decides() -> None:
    seen = scouts(reading(at(1), 7e14, power=None), reading(at(2), 8e14, power=None))
    assert by_sustained(seen, TUNING)[0] == at(2)


def test_work_per_cycle_finds_what_the_power_limit_held_back() -> None:
    seen = scouts(reading(at(1), 7.5e14, clock=1900.0), reading(at(2), 7e14, clock=1600.0))
    assert by_clock(seen)[0] == at(2)
    assert by_peak(seen)[0] == at(1)
    assert by_boost(seen) == (at(2), at(1))


def test_work_per_cycle_without_clocks_is_the_peak() -> None:
    seen = scouts(reading(at(1), 7e14, peak=9e14, clock=None), reading(at(2), 8e14, clock=1600.0))
    assert by_clock(seen) == by_peak(seen) == (at(1), at(2))


def test_merging_takes_turns_and_keeps_each_once() -> None:
    assert merged([1, 2, 3], [3, 4], []) == (1, 3, 2, 4)
    assert merged() == ()


def test_outputs_at_boost_are_compared_at_equal_k() -> None:
    long = [reading(at(m, k=16384), r) for m, r in ((1, 8e14), (2, 8.1e14), (3, 8.2e14))]
    short = [reading(at(4, k=2048), 6e14), reading(at(5, k=2048), 5e14)]
    pairs = boost_pairs(scouts(*long, *short), replace(TUNING, promote_top=4))
    assert pairs == ((3, 1024), (2, 1024), (1, 1024), (4, 1024))


def test_outputs_that_lead_saturated_include_fast_ones_that_were_not_yet() -> None:
    seen = scouts(reading(at(1), 7e14), reading(at(2), 6.9e14), reading(at(3), 8e14, power=400.0))
    assert sustained_pairs(seen, replace(TUNING, promote_top=2)) == ((1, 1024), (3, 1024))


def test_seeds_come_from_both_regimes_and_half_are_wave_layouts() -> None:
    seen = many(20)
    last = at(1024 + 19)
    found = seeds(seen, {(last.m, last.n)}, replace(TUNING, refine_seeds=2))
    assert last in found
    assert at(1024) in found


def test_the_boost_pool_has_raw_leaders_then_each_layouts_best_ks() -> None:
    wave = [reading(at(2048, 2048, k), 1e14 + k) for k in (1024, 2048, 4096)]
    seen = {**many(10), **scouts(*wave)}
    layouts = (Layouts(1, ((2048, 2048),)),)
    pool = boost_pool(seen, layouts, replace(TUNING, boost_raw=3, boost_wave_k=2))
    assert pool[:3] == (at(1024), at(1025), at(1026))
    assert set(pool[3:]) == {at(2048, 2048, 4096), at(2048, 2048, 2048)}


def test_the_boost_pool_has_long_shapes_that_no_scout_speaks_for() -> None:
    long = (at(2048, 2048, 40960),)
    assert boost_pool(many(60), (), replace(TUNING, boost_raw=3, boost_screen_max=4), long=long)[3:] == long


def test_the_boost_pool_is_bounded() -> None:
    seen = many(60)
    layouts = tuple(Layouts(1, ((s.m, s.n),)) for s in seen)
    assert len(boost_pool(seen, layouts, replace(TUNING, boost_screen_max=17))) == 17


def test_low_wave_squares_and_fat_shapes_are_confirmed_however_they_scouted() -> None:
    slow_square, fat = at(1536, 2816, 6144), at(8192, 8192, 8192)
    seen = {
        **many(40),
        **scouts(reading(slow_square, 1e14), reading(at(1536, 2816, 4096), 0.5e14), reading(fat, 1e14)),
    }
    layouts = (Layouts(1, ((1536, 2816), (1408, 3072))),)
    shortlist = sustained_shortlist(seen, layouts, replace(TUNING, confirm_fat=1, confirm_top=4))
    assert shortlist[:2] == (slow_square, fat)
    assert len(shortlist) == 2 + 4


def test_both_orientations_of_a_square_are_confirmed() -> None:
    seen = {**many(40), **scouts(reading(at(1536, 2816), 1e14), reading(at(2816, 1536), 1e14))}
    shortlist = sustained_shortlist(seen, (Layouts(1, ((1536, 2816),)),), TUNING)
    assert {at(1536, 2816), at(2816, 1536)} <= set(shortlist)


def test_squares_of_many_waves_are_not_forced() -> None:
    seen = {**many(40), **scouts(reading(at(4096, 4000), 1e14))}
    shortlist = sustained_shortlist(
        seen, (Layouts(9, ((4096, 4000),)),), replace(TUNING, confirm_fat=0, confirm_top=6)
    )
    assert at(4096, 4000) in shortlist  # by its place among wave layouts
    assert len(shortlist) == 6


def test_few_scouts_are_all_confirmed() -> None:
    seen = many(2)
    assert set(sustained_shortlist(seen, (), TUNING)) == set(seen)
    assert set(boost_pool(seen, (), TUNING)) == set(seen)
