from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.ceiling.card import CardModel
from perftrack.core.ceiling import Shape

CARD = CardModel(roughness=0.0)
SHAPES = st.builds(
    Shape,
    st.integers(8, 160).map(lambda i: 128 * i),
    st.integers(4, 80).map(lambda i: 256 * i),
    st.integers(1, 40).map(lambda i: 1024 * i),
)


def test_the_defaults_are_about_what_an_h200_does() -> None:
    at = CARD.sustained(Shape(8192, 8192, 8192))
    assert at.rate == pytest.approx(690e12, rel=0.03)
    assert at.clock_mhz == pytest.approx(1620, rel=0.03)
    assert at.power_w == pytest.approx(700, rel=0.01)


@given(SHAPES)
def test_sustained_is_within_the_power_limit_and_no_faster_than_boost(shape: Shape) -> None:
    at = CARD.sustained(shape)
    assert at.power_w <= CARD.power_limit_w
    assert CARD.low_clock_mhz <= at.clock_mhz <= CARD.top_clock_mhz
    assert at.rate <= CARD.boost_rate(shape) * (1 + 1e-12)


@given(SHAPES)
def test_a_hotter_card_settles_at_no_higher_clock(shape: Shape) -> None:
    assert CARD.settled_clock(shape, 80.0) <= CARD.settled_clock(shape, 40.0)


def test_short_products_hold_a_higher_clock_than_long_ones() -> None:
    assert CARD.sustained(Shape(1536, 2816, 6144)).clock_mhz > CARD.sustained(Shape(1536, 2816, 40960)).clock_mhz


def test_tiny_products_never_reach_the_limit() -> None:
    at = CARD.sustained(Shape(1024, 1024, 1024))
    assert at.clock_mhz == CARD.top_clock_mhz
    assert at.power_w < 0.9 * CARD.power_limit_w


def test_a_full_wave_beats_a_partial_one() -> None:
    assert CARD.boost_rate(Shape(1536, 2816, 16384)) > 1.5 * CARD.boost_rate(Shape(1536, 3072, 16384))


def test_locked_clocks_lower_what_is_reached() -> None:
    locked = replace(CARD, top_clock_mhz=1200.0)
    assert locked.boost_rate(Shape(8192, 8192, 8192)) < 0.65 * CARD.boost_rate(Shape(8192, 8192, 8192))


def test_seeds_draw_other_kernels_and_the_same_seed_the_same() -> None:
    shape = Shape(2048, 2048, 8192)
    assert CardModel(seed=1).share(shape) == CardModel(seed=1).share(shape)
    assert CardModel(seed=1).share(shape) != CardModel(seed=2).share(shape)


def test_what_does_not_fit_the_memory_is_known() -> None:
    assert CARD.fits(Shape(16384, 16384, 16384))
    assert not replace(CARD, memory_bytes=2 * 10**9).fits(Shape(16384, 16384, 16384))
