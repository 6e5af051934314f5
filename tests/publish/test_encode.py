"""Data that pages carry: valid JSON that cannot leave its script element."""

import json
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from perftrack.publish.encode import columns, data_script, json_block


@dataclass(frozen=True, slots=True)
class Pair:
    left: str
    right: float | None


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_block_holds_no_markup_and_reads_back(text: str) -> None:
    block = json_block(Pair(text, 1.5))
    assert not set(block) & set("<>&")
    assert json.loads(block) == {"left": text, "right": 1.5}


def test_a_block_cannot_end_its_script_element() -> None:
    assert "</" not in json_block("</script><!--<script>")


def test_a_data_script_names_its_payload() -> None:
    assert (
        data_script("series/ab", Pair("x", None)) == b'perftrack.provide("series/ab",{"left":"x","right":null});\n'
    )


def test_a_data_script_escapes_line_separators() -> None:
    assert "\u2028".encode() not in data_script("a", "x\u2028y\u2029")


def test_numbers_that_json_has_not_become_null() -> None:
    assert json.loads(json_block([float("nan"), float("inf")])) == [None, None]


def test_columns_hold_one_list_per_field() -> None:
    assert columns(Pair, [Pair("a", 1.0), Pair("b", None)]) == {"left": ["a", "b"], "right": [1.0, None]}


def test_columns_of_no_rows_still_have_their_names() -> None:
    assert columns(Pair, []) == {"left": [], "right": []}
