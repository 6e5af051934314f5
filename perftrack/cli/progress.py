"""Progress of a recording: a live bar on a terminal, plain lines in CI, nothing with --quiet. All on stderr."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

import click

from perftrack.app.recording import Recorded
from perftrack.app.visit import Outcome
from perftrack.cli.record_view import shallow
from perftrack.core.launches.words import on_line
from perftrack.core.model import Commit, Run, Status
from perftrack.core.units import format_duration
from perftrack.suite.messages import Problem
from perftrack.suite.selection import Selected

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

LINE_EVERY_S = 10.0
NEWLINE = "\n"


class RecordProgress:
    """app.record's Progress for people. Use as a context manager."""

    def __init__(self, *, quiet: bool, verbose: bool) -> None:
        self._quiet = quiet
        self._verbose = verbose
        self._live = sys.stderr.isatty() and not quiet
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._units = 0
        self._done = 0
        self._started = time.monotonic()
        self._last_line = 0.0
        self._began = self._started
        self._ended = 0
        self._commits: TaskID | None = None

    def __enter__(self) -> RecordProgress:
        if self._live:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            from perftrack.cli.output import console

            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=console(stderr=True),
                transient=True,
            )
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def chosen(self, total: int, done: int, cut: str) -> None:
        if cut:
            self._line(f"Warning: {shallow(cut)}", always=True)
        if done:
            left = f"{total} to go" if total else "nothing is left to do"
            self._line(f"{done} commit(s) are done here and left out (--again measures them too), {left}")
        if self._bar is not None and total > 1:
            self._commits = self._bar.add_task("commits", total=total)

    def commit(self, commit: Commit, position: int, total: int, where: str = "") -> None:
        prefix = f"[{position}/{total}] " if total > 1 else ""
        prefix += f"{where}: " if where else ""
        left = ""
        if self._ended:
            spent = time.monotonic() - self._began
            left = f" (about {format_duration(spent / self._ended * (total - self._ended))} left)"
        self._line(f"{prefix}{commit.sha[:12]} {on_line(commit.subject[:80])}{left}")

    def ended(self, recorded: Recorded) -> None:
        self._ended += 1
        if recorded.failure:
            self._line(f"  {recorded.failure.partition(NEWLINE)[0]}", always=True)
        if self._bar is not None and self._commits is not None:
            self._bar.update(self._commits, completed=self._ended)

    def installing(self) -> None:
        self._line("  environment of its own, by its dependency files")

    def building(self, command: str) -> None:
        self._line(f"  building: {command}")

    def planned(self, units: int) -> None:
        self._units, self._done = units, 0
        self._started = self._last_line = time.monotonic()
        if self._bar is not None:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task("measuring", total=units)

    def planned_more(self, units: int) -> None:
        if not units:
            return
        self._units += units
        self._line(f"  {units} case(s) need another process for a narrower interval")
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, total=self._units)

    def problem(self, problem: Problem) -> None:
        click.echo(f"Error: {problem.where}: {problem.message}", err=True)
        if problem.hint:
            click.echo(f"Hint: {problem.hint}", err=True)

    def measured(self, selected: Selected, process: int, outcome: Outcome) -> None:
        self._done += 1
        if outcome.result.status is Status.FAILED:
            self._line(f"  failed: {selected.case.id}: {outcome.result.message}", always=True)
            if self._verbose and outcome.output:
                self._line(outcome.output.rstrip(), always=True)
        elif self._verbose:
            self._line(f"  process {process + 1}: {selected.case.id} {outcome.result.status.value}")
            if (ratio := outcome.result.cold_over_hot) is not None:
                self._line(f"    with a cold cache it takes {ratio:.2f} times as long as with a hot one")
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done, description=selected.case.id[:50])
        elif time.monotonic() - self._last_line > LINE_EVERY_S:
            self._last_line = time.monotonic()
            spent = self._last_line - self._started
            left = spent / self._done * max(self._units - self._done, 0)
            self._line(f"  {self._done}/{self._units} measured, about {format_duration(left)} left")

    def stored(self, run: Run, new: bool) -> None:
        self._line(f"  stored run {run.id}" if new else f"  run {run.id} was already stored")

    def profiling(self, selected: Selected) -> None:
        self._line(f"  profiling {selected.case.id}")

    def _line(self, text: str, *, always: bool = False) -> None:
        if self._quiet and not always:
            return
        if self._bar is not None:
            self._bar.console.print(text)
        else:
            click.echo(text, err=True)
