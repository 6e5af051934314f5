"""Text from outside that is shown on a line."""

from __future__ import annotations

import pytest

from perftrack.core.launches.words import on_line
from perftrack.core.text import flaw, printable

TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize("turn", TURNS)
def test_a_change_of_direction_is_spelled_out_and_no_name_has_one(turn: str) -> None:
    assert printable(f"a{turn}b") == f"a\\u{ord(turn):04x}b"
    assert "direction" in (flaw(f"a{turn}b") or "")


@pytest.mark.parametrize("nothing", ["\ufffe", "\uffff"])
def test_what_xml_cannot_hold_is_spelled_out(nothing: str) -> None:
    assert printable(f"a{nothing}b") == f"a\\u{ord(nothing):04x}b"
    assert "no character" in (flaw(f"a{nothing}b") or "")


def test_words_of_scripts_that_are_written_leftwards_stay_as_they_are() -> None:
    assert printable("\u0634\u0645\u0633 \u05e9\u05de\u05e9") == "\u0634\u0645\u0633 \u05e9\u05de\u05e9"


def test_one_line_stays_one_line_and_an_escape_sequence_is_no_command_to_the_terminal() -> None:
    assert on_line("a\nb\tc\x1b[31m\u2028d") == "a\\nb\\tc\\x1b[31m\\u2028d"
