from __future__ import annotations

import pytest

from perftrack.ncu.header import Page, header_at, is_metric, metric_name, split_unit
from tests.ncu import texts

RAW = (*texts.LAUNCH, texts.DURATION)


def page(text: str) -> Page | None:
    header = header_at(text.encode().split(b"\n"), 0)
    return None if header is None else header.page


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (texts.row((*texts.LAUNCH, *texts.METRIC)), Page.LONG),
        (texts.row((*texts.LAUNCH, *texts.METRIC, *texts.RULE)), Page.LONG),
        (texts.row(texts.SUMMARY), Page.PER_KERNEL),
        (texts.row(RAW), Page.WIDE),
        ("ID;Function Name;a__b [us]\n", Page.WIDE),
        ("ID\tDemangled Name\tDuration (gpu__time_duration.sum) [us]\n", Page.WIDE),
        ("ID,0,1,2\n", Page.TRANSPOSED),
    ],
)
def test_titles_tell_the_page(text: str, expected: Page) -> None:
    assert page(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ID,Kernel Name\n",
        "Kernel Name,Metric Name,Metric Value\n",
        "ID,0,one\n",
        "the kernel name, and the metric name\n",
        '"Time (%)","Total Time (ns)","Instances","Name"\n',
    ],
)
def test_other_lines_are_no_titles(text: str) -> None:
    assert page(text) is None


def test_columns_are_found_by_title_wherever_they_are() -> None:
    titles = (*texts.METRIC, *reversed(texts.LAUNCH))
    header = header_at([texts.row(titles, end="").encode()], 0)
    assert header is not None
    assert header.page is Page.LONG
    assert [header.place(title.lower()) for title in titles] == list(range(len(titles)))


@pytest.mark.parametrize("before", ["epoch 3: loss 0.25", "10%\r 20%\r", "done,"])
def test_titles_after_output_without_a_line_feed_are_found(before: str) -> None:
    header = header_at([(before + texts.row(RAW, end="")).encode()], 0)
    assert header is not None
    assert header.titles == RAW


def test_titles_with_line_breaks_end_on_a_later_line() -> None:
    titles = (*texts.LAUNCH[:-1], f"{texts.PUSHED}\nmore", texts.DURATION)
    header = header_at(texts.row(titles, end="").encode().split(b"\n"), 0)
    assert header is not None
    assert (header.titles, header.after) == (titles, 2)


def test_titles_of_ranges_are_told_by_their_start() -> None:
    titles = (*texts.LAUNCH, "Id:Domain:Start/Stop_Range:PL_Type", texts.PUSHED, texts.DURATION)
    header = header_at([texts.row(titles, end="").encode()], 0)
    assert header is not None
    assert header.ranges == (12, 11)
    assert [title for title in titles if is_metric(title)] == [texts.DURATION]


def test_cells_that_are_titles_are_told() -> None:
    header = header_at([texts.row(RAW, end="").encode()], 0)
    assert header is not None
    assert header.is_repeated(["1", "Kernel Name", "x"])
    assert not header.is_repeated(["1", "copy(float *)", "Duration"])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (texts.DURATION, texts.DURATION),
        (f"Duration ({texts.DURATION})", texts.DURATION),
        ("Duration", None),
        ("Registers (per thread)", None),
    ],
)
def test_the_own_name_of_a_metric(text: str, name: str | None) -> None:
    assert metric_name(text) == name


def test_a_unit_in_brackets_is_split_off() -> None:
    assert split_unit("dram__bytes_read.sum [Mbyte]") == ("dram__bytes_read.sum", "Mbyte")
    assert split_unit("launch__waves []") == ("launch__waves", "")
    assert split_unit("launch__waves") == ("launch__waves", None)
