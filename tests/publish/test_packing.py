"""Packed files: what goes in comes out, and equal content has equal bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.publish.packing import BASE, FIRST, FORMAT, PackedFile, as_text, format_with
from perftrack.publish.primer import PRIMER
from tests.publish import unpacking
from tests.publish.unpacking import binary, unpacked

integers = st.integers(-(2**52), 2**52)


def column(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


@given(st.binary(max_size=200))
def test_text_stands_for_its_bytes(data: bytes) -> None:
    assert binary(as_text(data).decode("utf-16-le"), len(data)) == data


def test_the_characters_end_no_string_and_are_whole() -> None:
    assert ord("\u2029") < FIRST  # the last that ends a line
    assert FIRST + BASE <= 0xD800  # the first surrogate


@given(st.lists(st.tuples(integers, integers), max_size=40), st.text(st.characters(exclude_categories=["Cs"])))
def test_a_file_reads_back(rows: list[tuple[int, int]], text: str) -> None:
    columns = {"b": column(*(r[0] for r in rows)), "a": column(*(r[1] for r in rows))}
    found = unpacked(PackedFile({"text": text}, columns).script())
    assert found.document == {"text": text}
    assert found.columns == {"b": [r[0] for r in rows], "a": [r[1] for r in rows]}


def test_the_browser_begins_with_the_same_primer() -> None:
    assert unpacking.PRIMER == PRIMER
    assert len(PRIMER) < 1 << 15  # a stored block holds twice that; a distance reaches no further


def test_files_after_another_primer_are_other_files() -> None:
    assert format_with(PRIMER) == FORMAT != format_with(PRIMER + b"x")


def test_what_the_primer_has_takes_next_to_no_room() -> None:
    document = {
        "latest": ["1.4 ms ± 2 %"],
        "verdict": ["inconclusive"],
        "notes": [[["clocks were not locked"], []]],
    }
    assert len(PackedFile(document).script()) < len(PackedFile({"y": [*range(10)]}).script()) + 60


def test_columns_of_zeros_take_no_room() -> None:
    few, many = (PackedFile({}, {"z": column(*[0] * n)}).script() for n in (1, 9999))
    assert len(many) - len(few) < 10


@pytest.mark.parametrize(
    "other",
    [
        PackedFile({"a": 2}, {"c": column(1, 2)}),
        PackedFile({"a": 1}, {"c": column(1, 3)}),
        PackedFile({"a": 1}, {"d": column(1, 2)}),
        PackedFile({"a": 1}),
    ],
)
def test_a_signature_is_of_everything_in_the_file(other: PackedFile) -> None:
    own = PackedFile({"a": 1}, {"c": column(1, 2)})
    assert own.signature() == PackedFile({"a": 1}, {"c": column(1, 2)}).signature()
    assert own.signature() != other.signature()
