"""A worker's end is the end of everything that its benchmarks started."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from perftrack.core.model import Status
from perftrack.core.plan import Plan
from perftrack.suite.launch import Setup
from perftrack.suite.messages import Request, RunCase
from perftrack.suite.pool import WorkerDied, WorkerProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="daemons are found by /proc")
FILE = """
import os, subprocess, sys, time
import perftrack as pt

def note():
    with open("daemon.pid", "w") as file:
        file.write(str(os.getpid()))

def daemonise():
    "Two forks and a session of its own: no parent, group or terminal of the worker's."
    if os.fork():
        os.wait()
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    note()
    time.sleep(60)
    os._exit(0)

@pt.metric(unit="")
def leaves_a_daemon():
    daemonise()
    return 1

@pt.metric(unit="")
def leaves_a_daemon_and_dies():
    daemonise()
    time.sleep(0.3)
    os._exit(7)

@pt.metric(unit="")
def leaves_a_daemon_without_environment():
    code = "import os, time; open('daemon.pid', 'w').write(str(os.getpid())); time.sleep(60)"
    line = f'"{sys.executable}" -c "{code}" & exit 0'
    subprocess.run(["/bin/sh", "-c", line], env={}, start_new_session=True, check=True)
    return 1
"""


@pytest.fixture
def worker(tmp_path: Path) -> WorkerProcess:
    (tmp_path / "bench_a.py").write_text(FILE)
    return WorkerProcess(Setup(sys.executable, base=tmp_path, folder=tmp_path, home=tmp_path))


def measure(worker: WorkerProcess, name: str) -> Status:
    reply = worker.ask(Request(run=RunCase(name, (), Plan(), 0, 0)), 20.0)
    assert reply.result is not None
    return reply.result.status


def daemon(folder: Path) -> int:
    """The id of the daemon, once it runs."""
    deadline = time.monotonic() + 10
    while not (folder / "daemon.pid").exists() or not (folder / "daemon.pid").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return int((folder / "daemon.pid").read_text())


def gone(pid: int) -> bool:
    """A zombie whose new parent has not looked yet is as good as gone."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        stat = Path(f"/proc/{pid}/stat")
        try:
            state = stat.read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def test_a_worker_leaves_no_bytecode_in_the_tree(worker: WorkerProcess, tmp_path: Path) -> None:
    (tmp_path / "bench_a.py").write_text(
        "import perftrack as pt, own\n\n@pt.metric(unit='')\ndef one():\n    return 1\n"
    )
    (tmp_path / "own.py").write_text("")
    with worker:
        assert measure(worker, "one") is Status.OK
    assert {path.name for path in tmp_path.iterdir()} == {"bench_a.py", "own.py"}


@pytest.mark.parametrize("case", ["leaves_a_daemon", "leaves_a_daemon_without_environment"])
@pytest.mark.parametrize("grace_s", [5.0, 0.0])
def test_a_daemon_lives_as_long_as_its_worker(
    worker: WorkerProcess, tmp_path: Path, case: str, grace_s: float
) -> None:
    worker.start()
    try:
        assert measure(worker, case) is Status.OK
        pid = daemon(tmp_path)
        assert Path(f"/proc/{pid}").exists()
    finally:
        worker.stop(grace_s)
    assert gone(pid)


def test_a_daemon_of_a_worker_that_died_is_found_by_its_mark(worker: WorkerProcess, tmp_path: Path) -> None:
    worker.start()
    try:
        with pytest.raises(WorkerDied, match="exited with code 7"):
            measure(worker, "leaves_a_daemon_and_dies")
    finally:
        worker.stop()
    assert gone(daemon(tmp_path))


def test_two_workers_daemons_are_told_apart(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    workers = []
    for folder in folders:
        folder.mkdir()
        (folder / "bench_a.py").write_text(FILE)
        workers.append(WorkerProcess(Setup(sys.executable, base=folder, folder=folder, home=folder)))
    try:
        for one in workers:
            one.start()
            measure(one, "leaves_a_daemon")
        first, second = map(daemon, folders)
        workers[0].stop()
        assert gone(first)
        assert Path(f"/proc/{second}").exists()
    finally:
        for one in workers:
            one.stop(0.0)
    assert gone(second)
