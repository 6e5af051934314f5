from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.ceiling.space import Space, device_space, space_of
from perftrack.core.ceiling import DataType, Shape

SPACE = device_space((128, 256), DataType.BFLOAT16, max_size=4096, max_k=8192)


def test_a_devices_space_has_whole_tiles_and_k_in_steps() -> None:
    assert SPACE.m[:2] == (128, 256)
    assert SPACE.n[:2] == (256, 512)
    assert SPACE.k == tuple(range(1024, 8193, 1024))
    assert (SPACE.m[-1], SPACE.n[-1]) == (4096, 4096)


def test_rows_are_aligned_for_narrow_types() -> None:
    space = device_space((128, 128), DataType.NVFP4, max_size=4096, max_k=8192)
    assert all(n % 256 == 0 for n in space.n)


@given(st.integers(1, 9000), st.integers(1, 9000), st.integers(1, 9000))
def test_the_nearest_shape_is_in_the_space_and_no_axis_value_is_nearer(m: int, n: int, k: int) -> None:
    found = SPACE.nearest(Shape(m, n, k))
    assert found is not None
    assert found in SPACE
    for axis, wanted, got in ((SPACE.m, m, found.m), (SPACE.n, n, found.n), (SPACE.k, k, found.k)):
        assert abs(got - wanted) == min(abs(a - wanted) for a in axis)


def test_a_recorded_space_holds_its_shapes_and_no_others() -> None:
    shapes = [Shape(1, 10, 100), Shape(2, 20, 100)]
    space = space_of(shapes)
    assert all(s in space for s in shapes)
    assert Shape(1, 20, 100) not in space
    assert space.nearest(Shape(1, 19, 90)) is None


def test_snapping_keeps_order_and_drops_repeats() -> None:
    space = Space((1024, 2048), (1024,), (1024,))
    wanted = [Shape(2000, 900, 900), Shape(1, 1, 1), Shape(2047, 1024, 1024)]
    assert list(space.snapped(wanted)) == [Shape(2048, 1024, 1024), Shape(1024, 1024, 1024)]


def test_neighbours_are_a_box_along_m_and_n_and_a_line_along_k() -> None:
    centre = Shape(1024, 1024, 4096)
    around = list(SPACE.around(centre, 1, 2))
    assert centre not in around
    assert len(around) == len(set(around)) == 8 + 4
    assert Shape(1152, 1280, 4096) in around
    assert Shape(1024, 1024, 6144) in around
    assert Shape(1152, 1024, 5120) not in around


@pytest.mark.parametrize("corner", [Shape(128, 256, 1024), Shape(4096, 4096, 8192)])
def test_neighbours_do_not_leave_the_space(corner: Shape) -> None:
    around = list(SPACE.around(corner, 1, 1))
    assert len(around) == 3 + 1
    assert all(s in SPACE for s in around)
