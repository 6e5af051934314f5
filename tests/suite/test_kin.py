"""Ending what a worker started and lost sight of. Real processes; on Linux only, as the thing itself."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from perftrack.suite.kin import MARK, Process, descendants, end_kin

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="by /proc")
SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    running: list[subprocess.Popen[bytes]] = []
    yield running
    for process in running:
        process.kill()
        process.wait()


def sleeper(running: list[subprocess.Popen[bytes]], mark: str | None = None) -> subprocess.Popen[bytes]:
    env = os.environ | ({MARK: mark} if mark is not None else {})
    process = subprocess.Popen(SLEEP, env=env, start_new_session=True)
    running.append(process)
    wait_for_environment(process.pid)
    return process


def wait_for_environment(pid: int) -> None:
    """Until the child is the program that it was started as."""
    deadline = time.monotonic() + 5
    while b"time.sleep" not in Path(f"/proc/{pid}/cmdline").read_bytes():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        return False
    return True


def test_what_carries_the_mark_is_ended_and_nothing_else(started: list[subprocess.Popen[bytes]]) -> None:
    mine, longer, other = sleeper(started, "abc"), sleeper(started, "abcd"), sleeper(started)
    end_kin("abc", frozenset())
    assert ended(mine)
    assert longer.poll() is None and other.poll() is None


def test_known_processes_are_ended_without_a_mark(started: list[subprocess.Popen[bytes]]) -> None:
    one = sleeper(started)
    known = frozenset(p for p in descendants(os.getpid()) if p.pid == one.pid)
    assert len(known) == 1
    end_kin("no such mark", known)
    assert ended(one)


def test_another_process_of_a_known_id_is_left_alone(started: list[subprocess.Popen[bytes]]) -> None:
    one = sleeper(started)
    end_kin("no such mark", frozenset({Process(one.pid, os.getpid(), 12345)}))
    assert one.poll() is None


def test_descendants_are_those_of_every_generation_but_no_zombies(tmp_path: Path) -> None:
    for pid, state, parent in ((50, "S", 1), (60, "S", 50), (61, "S", 60), (62, "Z", 50), (70, "S", 1)):
        (tmp_path / str(pid)).mkdir()
        rest = " ".join(["0"] * 17)
        (tmp_path / str(pid) / "stat").write_text(f"{pid} (a ) name) {state} {parent} {rest} {pid} 0")
    assert descendants(50, tmp_path) == {Process(60, 50, 60), Process(61, 60, 61)}


def test_without_proc_nothing_is_found(tmp_path: Path) -> None:
    assert descendants(os.getpid(), tmp_path / "none") == frozenset()
    end_kin("abc", frozenset(), tmp_path / "none")
