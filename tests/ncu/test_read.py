"""What the reader takes, and what may stand around and under it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from perftrack.errors import ProfileError
from perftrack.ncu.raw import FileKind
from perftrack.ncu.read import read
from tests.ncu.needs import reports
from tests.ncu.texts import DATA, DURATION, READ, details, launch, only, raw, reading, row, selection, value

PAGE = selection([[(DURATION, "us", "124.54"), (READ, "byte", "1,024")], [(DURATION, "us", "9.50")]])
OUTPUT = (
    "==PROF== Connected to process 480 (/tmp/app)",
    '==PROF== Profiling "copy" - 0: 0%....50%....100% - 9 passes',
    "tensor([[ 1.0000, 2.5000],",
    "        [ 3.0000, -4.0000]], device='cuda:0')",
    "Traceback (most recent call last):",
    '  File "train.py", line 3, in <module>',
    "loss: 0,25; epoch 1, 2, 3",
    "",
    '"a quoted remark", he said',
    "[1, 2, 3]",
    "{'a': 1}",
)


def times(text: str | bytes) -> list[object]:
    return [value(one, DURATION) for one in reading(text).launches]


TIMES: list[object] = [124.54e-6, 9.5e-6]


def test_a_path_is_read_and_named(tmp_path: Path) -> None:
    path = tmp_path / "page.csv"
    path.write_text(PAGE)
    assert read(path).name == str(path) == read(str(path)).name
    assert len(read(path).launches) == 2


def test_a_stream_of_bytes_or_of_text_is_read() -> None:
    assert len(read(io.BytesIO(PAGE.encode())).launches) == 2
    assert len(read(io.StringIO(PAGE), "text").launches) == 2


@reports
def test_a_report_is_told_by_its_content_and_not_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_bytes((DATA / "small_basic.ncu-rep").read_bytes())
    assert read(path).kind is FileKind.REPORT
    assert read(io.BytesIO(path.read_bytes())).kind is FileKind.REPORT


def test_text_is_told_by_its_content_and_not_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "page.ncu-rep"
    path.write_text(PAGE)
    assert read(path).kind is FileKind.METRICS


def test_what_is_called_a_report_and_is_neither_is_refused_as_a_report(tmp_path: Path) -> None:
    path = tmp_path / "cut.ncu-rep"
    path.write_bytes(b"\0\1\2" * 100)
    with pytest.raises(ProfileError, match="report"):
        read(path)


@pytest.mark.parametrize("where", ["before", "between", "after"])
@pytest.mark.parametrize("page", ["selection", "raw", "details"])
def test_output_of_the_program_does_no_harm(where: str, page: str) -> None:
    text = {
        "selection": PAGE,
        "raw": raw([(DURATION, "us")], [["124.54"], ["9.50"]]),
        "details": details([[("S", DURATION, "us", "124.54")], [("S", DURATION, "us", "9.50")]]),
    }[page]
    output = "\n".join(OUTPUT) + "\n"
    lines = text.splitlines(keepends=True)
    mixed = {
        "before": output + text,
        "between": "".join(line + output for line in lines),
        "after": text + output,
    }[where]
    assert times(mixed) == TIMES


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.encode("utf-16"),
        lambda text: text.encode("utf-16-le"),
        lambda text: text.encode("utf-16-be"),
        lambda text: text.encode("utf-32"),
        lambda text: text.rstrip("\n").encode(),
        lambda text: text.replace("copy(", "größe(").encode("cp1252"),
        lambda text: text.replace("copy(", "größe(").encode(),
        lambda text: ("done" + text).encode(),
        lambda text: ("\r 10%\r 90%\r" + text).encode(),
    ],
    ids=[
        "utf-8 with mark", "crlf", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "no line feed", "code page",
        "utf-8", "output without line feed", "progress",
    ],
)  # fmt: skip
def test_any_encoding_and_line_ending_is_read(change: object) -> None:
    assert times(change(PAGE)) == TIMES  # type: ignore[operator]


def test_letters_of_a_code_page_become_text() -> None:
    assert only(selection([[(DURATION, "us", "1.5")]], kernel="größe()").encode("cp1252")).kernel == "größe()"


def test_the_profilers_messages_are_warnings_with_their_lines() -> None:
    found = reading(f"==WARNING== Backing up device memory.\n{PAGE}==ERROR== LaunchFailed\n")
    assert found.warnings == ("line 1: Backing up device memory.", "line 6: LaunchFailed")


def test_clocks_that_were_left_alone_are_said_to_be() -> None:
    assert reading(DATA.joinpath("live_metrics.csv").read_bytes()).clock_control == "none"
    assert reading(PAGE).clock_control == ""


def test_a_launch_that_failed_is_left_out_and_named() -> None:
    metrics = ((DURATION, "us"), ("launch__registers_per_thread", "register/thread"))
    found = reading("==ERROR== LaunchFailed\n" + raw(metrics, [["1.50", "32"], ["n/a", "32"]]))
    assert [one.id for one in found.launches] == ["0"]
    assert found.warnings == (
        "line 1: LaunchFailed",
        "launch 1 (copy(float *)) has no data: profiling it failed",
    )


def test_without_an_error_a_launch_without_values_stays() -> None:
    found = reading(raw([(DURATION, "us"), (READ, "byte")], [["1.50", "32"], ["n/a", "n/a"]]))
    assert [len(one.counters) for one in found.launches] == [2, 0]


def test_a_file_without_any_value_is_refused() -> None:
    with pytest.raises(ProfileError, match=r"it\.csv:1: no launch of the table has a value of any metric"):
        reading(raw([(DURATION, "us"), (READ, "byte")], [["n/a", "(!) nan"]]))


def test_rows_above_their_titles_are_refused() -> None:
    head, first, *rest = PAGE.splitlines(keepends=True)
    with pytest.raises(ProfileError, match=r"it\.csv:1: rows of a table without its titles"):
        reading(first + head + "".join(rest))


def test_rows_without_titles_are_refused() -> None:
    with pytest.raises(ProfileError, match=r"it\.csv:1: "):
        reading(PAGE.split("\n", 1)[1])


def test_titles_that_are_cut_off_do_not_pass_for_a_row() -> None:
    metrics = [(DURATION, "us"), (READ, "byte"), ("a__b", "")]
    titles = PAGE.splitlines()[0]
    cut = titles[: titles.index(',"Metric Value"')]
    assert cut.count('","') + 1 == len(launch(0)) + len(metrics)
    with pytest.raises(ProfileError, match=r"it\.csv:4: titles of a table that are cut off"):
        reading(raw(metrics, [["1.50", "2", "3"]]) + cut)


def test_a_row_mixed_with_output_is_refused() -> None:
    with pytest.raises(ProfileError, match=r"it\.csv:2: a row that is cut off, or mixed with program output"):
        reading(PAGE.replace('"copy(float *)"', '"copy(flo epoch 1\nat *)', 1))


def test_the_same_input_gives_the_same_reading() -> None:
    assert reading(PAGE) == reading(PAGE)


def test_a_reading_has_no_process_where_the_file_has_none() -> None:
    titles = ("ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value")
    assert only(row(titles) + row(("0", "copy()", DURATION, "ns", "1000"))).process == ""
