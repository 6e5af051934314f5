from __future__ import annotations

import pytest

from perftrack.errors import ProfileError
from perftrack.ncu.header import Header, header_at
from perftrack.ncu.remarks import Remarks
from tests.ncu import texts

TITLES = texts.row((*texts.LAUNCH, texts.DURATION), end="").encode()


def remarks(*lines: bytes) -> Remarks:
    """With all of these taken as lines of no table."""
    made = Remarks("a.csv", lines)
    for at in range(len(lines)):
        made.take(at)
    return made


def header() -> Header:
    found = header_at([TITLES], 0)
    assert found is not None
    return found


def test_messages_of_the_profiler_are_told_once_with_their_lines() -> None:
    found = remarks(
        b"==PROF== Connected", b"==WARNING== Slow", b"==ERROR== Failed", b"  ==WARNING== Slow", b"loss 1"
    )
    assert list(found.messages()) == [(1, "Slow"), (2, "Failed")]
    assert list(found.errors()) == [(2, "Failed")]
    assert found.warnings() == ("line 2: Slow", "line 3: Failed")


def test_many_warnings_are_cut_short() -> None:
    shown = remarks(*(b"==WARNING== number %d" % i for i in range(30))).warnings()
    assert (len(shown), shown[-1]) == (21, "and 10 more messages")


def test_the_note_of_unlocked_clocks_is_a_setting_and_no_warning() -> None:
    found = remarks(b"==WARNING== Note: Running with unmodified GPU clocks. If not controlled otherwise, ...")
    assert (found.clock_control, found.warnings()) == ("none", ())
    assert remarks(b"==PROF== Connected").clock_control == ""


def test_no_kernels_lists_what_was_offered() -> None:
    found = remarks(
        b"==WARNING== No kernels were profiled.", b"Available Kernels:", b"1. copy(float *)", b"  2. fill(int)"
    )
    assert found.no_kernels() == (0, ("copy(float *)", "fill(int)"))
    assert remarks(b"==PROF== Disconnected").no_kernels() is None


def test_control_characters_of_a_message_are_not_repeated() -> None:
    assert "\x1b" not in dict(remarks(b"==WARNING== \x1b[31mred").messages())[0]


@pytest.mark.parametrize("line", [b'"0","480"', b"12,480", b'"0'])
def test_a_row_that_does_not_fit_is_refused_with_its_line(line: bytes) -> None:
    with pytest.raises(ProfileError, match=r"^a\.csv:2: a row"):
        Remarks("a.csv", [TITLES, line]).take_row(1, header(), 2)


def test_output_among_rows_is_passed_over() -> None:
    found = Remarks("a.csv", [TITLES, b"loss, 0.25", b"==WARNING== x"])
    found.take_row(1, header(), 2)
    assert found.warnings() == ()


def test_rows_above_the_titles_are_refused() -> None:
    lines = [b"0 of 10", texts.row((*texts.launch(), "1.5"), end="").encode(), TITLES]
    found = Remarks("a.csv", lines)
    for at in (0, 1):
        found.take_orphan(at)
    with pytest.raises(ProfileError, match=r"^a\.csv:2: rows of a table without its titles"):
        found.check_orphans(header())


def test_numbers_above_the_titles_are_output() -> None:
    found = Remarks("a.csv", [b"0 of 10", b"1,2,3", TITLES])
    for at in (0, 1):
        found.take_orphan(at)
    found.check_orphans(header())
