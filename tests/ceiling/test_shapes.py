from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.ceiling.shapes import check_dtype, grid, parse_range, parse_values, read_shapes
from perftrack.core.ceiling import DataType, Shape
from perftrack.errors import UsageError


def test_a_range_leaves_its_stop_out() -> None:
    assert parse_range("--m", (1024, 4096, 1024)) == (1024, 2048, 3072)


def test_a_range_without_a_step_goes_by_one() -> None:
    assert parse_range("--m", (5, 8)) == (5, 6, 7)


def test_a_range_from_zero_begins_at_its_step() -> None:
    assert parse_range("--m", (0, 1024, 256)) == (256, 512, 768)


@given(st.integers(0, 5000), st.integers(1, 5000), st.integers(1, 500))
def test_a_range_has_positive_sizes_in_order_below_its_stop(start: int, length: int, step: int) -> None:
    stop = start + length
    if (start or step) >= stop:
        return
    values = parse_range("--k", (start, stop, step))
    assert values[0] == (start or step)
    assert all(b - a == step for a, b in pairwise(values))
    assert stop - step <= values[-1] < stop


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ((1,), "expected START STOP"),
        ((1, 2, 3, 4), "expected START STOP"),
        ((), "expected START STOP"),
        ((1, 10, 0), "step must be at least 1"),
        ((-4, 10, 2), "must not be below 0"),
        ((10, 10, 1), "no value lies in this range"),
        ((10, 4), "no value lies in this range"),
        ((0, 5, 9), "no value lies in this range"),
        ((1, 10**30, 1), "sizes above"),
        ((1, 1_000_000, 1), "999999 values are more than"),
    ],
)
def test_a_range_that_is_none_is_refused_by_its_option(numbers: tuple[int, ...], why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        parse_range("--n", numbers)
    assert caught.value.message.startswith("--n")


def test_a_list_keeps_its_order_and_drops_repeats() -> None:
    assert parse_values("--m", (4096, 1024, 4096)) == (4096, 1024)


@pytest.mark.parametrize("numbers", [(), (0,), (-1,), (2**30,)])
def test_a_list_with_what_is_no_size_is_refused(numbers: tuple[int, ...]) -> None:
    with pytest.raises(UsageError, match="--m"):
        parse_values("--m", numbers)


def test_a_grid_is_the_product() -> None:
    assert grid((1, 2), (3,), (4, 5)) == (Shape(1, 3, 4), Shape(1, 3, 5), Shape(2, 3, 4), Shape(2, 3, 5))


def test_a_grid_without_values_names_the_dimension() -> None:
    with pytest.raises(UsageError, match="--n has no values"):
        grid((1,), (), (2,))


def test_a_grid_too_large_to_sweep_is_refused() -> None:
    with pytest.raises(UsageError, match="1000000 shapes"):
        grid(range(1, 101), range(1, 101), range(1, 101))


def test_a_file_may_separate_sizes_in_several_ways_and_have_comments(tmp_path: Path) -> None:
    path = tmp_path / "shapes.txt"
    path.write_text("﻿# sizes\n1536x2816x6144\n\n 1024, 2048 ,4096 # fat\n8 16 32\n1536X2816X6144\n1×2×3\n")
    assert read_shapes(path) == (
        Shape(1536, 2816, 6144), Shape(1024, 2048, 4096), Shape(8, 16, 32), Shape(1, 2, 3),
    )  # fmt: skip


@pytest.mark.parametrize(
    "line", ["1024x2048", "1x2x3x4", "axbxc", "0x1x1", "-1x2x3", "1.5x2x3", "1x2x99999999999999999"]
)
def test_a_line_that_is_no_shape_is_refused_with_file_and_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "shapes.txt"
    path.write_text(f"1x1x1\n{line}\n")
    with pytest.raises(UsageError, match=r"shapes\.txt:2: "):
        read_shapes(path)


def test_a_file_without_shapes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.txt"
    path.write_text("# nothing\n")
    with pytest.raises(UsageError, match="has no shapes"):
        read_shapes(path)


def test_a_missing_file_and_one_that_is_not_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_shapes(tmp_path / "missing")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_shapes(tmp_path / "binary")
    with pytest.raises(UsageError, match="Is a directory"):
        read_shapes(tmp_path)


def test_fp4_wants_k_in_whole_blocks_and_names_those_that_are_not() -> None:
    shapes = [Shape(128, 128, k) for k in (32, 33, 64, 100)]
    with pytest.raises(UsageError, match=r"multiple of 32, got 33, 100$"):
        check_dtype(shapes, DataType.NVFP4)
    check_dtype(shapes, DataType.MXFP8)
