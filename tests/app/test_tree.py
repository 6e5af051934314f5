"""Building a commit: how it ended, with the end of its log in plain text."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.app.tree import LOG_KEPT, is_elsewhere, run_command


def shell(command: str, tmp_path: Path, limit_s: float = 30.0) -> str:
    return run_command(["/bin/sh", "-c", command], tmp_path, limit_s)


def test_success_has_nothing_to_say(tmp_path: Path) -> None:
    assert shell("echo fine", tmp_path) == ""


def test_a_silent_failure_says_that_it_was_silent(tmp_path: Path) -> None:
    assert shell("exit 2", tmp_path) == "exited with 2, and printed nothing"


def test_the_end_of_a_long_log_is_kept(tmp_path: Path) -> None:
    failure = shell("yes filler | head -c 100000; echo the reason >&2; exit 1", tmp_path)
    assert failure.endswith("the reason")
    assert len(failure) < LOG_KEPT + 100


def test_what_would_steer_a_terminal_is_taken_out(tmp_path: Path) -> None:
    log = r"\033[1;31merror\033[0m\033]0;title\007: x.c\n\011line 2\r\n"
    assert shell(f"printf '{log}'; exit 1", tmp_path) == "exited with 1: error: x.c\n\tline 2"


def test_what_a_build_started_ends_with_its_time(tmp_path: Path) -> None:
    assert shell("(sleep 5; touch late) & echo begun; wait", tmp_path, 0.3) == "took longer than 0.3 s: begun"


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        ("the build exited with 1: cc: error: No space left on device", True),
        ("pip: NewConnectionError('<pip._vendor…>: Failed to establish a new connection')", True),
        ("the build exited with 1: x.c:3: error: expected ';'", False),
        ("ERROR: No matching distribution found for nosuchthing==1", False),
    ],
)
def test_the_machines_own_failures_are_told_from_the_commits(failure: str, expected: bool) -> None:
    assert is_elsewhere(failure) is expected
