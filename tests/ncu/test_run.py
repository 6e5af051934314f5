"""ncu's command line, and the process that it runs in."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from perftrack.errors import ProfileError
from perftrack.ncu.run import Job, Taken, command_line, run_process, take
from perftrack.ncu.selection import Selection
from perftrack.ncu.tool import Tool
from tests import fake_ncu
from tests.ncu.needs import reports

TOOL = Tool("/opt/ncu", "2025.3.1.0")


def option(command: tuple[str, ...], name: str) -> str:
    return command[command.index(name) + 1]


def test_the_command_line_is_options_then_the_program_as_it_was_given(tmp_path: Path) -> None:
    command = command_line(TOOL, Selection("full"), ("prog", "--set", "x y"), tmp_path)
    assert command[0] == TOOL.path
    assert command[-3:] == ("prog", "--set", "x y")
    assert option(command, "--set") == "full"
    assert option(command, "--export") == str(tmp_path / "profile.ncu-rep")
    assert option(command, "--log-file") == str(tmp_path / "ncu.log")
    assert "--profile-from-start" not in command
    assert "--nvtx" in command


def test_a_marked_program_is_profiled_between_its_marks_only(tmp_path: Path) -> None:
    assert (
        option(command_line(TOOL, Selection(), ("prog",), tmp_path, marked=True), "--profile-from-start") == "off"
    )


@pytest.mark.parametrize("target", [(), ("--version",)])
def test_what_is_no_program_is_refused(target: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="no program to profile"):
        command_line(TOOL, Selection(), target, tmp_path)


def job(tmp_path: Path, timeout_s: float | None = None, **environment: str) -> tuple[Job, int]:
    output = os.open(tmp_path / "printed", os.O_WRONLY | os.O_CREAT)
    return Job(tmp_path, output, timeout_s, environment), output


def test_a_process_runs_where_and_with_what_it_is_told(tmp_path: Path) -> None:
    given, output = job(tmp_path, MINE="yes")
    code = (
        "import os; print(os.getcwd(), os.environ['MINE'], os.getsid(0) == os.getpid(), flush=True); os._exit(5)"
    )
    assert run_process((sys.executable, "-c", code), given) == 5
    os.close(output)
    assert (tmp_path / "printed").read_text() == f"{tmp_path} yes True\n"


def gone(pid: int) -> bool:
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


CHILD = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open("pid", "w").write(str(child.pid))
time.sleep(60)
"""


def test_one_that_takes_too_long_is_ended_with_what_it_started(tmp_path: Path) -> None:
    given, output = job(tmp_path, timeout_s=3.0)
    with pytest.raises(TimeoutError):
        run_process((sys.executable, "-c", CHILD), given)
    os.close(output)
    assert gone(int((tmp_path / "pid").read_text()))


def test_an_interrupted_wait_leaves_no_process(tmp_path: Path) -> None:
    given, output = job(tmp_path)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_process(
                (
                    sys.executable,
                    "-c",
                    "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(60)",
                ),
                given,
            )
    finally:
        signal.signal(signal.SIGALRM, before)
        os.close(output)
    assert gone(int((tmp_path / "pid").read_text()))


def test_a_timeout_says_what_to_ask_less_of(tmp_path: Path) -> None:
    def too_long(command: object, job: Job) -> int:
        raise TimeoutError

    with pytest.raises(ProfileError, match="longer than 2 s") as caught:
        take(TOOL, Selection(), ("prog",), tmp_path, Job(tmp_path, 2, 2.0), runner=too_long)
    assert "ncu-timeout" in str(caught.value.hint)


def test_an_ncu_that_does_not_start_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="cannot start /opt/ncu"):
        take(TOOL, Selection(), ("prog",), tmp_path, Job(tmp_path, 2))


def left(tmp_path: Path, log: str | None, status: int = 0) -> Taken:
    if log is not None:
        (tmp_path / "ncu.log").write_text(log)
    return Taken(TOOL, tmp_path / "none.ncu-rep", tmp_path / "ncu.log", status)


def test_without_a_report_the_log_says_why(tmp_path: Path) -> None:
    with pytest.raises(ProfileError) as caught:
        left(tmp_path, fake_ncu.NO_KERNELS).read()
    assert "stream_copy" in caught.value.message + str(caught.value.hint)


def test_without_permission_it_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="ERR_NVGPUCTRPERM"):
        left(tmp_path, fake_ncu.NO_PERMISSION).read()


@pytest.mark.parametrize("log", [None, ""])
def test_without_report_and_log_the_exit_status_is_all_there_is(tmp_path: Path, log: str | None) -> None:
    with pytest.raises(ProfileError, match="left no report; it exited with 9"):
        left(tmp_path, log, 9).read()


def test_a_report_is_read(tmp_path: Path) -> None:
    page = fake_ncu.raw_page(
        {"gpu__time_duration.sum": ("1500", "ns"), "launch__registers_per_thread": ("32", "register/thread")}
    )
    (tmp_path / "profile.ncu-rep").write_text(page)
    taken = Taken(TOOL, tmp_path / "profile.ncu-rep", tmp_path / "ncu.log", 0)
    assert [launch.kernel for launch in taken.read().launches] == ["scale_kernel(float *, int)"]


def exporting(tmp_path: Path, page: str) -> Taken:
    """A report that nothing reads, and an ncu that makes a page of it."""
    (tmp_path / "profile.ncu-rep").write_bytes(b"NVR\0 of a release to come")
    (tmp_path / "exported").write_text(page)
    program = tmp_path / "ncu"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\ncat {tmp_path}/exported\n')
    program.chmod(0o755)
    return Taken(Tool(str(program), "9999.1.0.0"), tmp_path / "profile.ncu-rep", tmp_path / "ncu.log", 0)


def test_a_report_that_cannot_be_read_here_is_read_as_ncus_own_page_and_says_so(tmp_path: Path) -> None:
    taken = exporting(tmp_path, fake_ncu.raw_page({"launch__registers_per_thread": ("32", "register/thread")}))
    reading = taken.read()
    assert len(reading.launches) == 1
    assert "without the code that ran" in reading.warnings[-1]
    assert f"--import {taken.report} --csv --page raw" in (tmp_path / "asked").read_text()


@reports
def test_a_report_that_ncu_cannot_read_either_is_refused_for_the_first_reason(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="the profile"):
        exporting(tmp_path, "==ERROR== Failed to load report file.\n").read()


def test_metrics_that_this_ncu_does_not_know_are_left_out(tmp_path: Path) -> None:
    asked = []

    def fussy(command: Sequence[str], job: Job) -> int:
        metrics = option(tuple(command), "--metrics")
        asked.append(metrics)
        if "of_another_chip" in metrics:
            (tmp_path / "ncu.log").write_text("==ERROR== Failed to find metric of_another_chip.sum\n")
            return 1
        (tmp_path / "profile.ncu-rep").touch()
        return 0

    selection = Selection("basic", ("a.sum", "of_another_chip.sum"))
    assert take(TOOL, selection, ("prog",), tmp_path, Job(tmp_path, 2), runner=fussy).status == 0
    assert asked == ["a.sum,of_another_chip.sum", "a.sum"]


def test_another_error_is_not_tried_again(tmp_path: Path) -> None:
    asked = []

    def failing(command: Sequence[str], job: Job) -> int:
        asked.append(command)
        (tmp_path / "ncu.log").write_text(fake_ncu.NO_PERMISSION)
        return 1

    take(TOOL, Selection("basic", ("a.sum",)), ("prog",), tmp_path, Job(tmp_path, 2), runner=failing)
    assert len(asked) == 1
