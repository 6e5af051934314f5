"""Summaries per kernel: minimum, maximum and average over several launches."""

from __future__ import annotations

import pytest

from perftrack.core.launches.launch import Counter
from perftrack.errors import ProfileError
from perftrack.ncu.raw import FileKind
from tests.ncu.texts import DURATION, SELECTION, SPEED, SUMMARY, only, per_kernel, reading, row, value

TIME = (SPEED, "Duration", "us", "1.50", "3.50", "2.25")


def test_a_metric_is_its_average_with_minimum_and_maximum_beside_it() -> None:
    found = reading(per_kernel([TIME]))
    assert found.kind is FileKind.PER_KERNEL
    assert list(found.launches[0].counters) == [
        Counter("Duration", 2.25e-6, "s", SPEED),
        Counter("minimum of Duration", 1.5e-6, "s", SPEED),
        Counter("maximum of Duration", 3.5e-6, "s", SPEED),
    ]


def test_a_kernel_stands_for_as_many_launches_as_were_made() -> None:
    one = only(per_kernel([TIME], count="1,234"))
    assert (one.instances, one.kernel, one.grid, one.block) == (1234, "copy(float *)", (64, 1, 1), (256, 1, 1))


def test_each_kernel_and_shape_is_one_entry() -> None:
    other = per_kernel([TIME], kernel="add(int)").splitlines(keepends=True)[1]
    wider = per_kernel([TIME]).splitlines(keepends=True)[1].replace("(64, 1, 1)", "(128, 1, 1)")
    found = reading(per_kernel([TIME]) + other + wider)
    assert [(one.kernel, one.grid) for one in found.launches] == [
        ("copy(float *)", (64, 1, 1)),
        ("add(int)", (64, 1, 1)),
        ("copy(float *)", (128, 1, 1)),
    ]


def test_the_metrics_of_a_selection_have_their_own_names() -> None:
    one = only(per_kernel([(SELECTION, DURATION, "nsecond", "17,466,880.00", "17,480,032.00", "17,473,124.16")]))
    assert value(one, DURATION) == pytest.approx(17473124.16e-9, rel=1e-15)


def test_the_same_summary_twice_is_one() -> None:
    assert value(only(per_kernel([TIME]) * 2), "Duration") == 2.25e-6


def test_two_values_for_one_metric_of_a_kernel_are_refused() -> None:
    with pytest.raises(ProfileError, match=r"it\.csv:3: Duration of a kernel is in lines 2 and 3"):
        reading(per_kernel([TIME, (*TIME[:-1], "2.75")]))


def test_a_row_that_is_cut_off_is_refused() -> None:
    text = per_kernel([TIME])
    with pytest.raises(ProfileError, match=r"it\.csv:2: a row of 14 cells under the 15 titles of line 1"):
        reading(text[: text.rindex(',"2.25"')])


def test_titles_alone_are_no_summary() -> None:
    with pytest.raises(ProfileError, match=r"it\.csv:1: titles of a table and no rows"):
        reading(row(SUMMARY))
