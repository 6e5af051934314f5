"""Names that a merged store may hold, shown escaped, each in its row; and streams and files that fail."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest

from tests.scratch import command_environment
from tests.stored import Stored, made, noisy, timed

NAME = "esc\x1b[31m\nrow\u202e"
SHOWN = "esc\\x1b[31m\\nrow\\u202e"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Stored:
    own = made(tmp_path_factory.mktemp("hostile") / "repository")
    own.commits(30)
    values = noisy(30, (20, 1.2))
    compared = {own.shas[14], own.shas[29]}  # by themselves: those of many runs at once have no samples
    pairs = list(zip(own.shas, values, strict=True))
    own.record_runs([own.run(sha, timed(NAME, float(v))) for sha, v in pairs if sha not in compared])
    for sha, value in pairs:
        if sha in compared:
            own.record(sha, timed(NAME, float(value)))
    return own


@pytest.mark.parametrize(
    "command",
    [("show",), ("compare", "HEAD~15"), ("log", "esc"), ("detect",), ("accept", NAME, "--at", "no-such")],
    ids=lambda c: c[0],
)
def test_a_name_with_control_characters_is_shown_escaped(stored: Stored, command: tuple[str, ...]) -> None:
    answer = stored.call(*command)
    said = answer.out + answer.err
    assert not [c for c in said if c in "\x1b\u202e"]
    assert SHOWN in said or command[0] == "accept"


def test_an_error_is_shown_escaped(stored: Stored) -> None:
    answer = stored.call("compare", "no\x1b[31mrevision\u202e")
    assert answer.code == 1
    assert "\\x1b[31m" in answer.err
    assert not [c for c in answer.err if c in "\x1b\u202e"]


def test_a_gate_with_its_output_closed_answers_by_its_exit_code(stored: Stored) -> None:
    command = [sys.executable, "-m", "perftrack", "compare", "HEAD~15"]
    script = f"{shlex.join(command)} >&- 2>&-"
    root, environment = stored.repo.root, command_environment(replayed=False)
    done = subprocess.run(["sh", "-c", script], cwd=root, env=environment, check=False)
    assert done.returncode == 3


def test_a_report_that_the_disk_has_no_room_for_is_not_left_half_written(stored: Stored) -> None:
    command = [sys.executable, "-m", "perftrack", "compare", "HEAD~15", "--junit", "report.xml"]
    script = f"ulimit -f 0; trap '' XFSZ; {shlex.join(command)}"
    root, environment = stored.repo.root, command_environment(replayed=False)
    done = subprocess.run(
        ["sh", "-c", script], cwd=root, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "report.xml: cannot write the JUnit file" in done.stderr
    assert not (root / "report.xml").exists()
