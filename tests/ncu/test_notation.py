"""Numbers in the notations of locales, and the cells that decide which one a file is in."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from perftrack.errors import ProfileError
from perftrack.ncu.notation import Evidence, Mark, Sight, read_bytes, read_cell, sight


def evidence(*cells: str) -> Evidence:
    found = Evidence()
    for line, cell in enumerate(cells, 2):
        found.add(cell, line)
    return found


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("0", 0.0),
        ("268,444,160", 268444160.0),
        ("2,711,600,724,075.51", 2711600724075.51),
        ("5706.000000", 5706.0),
        ("-0.50", -0.5),
        ("1.5e-05", 1.5e-05),
        ("68,38,625", 6838625.0),
        ("50,43,432.20", 5043432.2),
        ("1\u202f234\u202f567", 1234567.0),
        ("1 234.5", 1234.5),
        ("1'234.5", 1234.5),
    ],
)
def test_a_number_with_a_decimal_point(cell: str, expected: float) -> None:
    assert read_cell(cell, Mark.POINT) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("117.344", 117344.0),
        ("56,06", 56.06),
        ("1.234.567,5", 1234567.5),
        ("0,123", 0.123),
        ("1\u00a0234,5", 1234.5),
    ],
)
def test_a_number_with_a_decimal_comma(cell: str, expected: float) -> None:
    assert read_cell(cell, Mark.COMMA) == expected


@pytest.mark.parametrize(
    "cell", ["", "  ", "n/a", "N/A", "nan", "-nan", "(!) nan", "(!) n/a", "no data", "inf", "-inf", "<null>"]
)
def test_what_the_profiler_had_no_value_for_is_missing(cell: str) -> None:
    assert read_cell(cell, Mark.POINT) is None


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("6,665 (33; 33; 44)", 6665.0),
        ("4,096 {2066}", 4096.0),
        ("1.20 {2040}", 1.2),
        ("{2040}", None),
        ("(33; 33)", None),
        ("n/a (1; 2)", None),
        ("no data {3}", None),
    ],
)
def test_an_instanced_cell_has_its_aggregate_as_value(cell: str, expected: float | None) -> None:
    assert read_cell(cell, Mark.POINT) == expected


@pytest.mark.parametrize(
    "cell",
    [
        "PolicySpread",
        "NVIDIA H200 (x)",
        "(256, 1, 1)",
        "0,1,2",
        "1_000",
        "0x183c",
        "1.2.3",
        "12 %",
        "٣",
        "NVIDIA {2}",
    ],
)
def test_text_stays_text(cell: str) -> None:
    assert read_cell(cell, Mark.POINT) == cell


@pytest.mark.parametrize("cell", ["56,06", "0,123", "1.234,5", "1.234.567", "1234,567"])
def test_a_cell_of_the_other_notation_is_never_read_as_another_number(cell: str) -> None:
    assert read_cell(cell, Mark.POINT) == cell


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("56.06", Sight.POINT),
        ("1,234.5", Sight.POINT),
        ("1,234,567", Sight.POINT),
        ("68,38,625", Sight.POINT),
        ("1234.567", Sight.POINT),
        ("0.123", Sight.POINT),
        ("56,06", Sight.COMMA),
        ("1.234,5", Sight.COMMA),
        ("1.234.567", Sight.COMMA),
        ("1 234,5", Sight.COMMA),
        ("117.344", Sight.EITHER_POINT),
        ("117,344", Sight.EITHER_COMMA),
        ("4,096 {2066}", Sight.EITHER_COMMA),
        ("117344", Sight.NOTHING),
        ("PolicySpread", Sight.NOTHING),
        ("0,1,2", Sight.NOTHING),
    ],
)
def test_what_a_cell_says_of_the_decimal_mark(cell: str, expected: Sight) -> None:
    assert sight(cell) is expected


def test_one_clear_cell_decides_for_those_that_could_be_either() -> None:
    assert evidence("117.344", "56,06").resolve("f.csv") is Mark.COMMA
    assert evidence("117,344", "56.06").resolve("f.csv") is Mark.POINT


def test_commas_before_three_digits_group_as_ncu_prints() -> None:
    assert evidence("124,544").resolve("f.csv") is Mark.POINT


def test_points_before_three_digits_alone_are_refused_with_cell_and_line() -> None:
    with pytest.raises(ProfileError, match=r"f\.csv:3: '117\.344' can be 117344") as refused:
        evidence("12", "117.344").resolve("f.csv")
    assert "LC_ALL=C" in (refused.value.hint or "")


def test_cells_that_contradict_each_other_are_refused_with_both_lines() -> None:
    with pytest.raises(ProfileError, match=r"f\.csv:4: '56,06' and '1\.5' \(line 2\)"):
        evidence("1.5", "7", "56,06").resolve("f.csv")


def test_cells_that_could_each_be_either_are_refused() -> None:
    with pytest.raises(ProfileError, match=r"f\.csv:3: '117\.344' and '1,024'"):
        evidence("1,024", "117.344").resolve("f.csv")


def printed(value: float, mark: Mark) -> str:
    text = f"{value:,.2f}"
    return text if mark is Mark.POINT else text.translate(str.maketrans(",.", ".,"))


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=8), st.sampled_from(Mark))
def test_what_a_locale_prints_is_read_back_in_the_notation_that_it_shows(values: list[float], mark: Mark) -> None:
    cells = [printed(value, mark) for value in values]
    assert evidence(*cells).resolve("f.csv") is mark
    assert [read_cell(cell, mark) for cell in cells] == [float(f"{value:.2f}") for value in values]


@given(st.text(alphabet="0123456789.,-+eE (){};'\u00a0\u202f%an/", max_size=24), st.sampled_from(Mark))
def test_bytes_are_read_as_their_text_is(cell: str, mark: Mark) -> None:
    assert read_bytes(cell.encode(), mark) == read_cell(cell, mark)


@given(st.text(alphabet="0123456789.,-+eE ()", max_size=24))
@example("1,000E0")
@example("1.000E0")
def test_no_cell_is_a_number_in_a_notation_that_it_rules_out(cell: str) -> None:
    if sight(cell) is Sight.COMMA:
        assert not isinstance(read_cell(cell, Mark.POINT), float)
    if sight(cell) is Sight.POINT:
        assert not isinstance(read_cell(cell, Mark.COMMA), float)


def test_a_cell_of_a_million_characters_takes_no_time() -> None:
    for cell in ("9" * 10**6, " 1" * 10**6 + ")", "1," * 10**6, "(" * 10**6 + ";)", "1 (" + "3; " * 10**6 + ")"):
        read_cell(cell, Mark.POINT)
        sight(cell)


@pytest.mark.parametrize("length", [300, 301, 309, 400, 401])
def test_digits_that_no_float_can_hold_are_text(length: int) -> None:
    digits = "9" * length
    read = read_bytes(digits.encode(), Mark.POINT)
    assert read == (float(digits) if length <= 300 else digits)
    assert read_cell(digits, Mark.POINT) == read
