"""Recording on several accelerators at once: a process for each, every commit wholly on one of them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Protocol

from perftrack.app.accelerators import Accelerator
from perftrack.app.recording import Progress, Recorded
from perftrack.app.visit import Outcome
from perftrack.core.model import Commit, Run, Status
from perftrack.errors import PerftrackError, WorkerError
from perftrack.suite.messages import Problem
from perftrack.suite.selection import Selected

GRACE_S = 30.0


class Work(Protocol):
    """What is done with a commit on an accelerator. Travels to another process: picklable."""

    def __call__(self, commit: Commit, accelerator: Accelerator, progress: Progress) -> Recorded: ...


@dataclass(frozen=True, slots=True)
class Said:
    """A line of one process: what it does, or what went wrong."""

    method: str
    argument: object


class Ended(BaseException):
    """The coordinator wants the process to stop: it unwinds, so that worktrees and workers go."""


def record_on(
    accelerators: Sequence[Accelerator], commits: Sequence[Commit], work: Work, progress: Progress
) -> Iterator[Recorded]:
    """The answers as commits are done, in no particular order.

    The first error ends all; so does an interrupt. What was stored stays. Raises what a process raised, and
    WorkerError for one that died.
    """
    context = multiprocessing.get_context("spawn")  # a fork would inherit the threads' locks of this process
    fleet: dict[Connection, BaseProcess] = {}
    places: dict[Connection, Accelerator] = {}
    try:
        for accelerator in accelerators[: len(commits)]:
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, accelerator, work), daemon=True)
            process.start()
            theirs.close()
            fleet[ours], places[ours] = process, accelerator
        yield from _hand_out(fleet, places, commits, progress)
    finally:
        _stop(fleet)


def _hand_out(
    fleet: dict[Connection, BaseProcess],
    places: dict[Connection, Accelerator],
    commits: Sequence[Commit],
    progress: Progress,
) -> Iterator[Recorded]:
    ahead = iter(enumerate(commits, 1))
    busy: set[Connection] = set()
    for pipe in fleet:
        _next(pipe, ahead, busy, len(commits), places[pipe], progress)
    while busy:
        for ready in wait(list(busy)):
            assert isinstance(ready, Connection)
            try:
                told = ready.recv()
            except (EOFError, OSError) as error:
                number = places[ready].number
                raise WorkerError(f"the process that records on device {number} died", "Run it again.") from error
            if isinstance(told, Said):
                getattr(progress, told.method)(told.argument)
            elif isinstance(told, Recorded):
                busy.discard(ready)
                progress.ended(told)
                yield told
                _next(ready, ahead, busy, len(commits), places[ready], progress)
            elif isinstance(told, BaseException):
                raise told


def _next(
    pipe: Connection,
    ahead: Iterator[tuple[int, Commit]],
    busy: set[Connection],
    total: int,
    accelerator: Accelerator,
    progress: Progress,
) -> None:
    """Give a process its next commit, or tell it that there is none."""
    position, commit = next(ahead, (0, None))
    with contextlib.suppress(OSError):  # it is dead: reading from it tells
        pipe.send(commit)
    if commit is not None:
        progress.commit(commit, position, total, f"device {accelerator.number}")
        busy.add(pipe)


def _stop(fleet: dict[Connection, BaseProcess]) -> None:
    for process in fleet.values():
        if process.is_alive():
            process.terminate()
    for pipe, process in fleet.items():
        process.join(GRACE_S)
        if process.is_alive():
            process.kill()
            process.join()
        pipe.close()


def _serve(pipe: Connection, accelerator: Accelerator, work: Work) -> None:
    """What a process does: commits until there are no more, or it is told to stop."""
    # Ctrl-C reaches every process of the terminal; what it ends is the coordinator's to say, once.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, _end)
    os.environ.update(accelerator.variables)
    # The coordinator may be gone, or may want an end at any moment, also of what is being sent.
    with contextlib.suppress(EOFError, BrokenPipeError, Ended):
        try:
            while (commit := pipe.recv()) is not None:
                pipe.send(work(commit, accelerator, _Telling(pipe)))
        except PerftrackError as error:
            pipe.send(error)
        except (EOFError, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the coordinator's boundary turns it into text
            pipe.send(WorkerError(f"on device {accelerator.number}: {type(error).__name__}: {error}"))
        finally:
            # Nothing is left to unwind: raised in the interpreter's own end, Ended would be a traceback.
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _end(_number: int, _frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Ended


@dataclass(frozen=True, slots=True)
class _Telling:
    """Progress that goes to the coordinator: what goes wrong, and no more, as several would talk at once."""

    pipe: Connection

    def problem(self, problem: Problem) -> None:
        self.pipe.send(Said("problem", problem))

    def chosen(self, total: int, done: int, cut: str) -> None: ...
    def commit(self, commit: Commit, position: int, total: int, where: str = "") -> None: ...
    def installing(self) -> None: ...
    def building(self, command: str) -> None: ...
    def planned(self, units: int) -> None: ...
    def planned_more(self, units: int) -> None: ...

    def measured(self, selected: Selected, process: int, outcome: Outcome) -> None:
        if outcome.result.status is Status.FAILED:
            self.problem(Problem(selected.case.id, outcome.result.message))

    def stored(self, run: Run, new: bool) -> None: ...
    def profiling(self, selected: Selected) -> None: ...
    def ended(self, recorded: Recorded) -> None: ...
