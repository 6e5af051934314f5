"""Commits on several devices at once: real processes, stand-ins for the work."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from perftrack.app.accelerators import Accelerator
from perftrack.app.fleet import _serve, record_on
from perftrack.app.recording import Progress, Recorded
from perftrack.core.model import Commit
from perftrack.errors import StoreError, WorkerError
from perftrack.suite.messages import Problem

COMMITS = tuple(Commit(f"{n}" * 40, (), "A", n, n, f"Change {n}") for n in range(5))
DEVICES = tuple(Accelerator(n, {"CUDA_VISIBLE_DEVICES": f"card {n}"}) for n in range(2))


class Notes:
    """Progress that remembers which commit was given to which device, and the problems."""

    def __init__(self) -> None:
        self.given: list[tuple[str, str]] = []
        self.problems: list[str] = []

    def commit(self, commit: Commit, position: int, total: int, where: str = "") -> None:
        self.given.append((commit.subject, where))

    def problem(self, problem: Problem) -> None:
        self.problems.append(problem.where)

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *arguments, **more: None


@dataclass(frozen=True)
class Look:
    """Answers with the device that its process sees; every commit takes a little."""

    def __call__(self, commit: Commit, accelerator: Accelerator, progress: Progress) -> Recorded:
        time.sleep(0.1)
        progress.problem(Problem(commit.subject, "seen"))
        return Recorded(commit, None, False, failure=os.environ["CUDA_VISIBLE_DEVICES"])


@dataclass(frozen=True)
class Fail:
    """Fails at one commit; at any other it waits to be ended, and leaves word of that."""

    folder: Path

    def __call__(self, commit: Commit, accelerator: Accelerator, progress: Progress) -> Recorded:
        if commit == COMMITS[1]:
            while not (self.folder / "begun").exists():
                time.sleep(0.02)
            raise StoreError("the disk is full", "Empty it.")
        try:
            (self.folder / "begun").touch()
            time.sleep(60)
        finally:
            (self.folder / "unwound").touch()
        raise AssertionError


@dataclass(frozen=True)
class Die:
    def __call__(self, commit: Commit, accelerator: Accelerator, progress: Progress) -> Recorded:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


def test_every_commit_is_done_once_and_sees_the_device_it_was_given_to() -> None:
    notes = Notes()
    done = list(record_on(DEVICES, COMMITS, Look(), notes))
    seen = {(r.commit.subject, r.failure.replace("card", "device")) for r in done}
    assert len(done) == len(COMMITS)
    assert seen == set(notes.given)
    assert {where for _, where in notes.given} == {"device 0", "device 1"}
    assert sorted(notes.problems) == [c.subject for c in COMMITS]


def test_an_error_of_one_ends_all_and_lets_the_others_unwind(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="the disk is full") as error:
        list(record_on(DEVICES, COMMITS, Fail(tmp_path), Notes()))
    assert error.value.hint == "Empty it."
    assert (tmp_path / "unwound").exists()


def test_a_process_that_dies_is_told_with_its_device() -> None:
    with pytest.raises(WorkerError, match="on device 0 died"):
        list(record_on(DEVICES[:1], COMMITS, Die(), Notes()))


def test_no_commits_start_no_process() -> None:
    assert list(record_on(DEVICES, (), Die(), Notes())) == []


def serve_and_be_ended(pipe: Connection) -> None:
    _serve(pipe, DEVICES[0], Look())
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)


def test_a_process_that_has_no_more_to_do_ends_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve_and_be_ended, args=(theirs,))
    process.start()
    ours.send(None)
    process.join(60)
    assert process.exitcode == -signal.SIGTERM
    assert capfd.readouterr().err == ""
