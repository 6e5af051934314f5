"""Several tables of one file, put together launch by launch."""

from __future__ import annotations

import pytest

from perftrack.errors import ProfileError
from perftrack.ncu.raw import FileKind
from tests.ncu.texts import DURATION, READ, SPEED, details, only, raw, reading, selection, value

TIME = [(DURATION, "us", "1.50")]


def test_a_launch_in_a_raw_and_a_details_page_is_one_launch() -> None:
    found = reading(raw([(DURATION, "us")], [["1.50"]]) + details([[(SPEED, "DRAM Throughput", "%", "43.5")]]))
    (one,) = found.launches
    assert found.kind is FileKind.RAW
    assert (value(one, DURATION), value(one, "DRAM Throughput")) == (1.5e-6, 43.5)


def test_a_page_that_is_there_twice_counts_once() -> None:
    assert len(reading(selection([TIME, TIME]) * 2).launches) == 2
    assert len(reading(raw([(DURATION, "us")], [["1.50"]]) * 3).launches) == 1


def test_titles_that_are_repeated_start_the_table_again() -> None:
    head, first, second = selection([TIME, TIME]).splitlines(keepends=True)
    assert [one.id for one in reading(head + first + head + second).launches] == ["0", "1"]


def test_tables_that_print_one_value_to_different_digits_agree() -> None:
    one = only(selection([[(DURATION, "ns", "124,544")]]) + raw([(DURATION, "us")], [["124.54"]]))
    assert value(one, DURATION) == 124544e-9


def test_tables_that_disagree_on_a_value_are_refused() -> None:
    with pytest.raises(ProfileError, match=r"launch 0 is in the file twice: gpu__time_duration\.sum is"):
        reading(selection([TIME]) + raw([(DURATION, "us")], [["1.75"]]))


def test_tables_that_disagree_on_the_unit_are_refused() -> None:
    with pytest.raises(ProfileError, match="launch 0 is in the file twice"):
        reading(selection([[(READ, "byte", "7")]]) + raw([(READ, "sector")], [["7"]]))


def test_another_kernel_under_the_same_id_is_refused_with_both_lines() -> None:
    both = selection([TIME], kernel="a()") + selection([TIME], kernel="b()")
    with pytest.raises(
        ProfileError, match=r"it\.csv:4: launch 0 has kernel 'b\(\)', in line 2 'a\(\)'"
    ) as refused:
        reading(both)
    assert refused.value.hint == "One profile a file: split it at its second table."


def test_another_shape_under_the_same_id_is_refused() -> None:
    with pytest.raises(ProfileError, match="launch 0 has grid"):
        reading(selection([TIME]) + selection([TIME]).replace("(64, 1, 1)", "(65, 1, 1)"))


def test_what_one_table_does_not_know_of_a_launch_another_adds() -> None:
    with_name = raw([(DURATION, "us"), ("device__attribute_display_name", "")], [["1.50", "NVIDIA H200"]])
    assert only(selection([TIME]) + with_name).device == "NVIDIA H200"
