"""Data that files carry: one list a field, and JSON that every browser reads."""

import json
from dataclasses import dataclass

from perftrack.publish.encode import columns, json_bytes, json_fields, number


@dataclass(frozen=True, slots=True)
class Pair:
    left: str
    right: float | None


def test_numbers_that_json_has_not_become_null() -> None:
    assert json.loads(json_bytes([float("nan"), float("inf")])) == [None, None]


def test_columns_hold_one_list_per_field() -> None:
    assert columns(Pair, [Pair("a", 1.0), Pair("b", None)]) == {"left": ["a", "b"], "right": [1.0, None]}


def test_columns_of_no_rows_still_have_their_names() -> None:
    assert columns(Pair, []) == {"left": [], "right": []}


def test_the_fields_of_one_value_keep_their_names() -> None:
    assert json_fields(Pair("a", None)) == {"left": "a", "right": None}


def test_numbers_are_rounded_and_small_ones_stay_above_zero() -> None:
    assert (number(123456.789), number(0.123456789, 3), number(4.9406e-324, 3)) == (123457.0, 0.123, 5e-324)
    assert number(float("nan")) is None and number(None) is None
