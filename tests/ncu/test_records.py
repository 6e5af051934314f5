from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.ncu.records import quoted_record, record_at, split

CELLS = st.lists(st.text(st.characters(exclude_characters="\r\0", codec="utf-8")), min_size=1, max_size=6)


@given(CELLS)
def test_what_is_written_is_read_whatever_the_cells_hold(cells: list[str]) -> None:
    lines = quoted_record(cells).split(b"\n")
    assert record_at(lines, 0) == (cells, len(lines))


def test_a_record_ends_where_its_quotes_do() -> None:
    lines = [b'"0","first', b'second","1"', b'"1","x","2"']
    assert record_at(lines, 0) == (["0", "first\nsecond", "1"], 2)


@pytest.mark.parametrize(
    "lines", [[b'"0","open'], [b'"0" x,"1"'], [b'"open', *[b"text"] * 600, b'"']], ids=["end", "after", "long"]
)
def test_text_that_is_no_whole_record_is_none(lines: list[bytes]) -> None:
    assert record_at(lines, 0) is None


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_delimiters_leave_commas_alone(delimiter: str) -> None:
    assert split(delimiter.join(("0", "1,5", '"a b"')), delimiter) == ["0", "1,5", "a b"]


def test_a_long_cell_is_read_and_the_setting_of_the_process_stays() -> None:
    before = csv.field_size_limit()
    assert split(f'"{"x" * (before + 1)}",1') == ["x" * (before + 1), "1"]
    assert csv.field_size_limit() == before
