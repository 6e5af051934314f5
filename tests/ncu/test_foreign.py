"""Files that are not ncu's counters: each is called what it is, with what to run instead."""

from __future__ import annotations

import pytest

from perftrack.errors import ProfileError
from tests.ncu.texts import DATA, reading

SOURCE = (
    '"Kernel Name","copy()"\n"#","Address","Source","Warp Stall Sampling (All Samples)"\n"1","0x10","MOV","5"\n'
)
PLAIN = (
    "[480] app@127.0.0.1\n  copy(float *) (64, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n"
    "    Section: GPU Speed Of Light Throughput\n    ------------- ----------- ------------\n"
    "    Metric Name   Metric Unit Metric Value\n"
)
OLD = "  copy, 2020-Apr-07 17:01:05, Context 1, Stream 7\n    Section: GPU Speed Of Light\n"
NSYS = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),Name\n100.0,1,1,1,1,1,1,k\n"
TIMES = '"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"\n'
COUNTS = '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n'
SESSION = "Session\n  Process ID  480\nLaunch Settings\n  Application app\n"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 9\n"
OPTION = "error: unrecognised option '--foo'. Use --help for further details.\n"


@pytest.mark.parametrize(
    ("text", "line", "what", "hint"),
    [
        (
            "==7== NVPROF is profiling process 7, command: ./app\n" + TIMES,
            1,
            "output of nvprof",
            "ncu --csv --page raw PROGRAM",
        ),
        (TIMES, 1, "output of nvprof", "ncu --csv"),
        ("Time(%)      Time     Calls       Avg       Min       Max  Name\n", 1, "output of nvprof", "ncu --csv"),
        (
            '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n',
            1,
            "nvprof",
            "ncu",
        ),
        (NSYS, 1, "output of Nsight Systems", "ncu --csv --page raw PROGRAM"),
        (" Time (%)  Total Time (ns)  Instances   Avg (ns)\n", 1, "output of Nsight Systems", "ncu --csv"),
        ("Start (ns),Duration (ns),CorrId,GrdX,Name\n1,2,3,1,k\n", 1, "output of Nsight Systems", "ncu --csv"),
        ("Generating SQLite file run.sqlite from run.nsys-rep\n", 1, "output of Nsight Systems", "ncu --csv"),
        (SOURCE, 2, "the source page of ncu", "--page raw"),
        (
            "Session\n  Process ID  480\nLaunch Settings\n  Application app\n",
            3,
            "the session page of ncu",
            "--page raw",
        ),
        (PLAIN, 2, "plain text of ncu", "Add --csv"),
        (OLD, 1, "plain text of ncu", "Add --csv"),
        ('{"traceEvents": []}\n', 1, "JSON", "--page raw"),
        ("<!DOCTYPE html>\n<html>\n", 1, "a web page", "--page raw"),
        (
            "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 9\n",
            1,
            "a pointer of Git LFS",
            "git lfs pull",
        ),
        ("bash: ncu: command not found\n", 1, "an error message of ncu", "perftrack doctor"),
        (
            "error: unrecognised option '--foo'. Use --help for further details.\n",
            1,
            "an error message of ncu",
            "doctor",
        ),
        ("kernel,duration_us,dram_pct\ncopy,1.5,43\n", 1, "a table that ncu did not write", "--page raw"),
        ("name,gpu__time_duration.sum\ncopy,1.5\n", 1, "a table that ncu did not write", "--page raw"),
        ("", 1, "the file is empty", "ncu --csv"),
        ("\n \n\n", 1, "the file is empty", "ncu --csv"),
        ("hello\nworld\n", 1, "no output of ncu: 'hello'", "ncu --csv"),
    ],
)
def test_a_file_of_another_kind_is_refused_by_its_name(text: str, line: int, what: str, hint: str) -> None:
    with pytest.raises(ProfileError) as refused:
        reading(text)
    assert refused.value.message.startswith(f"it.csv:{line}: ")
    assert what in refused.value.message
    assert hint in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("start", "what"),
    [
        (b"SQLite format 3\0", "a database"),
        (b"\x1f\x8b\x08\0", "compressed with gzip"),
        (b"PK\x03\x04\0", "a zip archive"),
        (b"\x7fELF\2\1\1\0", "a program or a module"),
        (b"\x89PNG\r\n\x1a\n\0", "an image or a document"),
        (b"\xfd7zXZ\0", "compressed"),
        (b"\1\2\3\0\4", "neither text nor a report of ncu"),
    ],
)
def test_bytes_that_are_no_text_are_refused_by_what_they_are(start: bytes, what: str) -> None:
    with pytest.raises(ProfileError, match=rf"it\.csv:1: .*{what}"):
        reading(start + bytes(range(256)))


def test_the_report_of_another_profiler_is_told_by_its_name() -> None:
    with pytest.raises(ProfileError, match=r"run\.nsys-rep:1: a report of another profiler"):
        reading(b"\1\2\3\0\4", "run.nsys-rep")


def test_prose_is_not_taken_for_a_table() -> None:
    with pytest.raises(ProfileError, match="no output of ncu"):
        reading("It was late, and rain fell, and nobody who could help was near.\nSo we went in, and waited.\n")


def test_what_a_file_says_is_shown_without_its_control_characters() -> None:
    with pytest.raises(ProfileError) as refused:
        reading("\x1b[2J\x1b[31mhello\n")
    assert "\x1b" not in refused.value.message


def test_plain_text_after_the_profilers_messages_is_refused_as_such() -> None:
    lines = (DATA / "live_metrics.csv").read_text().splitlines()[:4]
    with pytest.raises(ProfileError, match=r"it\.csv:6: this is plain text of ncu"):
        reading("\n".join(lines) + "\n" + PLAIN)
