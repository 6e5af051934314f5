"""What is asked of a recording, what it tells on the way, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from perftrack.app.sweep import Sweep
from perftrack.app.visit import Outcome
from perftrack.core.launches.launch import Profile
from perftrack.core.model import Commit, Run, Status
from perftrack.suite.launch import Setup
from perftrack.suite.messages import Catalogue, Problem
from perftrack.suite.selection import Selected


class Progress(Protocol):
    """What recording tells while it goes on."""

    def chosen(self, total: int, done: int, cut: str) -> None: ...
    def commit(self, commit: Commit, position: int, total: int, where: str = "") -> None: ...
    def installing(self) -> None: ...
    def building(self, command: str) -> None: ...
    def planned(self, units: int) -> None: ...
    def planned_more(self, units: int) -> None: ...
    def problem(self, problem: Problem) -> None: ...
    def measured(self, selected: Selected, process: int, outcome: Outcome) -> None: ...
    def stored(self, run: Run, new: bool) -> None: ...
    def profiling(self, selected: Selected) -> None: ...
    def ended(self, recorded: Recorded) -> None: ...


class Profiling(Protocol):
    """What profiles a recording's cases once its times are stored; see app.profiling."""

    def profile(self, setup: Setup, recorded: Recorded, catalogue: Catalogue, progress: Progress) -> Recorded: ...


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """What was asked. Neither revisions nor a range: the working tree at HEAD, in place.

    `environment`: `venv` or `current`; empty: the configuration's, or what a commit's own files ask for.
    `devices`: the accelerators to spread commits over, see app.accelerators; empty: one commit at a time.
    """

    sweep: Sweep = field(default_factory=Sweep)
    patterns: tuple[str, ...] = ()
    quick: bool = False
    allow_dirty: bool = False
    processes: int | None = None
    max_processes: int | None = None
    width: float | None = None
    lock_clocks_mhz: int | None = None
    power_cap_w: int | None = None
    cache_ratio: bool = False
    build: str | None = None
    python: str | None = None
    device: str | None = None
    benchmarks_from_commit: bool = False
    label: str = ""
    seed: int | None = None
    profiler: Profiling | None = None
    environment: str = ""
    devices: str = ""

    @property
    def in_place(self) -> bool:
        return not self.sweep.revisions and not self.sweep.ranges


@dataclass(frozen=True, slots=True)
class Recorded:
    """One commit's answer: the run (None where nothing is stored) and what was wrong on the way.

    `failure`: why nothing was measured; the run then says so too, unless the reason was not the commit's.
    `complete`: nothing was left to measure.
    """

    commit: Commit
    run: Run | None
    new: bool
    problems: tuple[Problem, ...] = ()
    failure: str = ""
    profiles: tuple[Profile, ...] = ()
    unprofiled: tuple[str, ...] = ()  # why what should have been profiled was not
    complete: bool = False
    run_id: str = ""

    @property
    def measured(self) -> int:
        return sum(m.status is Status.OK for m in self.run.measurements) if self.run else 0


@dataclass(frozen=True, slots=True)
class DryRun:
    """What would be measured, and the longest that timed work and warm-up would take.

    Each case has `processes`, and up to `most_processes` where its interval is too wide. `done` and `cut` are
    Chosen's.
    """

    commits: tuple[Commit, ...]
    cases: tuple[Selected, ...]
    problems: tuple[Problem, ...]
    processes: int
    most_processes: int
    at_most_s: float
    done: int = 0
    cut: str = ""
