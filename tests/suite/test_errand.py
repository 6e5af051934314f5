"""A worker that another program starts: its requests come in a file, and its answers go to one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from perftrack.core.model import Status
from perftrack.core.plan import Plan
from perftrack.errors import WorkerError
from perftrack.suite.errand import Errand
from perftrack.suite.launch import Setup
from perftrack.suite.messages import Request, RunCase
from tests import scratch

BENCHMARKS = """
import os
from pathlib import Path
import perftrack as pt

calls = Path(os.environ["CALLS"])

def work():
    with calls.open("a") as file:
        file.write("call ")

@pt.benchmark(params={"n": [1]})
def counted(n):
    calls.write_text("set-up ")
    yield work
    with calls.open("a") as file:
        file.write("teardown")

@pt.benchmark
def failing():
    raise ValueError("no such thing")

@pt.benchmark
def deferring():
    async def later():
        pass
    return lambda: later()

@pt.benchmark
def dying():
    import sys
    print("last words", flush=True)
    return lambda: os._exit(7)

@pt.metric(unit="B")
def size():
    return 1
"""


@pytest.fixture
def project(tmp_path: Path) -> scratch.Scratch:
    made = scratch.make(tmp_path / "project", benchmarks=BENCHMARKS)
    made.write("replay.json", scratch.replay())
    return made


def send(project: scratch.Scratch, benchmark: str, tmp_path: Path, **params: int) -> tuple[Errand, int]:
    calls = tmp_path / "calls"
    environment = scratch.command_environment(replayed=True) | {"CALLS": str(calls)}
    setup = Setup(
        python=scratch.sys.executable,
        base=project.root,
        folder=project.root / "benchmarks",
        home=project.root,
        environment=environment,
    )
    folder = tmp_path / "errand"
    folder.mkdir()
    request = Request(profile=RunCase(benchmark, tuple(params.items()), Plan(), 0, 1, "replay"))
    errand = Errand(setup, request, folder)
    with (folder / "printed").open("wb") as printed:
        command = errand.prepare()
        done = subprocess.run(
            command, cwd=setup.base, env=environment, stdout=printed, stderr=printed, check=False
        )
    return errand, done.returncode


def result(errand: Errand):
    reply = errand.reply()
    assert reply is not None
    assert reply.result is not None
    return reply.result


def test_a_case_is_warmed_up_called_once_more_and_torn_down(project, tmp_path):
    errand, status = send(project, "counted", tmp_path, n=1)
    assert status == 0
    assert result(errand).status is Status.OK
    assert result(errand).metrics == ()
    assert (tmp_path / "calls").read_text() == "set-up " + 4 * "call " + "teardown"


def test_a_failure_is_an_answer(project, tmp_path):
    errand, status = send(project, "failing", tmp_path)
    assert status == 0
    assert (result(errand).status, result(errand).message) == (Status.FAILED, "ValueError: no such thing")


def test_work_that_is_only_made_is_refused(project, tmp_path):
    errand, _ = send(project, "deferring", tmp_path)
    assert result(errand).status is Status.FAILED
    assert "coroutine" in result(errand).message


def test_what_is_no_benchmark_is_refused(project, tmp_path):
    errand, _ = send(project, "size", tmp_path)
    assert result(errand).status is Status.FAILED
    assert "no benchmark" in result(errand).message


def test_a_worker_that_dies_has_not_answered(project, tmp_path):
    errand, status = send(project, "dying", tmp_path)
    assert status == 7
    assert errand.reply() is None
    assert "last words" in (errand.folder / "printed").read_text()


def test_an_errand_that_was_never_run_has_no_answer(project, tmp_path):
    errand = Errand(Setup("python", tmp_path, tmp_path, tmp_path), Request(), tmp_path)
    assert errand.reply() is None


def test_what_is_no_answer_is_refused(tmp_path):
    errand = Errand(Setup("python", tmp_path, tmp_path, tmp_path), Request(), tmp_path)
    (tmp_path / "replies").write_bytes(b"not json\n")
    with pytest.raises(WorkerError, match="protocol"):
        errand.reply()


def test_the_command_is_one_line_of_arguments(tmp_path):
    folder = tmp_path / "it's a folder"
    folder.mkdir()
    command = Errand(Setup("python", tmp_path, tmp_path, tmp_path), Request(), folder).prepare()
    assert not [a for a in command if "\n" in a]
    compile(command[command.index("-c") + 1], "start", "exec")
