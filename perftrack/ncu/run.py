"""Running Nsight Compute: its command line, its process, and what it left behind."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from perftrack.errors import ProfileError
from perftrack.ncu.raw import Reading
from perftrack.ncu.read import read
from perftrack.ncu.selection import Selection
from perftrack.ncu.tool import Tool

STOP_GRACE_S = 5.0
EXPORT_S = 300.0


class Runner(Protocol):
    """Runs a command to its end in a process of its own and returns its exit status.

    Raises TimeoutError where it took too long and was ended, OSError where it cannot start.
    """

    def __call__(self, command: Sequence[str], job: Job) -> int: ...


@dataclass(frozen=True, slots=True)
class Job:
    """Where and how long a command runs. `output`: descriptor or file that takes what it prints."""

    folder: Path
    output: int
    timeout_s: float | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Taken:
    """What a run of ncu left: its report, its own messages, and the exit status, which is the program's."""

    tool: Tool
    report: Path
    log: Path
    status: int

    def read(self, *, everything: bool = False) -> Reading:
        """What was profiled. Raises ProfileError that says why nothing was; the log tells, if anything does.

        `everything`: also the counters that no summary is made of. A report that cannot be read here is read as
        the page that this ncu makes of it, which does not tell the machine code; a warning then says why.
        """
        if self.report.exists():
            try:
                return read(self.report, name="the profile", everything=everything)
            except ProfileError as error:
                return self._exported(error)
        if self.log.exists() and self.log.stat().st_size:
            read(self.log, name="ncu")
        raise ProfileError(
            f"ncu left no report; it exited with {self.status}", "Run the program without ncu: does it work?"
        )

    def _exported(self, refusal: ProfileError) -> Reading:
        page = self.report.with_name("page.csv")
        form = ("--csv", "--page", "raw", "--print-units", "base", "--print-fp")
        command = (self.tool.path, "--import", str(self.report), *form)
        try:
            with page.open("wb") as output:
                run_process(command, Job(self.report.parent, output.fileno(), EXPORT_S))
            reading = read(page, name="the profile")
        except (ProfileError, OSError):  # TimeoutError is one
            raise refusal from None
        why = f"the report was read as a page, without the code that ran: {refusal.message}"
        return replace(reading, warnings=(*reading.warnings, why))


def command_line(
    tool: Tool, selection: Selection, target: Sequence[str], folder: Path, *, marked: bool = False
) -> tuple[str, ...]:
    """ncu's command line for `target`, leaving report and log in `folder`.

    `marked`: only what the program puts between cuProfilerStart and cuProfilerStop is profiled. NVTX ranges are
    recorded with the launches either way.
    """
    if not target or target[0].startswith("-"):
        raise ProfileError(f"{target[0] if target else ''!r} is no program to profile", "Name it after --.")
    files = (
        "--export",
        str(folder / "profile.ncu-rep"),
        "--log-file",
        str(folder / "ncu.log"),
        "--force-overwrite",
    )
    start = ("--profile-from-start", "off") if marked else ()
    return (tool.path, *selection.options, "--target-processes", "all", "--nvtx", *start, *files, *target)


def take(
    tool: Tool,
    selection: Selection,
    target: Sequence[str],
    folder: Path,
    job: Job,
    *,
    marked: bool = False,
    runner: Runner | None = None,
) -> Taken:
    """Profile a command; `folder` gets the report. Raises ProfileError where ncu cannot start or took too long.

    Metrics that this ncu refuses by name, as it may those of other chips, are left out in a second try.
    """
    taken = _once(tool, selection, target, folder, job, marked, runner or run_process)
    refused = set() if taken.report.exists() else _refused(taken.log, selection.metrics)
    if not refused:
        return taken
    fewer = replace(selection, metrics=tuple(m for m in selection.metrics if m not in refused))
    return _once(tool, fewer, target, folder, job, marked, runner or run_process)


def _refused(log: Path, metrics: Sequence[str]) -> set[str]:
    """The metrics that an error of ncu's names."""
    if not log.exists():
        return set()
    text = log.read_text(encoding="utf-8", errors="replace")
    errors = [line for line in text.splitlines() if line.startswith("==ERROR==")]
    return {m for m in metrics if any(m in re.split(r"[\s,'\"]+", line) for line in errors)}


def _once(
    tool: Tool,
    selection: Selection,
    target: Sequence[str],
    folder: Path,
    job: Job,
    marked: bool,
    runner: Runner,
) -> Taken:
    command = command_line(tool, selection, target, folder, marked=marked)
    try:
        status = runner(command, job)
    except TimeoutError as error:
        raise ProfileError(
            f"profiling took longer than {job.timeout_s:g} s",
            "Every launch is replayed several times: profile fewer, ask for a smaller set, or allow more time "
            "(`ncu-launches`, `ncu-timeout`).",
        ) from error
    except OSError as error:
        raise ProfileError(f"cannot start {command[0]}: {error.strerror}", "Set `ncu` to where ncu is.") from error
    return Taken(tool, folder / "profile.ncu-rep", folder / "ncu.log", status)


def run_process(command: Sequence[str], job: Job) -> int:
    """The Runner that runs a real process, and ends it with all its children where it may not go on."""
    process = subprocess.Popen(
        command,
        cwd=job.folder,
        env={**os.environ, **job.environment},
        stdin=subprocess.DEVNULL,
        stdout=job.output,
        stderr=job.output,
        start_new_session=True,
    )
    try:
        return process.wait(job.timeout_s)
    except subprocess.TimeoutExpired as error:
        _end(process)
        raise TimeoutError from error
    except BaseException:
        _end(process)
        raise


def _end(process: subprocess.Popen[bytes]) -> None:
    """ncu gets a moment to undo what it did to the clocks; what it started does not outlive it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(STOP_GRACE_S)
    except subprocess.TimeoutExpired:
        pass
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
