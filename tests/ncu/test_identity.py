"""Which launch a row is of."""

from __future__ import annotations

import pytest

from perftrack.ncu.identity import dim3, nvtx
from tests.ncu.texts import DURATION, LAUNCH, METRIC, SELECTION, launch, only, reading, row, selection

REST = ":none" * 6


@pytest.mark.parametrize("text", ["(65536, 2, 1)", "65536, 2, 1", "65536,    2,    1", "(65536,2,1)"])
def test_a_shape_is_three_numbers(text: str) -> None:
    assert dim3(text) == (65536, 2, 1)


@pytest.mark.parametrize("text", ["", "256", "(1, 2)", "(1, 2, 3, 4)", "(a, b, c)", "(1.5, 1, 1)"])
def test_anything_else_is_no_shape(text: str) -> None:
    assert dim3(text) is None


def test_a_shape_that_cannot_be_read_is_listed() -> None:
    text = selection([[(DURATION, "us", "1.5")]]).replace("(64, 1, 1)", "sixty-four")
    one = only(text)
    assert one.grid is None
    assert one.unparsed == ("grid: 'sixty-four' is no shape",)


@pytest.mark.parametrize(
    ("pushed", "expected"),
    [
        ("", ""),
        (f'1  "<default domain>:step{REST}" ', "step"),
        (f'1  "<default domain>:outer{REST}"  "<default domain>:inner{REST}" ', "outer/inner"),
        (f'1  "<default domain>:a:b{REST}" ', "a:b"),
        (f'1  "torch:step{REST}" ', "torch@step"),
        (f'1  "torch:step{REST}"  "<default domain>:a{REST}" ', "a,torch@step"),
        ('1  "<default domain>:step"', "step"),
    ],
)
def test_ranges_are_spelled_as_the_profiler_filters_them(pushed: str, expected: str) -> None:
    assert nvtx(pushed, "") == expected


def test_ranges_that_were_started_follow_those_that_were_pushed() -> None:
    started = f'  "0:<default domain>:x{REST}"  "1:io:y{REST}" '
    assert nvtx(f'1  "<default domain>:step{REST}" ', started) == "step,x,io@y"


def test_launches_of_several_processes_may_have_the_same_ids() -> None:
    one, other = (selection([[(DURATION, "us", v)]], process=p) for p, v in ((7, "1.5"), (8, "2.5")))
    found = reading(one + other.split("\n", 1)[1])
    assert [(x.process, x.id, next(iter(x.counters)).value) for x in found.launches] == [
        ("7", "0", 1.5e-6),
        ("8", "0", 2.5e-6),
    ]


def test_template_arguments_are_kept() -> None:
    name = "void fma_chain<float, 512>(T1 *, T1, T1)"
    assert only(selection([[(DURATION, "us", "1.5")]], kernel=name)).kernel == name


def test_old_releases_have_a_time_and_no_shape() -> None:
    titles = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time", "Context", "Stream")
    cells = (*launch(0)[:5], "2020-May-29 12:02:46", "1", "7", SELECTION, DURATION, "nsecond", "8992")
    one = only(row((*titles, *METRIC)) + row(cells))
    assert (one.kernel, one.grid, next(iter(one.counters)).value) == ("copy(float *)", None, 8992e-9)


def test_launches_keep_the_order_of_the_file() -> None:
    found = reading(selection([[(DURATION, "us", "1.5")]] * 12))
    assert [one.id for one in found.launches] == [*map(str, range(12))]


def test_launches_whose_rows_were_moved_are_in_the_order_of_their_ids() -> None:
    head, *rows = selection([[(DURATION, "us", "1.5")]] * 12).splitlines(keepends=True)
    assert [one.id for one in reading(head + "".join(rows[::-1])).launches] == [*map(str, range(12))]


def test_ids_need_not_be_numbers() -> None:
    rows = [row((*launch(i), SELECTION, DURATION, "us", "1.5")) for i in ("b:1", "a:0")]
    assert [one.id for one in reading(row((*LAUNCH, *METRIC)) + "".join(rows)).launches] == ["b:1", "a:0"]
