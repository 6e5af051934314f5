from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.ncu.quotedcells import QuotedCells
from perftrack.ncu.records import quoted_record, split

UNQUOTED = st.text(st.characters(exclude_characters='"\n\r\0', codec="utf-8"), max_size=8)


@given(st.lists(UNQUOTED, min_size=1, max_size=8))
def test_cells_are_those_of_the_record(cells: list[str]) -> None:
    row = QuotedCells.of(quoted_record(cells), len(cells))
    assert row is not None
    expected = [cell.encode() for cell in cells]
    assert [row[i] for i in range(len(row))] == list(row) == expected
    assert row[1:] == tuple(expected[1:])


@given(st.lists(st.text('",ab', max_size=4), min_size=1, max_size=4), st.integers(1, 5))
def test_a_row_is_taken_only_as_the_csv_module_reads_it(cells: list[str], width: int) -> None:
    record = ",".join(f'"{cell}"' for cell in cells)
    row = QuotedCells.of(record.encode(), width)
    if row is not None:
        assert split(record) == [cell.decode() for cell in row]
        assert len(row) == width


@pytest.mark.parametrize(
    "record", [b"", b'"', b'"0","1', b'0,"1"', b'"0";"1"', b'"0" ,"1"', b'"0","1",', b'"0","1"x', b'"0","a""b"']
)
def test_other_rows_are_left_to_the_record_reader(record: bytes) -> None:
    assert QuotedCells.of(record, 2) is None


def test_rows_of_any_length_are_taken() -> None:
    cells = ["x" * 20_000] * 9
    row = QuotedCells.of(quoted_record(cells), 9)
    assert row is not None
    assert [len(row[i]) for i in range(9)] == [20_000] * 9
