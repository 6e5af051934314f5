"""Output of ncu without launches, refused in its own words and with what helps."""

from __future__ import annotations

import pytest

from perftrack.errors import ProfileError
from perftrack.ncu.source import text_lines
from tests.ncu.texts import DATA, LAUNCH, METRIC, reading, row

CONNECTED = "==PROF== Connected to process 480 (/tmp/app)\n"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            CONNECTED + "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
            "Performance Counters on the target device 0.\n==WARNING== No kernels were profiled.\n",
            r"it\.csv:2: ncu profiled nothing: ERR_NVGPUCTRPERM",
            "NVreg_RestrictProfilingToAdminUsers=0",
        ),
        (
            CONNECTED + "==ERROR== LaunchFailed\n==ERROR== An error occurred while trying to profile.\n",
            r"it\.csv:2: ncu profiled nothing: LaunchFailed",
            "--replay-mode application",
        ),
        (
            "==ERROR== Failed to find metric regex:foo__bar\n",
            r"it\.csv:1: ncu profiled nothing: Failed to find metric",
            "ncu --query-metrics",
        ),
        (
            CONNECTED + "==ERROR== The application returned an error code (11).\n",
            r"it\.csv:2: ncu profiled nothing: The application returned",
            "Run the program without ncu",
        ),
        (
            CONNECTED + "==WARNING== No kernels were profiled.\n",
            r"it\.csv:2: ncu profiled no kernels$",
            "--target-processes all",
        ),
        (
            CONNECTED + "==PROF== Report: /tmp/run.ncu-rep\n",
            r"it\.csv:2: the data is in the report /tmp/run\.ncu-rep",
            "Read that report",
        ),
        (CONNECTED, r"it\.csv:1: this is output of ncu without data", "ncu --csv --page raw PROGRAM"),
        (row((*LAUNCH, *METRIC)), r"it\.csv:1: titles of a table and no rows", "ncu --import"),
    ],
    ids=["permission", "launch", "metric", "program", "nothing", "report", "stopped", "no rows"],
)
def test_ncu_says_why_there_is_nothing_and_the_hint_what_to_do(text: str, message: str, hint: str) -> None:
    with pytest.raises(ProfileError, match=message) as refused:
        reading(text)
    assert hint in (refused.value.hint or "")


def test_kernels_that_were_offered_instead_are_listed() -> None:
    with pytest.raises(ProfileError) as refused:
        reading((DATA / "no_kernels.csv").read_bytes())
    assert refused.value.message == (
        "it.csv:5: ncu profiled no kernels; the program launched fma_chain, pointer_chase, stream_copy"
    )
    assert "--kernel-name" in (refused.value.hint or "")


def test_very_many_kernels_are_not_all_listed() -> None:
    kernels = "".join(f"{i}. kernel_{i}\n" for i in range(1, 500))
    with pytest.raises(ProfileError, match=r"kernel_20 and 479 more$"):
        reading("==WARNING== No kernels were profiled.\nAvailable Kernels:\n" + kernels)


@pytest.mark.parametrize("titles", [row((*LAUNCH, *METRIC)), row((*LAUNCH, "gpu__time_duration.sum"))])
def test_titles_that_are_cut_off_are_called_so(titles: str) -> None:
    ends = [at for at in range(4, titles.index('"Kernel Name"')) if at != 5]
    for end in ends:
        with pytest.raises(ProfileError, match=r"it\.csv:2: titles of a table that are cut off"):
            reading("output\n" + titles[:end])


@pytest.mark.parametrize("line", [b"x\n", b"1,\n", b"\n", b'"\n'])
def test_many_lines_without_a_sign_of_ncu_are_not_looked_at_one_by_one(line: bytes) -> None:
    with pytest.raises(ProfileError, match=r"nothing of ncu in the first 1,000,000 lines and 64 MiB"):
        text_lines(line * 1_000_001, "it.csv")


def test_a_table_after_very_much_output_is_found() -> None:
    table = row((*LAUNCH, *METRIC))
    assert text_lines(b"x\n" * 1_000_000 + table.encode(), "it.csv").lines[-1] == table.strip().encode()
    with pytest.raises(ProfileError, match="nothing of ncu"):
        text_lines(b"x\n" * 1_000_001 + table.encode(), "it.csv")
