from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.ceiling.geometry import (
    alignment,
    aspect,
    fits,
    operand_bytes,
    padded,
    promise,
    round_up,
    tile_count,
    tile_efficiency,
    wave_count,
    wave_efficiency,
    wave_layouts,
)
from perftrack.core.ceiling import DataType, Shape

TILE = (128, 256)
SIZES = st.integers(1, 20_000)
UNITS = st.integers(1, 320)


def in_range(pair: tuple[int, int]) -> bool:
    return min(pair) >= 1024 and max(pair) <= 20480


@pytest.mark.parametrize(
    ("dtype", "elements"),
    [(DataType.BFLOAT16, 64), (DataType.FLOAT32, 32), (DataType.FLOAT8_E4M3FN, 128), (DataType.MXFP4, 256)],
)
def test_alignment_is_128_bytes_of_elements(dtype: DataType, elements: int) -> None:
    assert alignment(dtype) == elements


def test_outputs_are_padded_to_whole_tiles() -> None:
    assert padded(1000, 1000, TILE) == (1024, 1024)
    assert padded(1024, 1024, TILE) == (1024, 1024)


@given(SIZES, SIZES)
def test_rounding_up_is_the_least_multiple(value: int, step: int) -> None:
    found = round_up(value, step)
    assert found % step == 0
    assert 0 <= found - value < step


def test_a_full_wave_is_fully_used_and_one_tile_more_wastes_most_of_a_second() -> None:
    assert wave_efficiency(1536, 2816, 132, TILE) == 1.0  # 12 x 11 tiles
    assert wave_efficiency(1536, 3072, 132, TILE) == pytest.approx(144 / 264)


@given(SIZES, SIZES, UNITS)
def test_efficiencies_are_shares(m: int, n: int, units: int) -> None:
    assert 0 < wave_efficiency(m, n, units, TILE) <= 1
    assert 0 < tile_efficiency(m, n, TILE) <= 1


@given(SIZES, SIZES, UNITS)
def test_waves_hold_all_tiles_and_no_wave_is_empty(m: int, n: int, units: int) -> None:
    waves = wave_count(m, n, units, TILE)
    assert (waves - 1) * units < tile_count(m, n, TILE) <= waves * units


def test_a_tile_that_sticks_out_costs_as_much_as_a_whole_one() -> None:
    assert tile_efficiency(129, 256, TILE) == pytest.approx(129 / 256)


def test_the_best_single_wave_of_132_units_is_its_squarest_in_both_orientations() -> None:
    first = wave_layouts(132, TILE, in_range)[0]
    assert first.waves == 1
    assert set(first.pairs[:2]) == {(1536, 2816), (2816, 1536)}
    assert first.square == first.pairs[0]


@given(st.sampled_from([60, 80, 108, 113, 132, 148, 304]), st.integers(1, 16))
def test_layouts_fill_their_waves_to_94_percent_and_lie_in_range(units: int, most: int) -> None:
    for layout in wave_layouts(units, TILE, in_range, most=most):
        assert 1 <= len(layout.pairs) <= most
        assert len(set(layout.pairs)) == len(layout.pairs)
        for pair in layout.pairs:
            assert in_range(pair)
            assert wave_count(*pair, units, TILE) == layout.waves
            assert wave_efficiency(*pair, units, TILE) >= 0.94


def test_a_prime_unit_count_still_has_layouts() -> None:
    assert {layout.waves for layout in wave_layouts(113, TILE, in_range)} == set(range(1, 17))


def test_layouts_outside_of_the_usable_outputs_are_not_given() -> None:
    assert wave_layouts(132, TILE, lambda pair: pair == (1408, 3072))[0].pairs == ((1408, 3072),)
    assert wave_layouts(132, TILE, lambda pair: False) == ()


def test_a_full_square_promises_more_than_a_strip_and_than_a_partial_wave() -> None:
    square = promise((1536, 2816), 132, TILE)
    assert square > promise((16896, 256), 132, TILE)
    assert square > promise((1536, 3072), 132, TILE)


@given(SIZES, SIZES)
def test_aspect_does_not_mind_transposition(m: int, n: int) -> None:
    assert math.isclose(aspect((m, n)), aspect((n, m)))


def test_operands_count_both_inputs_the_result_twice_and_the_flushed_buffer() -> None:
    shape = Shape(1024, 2048, 4096)
    inputs, result = 2 * (1024 + 2048) * 4096, 2 * 1024 * 2048
    assert operand_bytes(shape, DataType.BFLOAT16) == inputs + 2 * result + 256 * 2**20
    assert operand_bytes(shape, DataType.NVFP4) == inputs / 4 + 2 * result + 256 * 2**20


def test_a_shape_fits_where_memory_is_unknown_and_not_into_too_little() -> None:
    big = Shape(20480, 20480, 40960)
    assert fits(big, DataType.BFLOAT16, None)
    assert fits(big, DataType.BFLOAT16, 80 * 10**9)
    assert not fits(big, DataType.BFLOAT16, 4 * 10**9)
