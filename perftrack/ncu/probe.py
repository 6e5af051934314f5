"""May this user read the counters here? Asked of the driver by profiling a real kernel and reading a value."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from perftrack.errors import ProfileError
from perftrack.ncu.kernel import NO_KERNEL, PRINTS, PROGRAM
from perftrack.ncu.read import read
from perftrack.ncu.run import Job, Runner, run_process
from perftrack.ncu.selection import Selection
from perftrack.ncu.tool import Tool

# Counted by the SMs: what the driver keeps from users without permission. Launch attributes anybody may read.
COUNTER = "smsp__inst_executed.sum"
TIMEOUT_S = 180.0


@dataclass(frozen=True, slots=True)
class Probe:
    """How to run it. `python` runs the kernel, in `environment`; nothing needs to be installed there."""

    tool: Tool
    python: str
    environment: Mapping[str, str] = field(default_factory=dict)

    def read_counter(self, runner: Runner | None = None) -> float:
        """Warp instructions that the counter saw of the kernel.

        Raises ProfileError that says what is missing: a device, permission, or ncu's support of either.
        """
        with tempfile.TemporaryDirectory(prefix="perftrack-probe-") as name:
            folder = Path(name)
            log, printed = folder / "log.csv", folder / "printed"
            with printed.open("wb") as output:
                job = Job(folder, output.fileno(), TIMEOUT_S, self.environment)
                status = _run(self._command(log), job, runner or run_process)
            said = printed.read_text(encoding="utf-8", errors="replace").strip()
            if status == NO_KERNEL:
                raise ProfileError(f"no kernel could be run to profile: {said[-500:]}", _DOCTOR)
            value = _value(log, status, said)
            if str(PRINTS) not in said.split():
                raise ProfileError(f"the probe's kernel wrote nothing; it printed {said[-200:]!r}", _DOCTOR)
            return value

    def _command(self, log: Path) -> tuple[str, ...]:
        selection = Selection("", (COUNTER,), cache_control="none")
        form = ("--csv", "--page", "raw", "--print-units", "base", "--log-file", str(log))
        # PROGRAM as a file: a command line of many lines may not survive a wrapper script.
        program = log.with_name("kernel.py")
        program.write_text(PROGRAM, encoding="utf-8")
        return (self.tool.path, *selection.options, *form, self.python, str(program))


_DOCTOR = "perftrack doctor --device cuda says more."


def _run(command: tuple[str, ...], job: Job, runner: Runner) -> int:
    try:
        return runner(command, job)
    except TimeoutError as error:
        raise ProfileError(f"profiling one small kernel took longer than {TIMEOUT_S:g} s", _DOCTOR) from error
    except OSError as error:
        raise ProfileError(f"cannot start {command[0]}: {error.strerror}", "Set `ncu` to where ncu is.") from error


def _value(log: Path, status: int, said: str) -> float:
    if not log.exists():
        raise ProfileError(f"ncu exited with {status} and said nothing; printed was {said[-500:]!r}", _DOCTOR)
    reading = read(log, name="the probe's profile")  # what ncu refused, the reader says
    for launch in reading.launches:
        for counter in launch.counters:
            if counter.name == COUNTER and isinstance(counter.value, float) and counter.value > 0:
                return counter.value
    raise ProfileError(
        f"ncu profiled the probe's kernel but gave no value for {COUNTER}",
        "Does this release of Nsight Compute support the GPU and its driver?",
    )
