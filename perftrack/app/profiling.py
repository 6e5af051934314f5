"""Profiling what was just recorded: each case once more, in a process of its own, after its times are stored.

Never in the timed process: the profiler replays every launch several times and holds what it measures apart.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from perftrack.app.project import Project
from perftrack.app.recording import Progress, Recorded
from perftrack.core.launches.launch import Profile
from perftrack.core.model import Run, Status
from perftrack.core.plan import Plan
from perftrack.errors import PerftrackError, ProfileError
from perftrack.ncu.merging import summarise_launches
from perftrack.ncu.probe import Probe
from perftrack.ncu.run import Job, Taken, take
from perftrack.ncu.selection import DIFF_METRICS, Selection, check_set
from perftrack.ncu.tool import Tool, find_tool
from perftrack.suite.errand import Errand
from perftrack.suite.launch import Setup
from perftrack.suite.messages import Catalogue, Kind, Request, RunCase
from perftrack.suite.selection import Selected, all_cases

SOURCE = "perftrack record --ncu"
# "replay" stands in for a GPU where there is none.
DEVICES = ("cuda", "replay")


@dataclass(frozen=True, slots=True)
class Profiler:
    """An ncu that was seen to read counters here, and what to ask of it; or why there is none.

    device: the kind to run on instead of the declared one, as for the recording.
    """

    project: Project
    selection: Selection
    device: str
    tool: Tool | None = None
    refusal: PerftrackError | None = None
    clock: Callable[[], float] = time.time

    def profile(self, setup: Setup, recorded: Recorded, catalogue: Catalogue, progress: Progress) -> Recorded:
        """With a profile of every case that was measured on an NVIDIA GPU, stored, and why others have none."""
        run = recorded.run
        if run is None:
            return recorded
        if self.tool is None:
            why = self.refusal.message if self.refusal else "there is no profiler"
            return replace(recorded, unprofiled=(why,))
        chosen = _on_gpu(run, catalogue)
        if not chosen:
            return replace(
                recorded, unprofiled=("no benchmark ran on an NVIDIA GPU: there is nothing to profile",)
            )
        profiles, problems = [], []
        for selected in chosen:
            progress.profiling(selected)
            try:
                profile = self.take(setup, selected, run.sha, run.seed, run_id=run.id, dirty=run.dirty)
            except PerftrackError as error:
                problems.append(f"{selected.case.id}: {error.message}")
                continue
            self.project.store.add_profile(profile, [recorded.commit])
            profiles.append(profile)
        return replace(recorded, profiles=tuple(profiles), unprofiled=tuple(problems))

    def take(
        self, setup: Setup, selected: Selected, sha: str, seed: int, *, run_id: str = "", dirty: bool = False
    ) -> Profile:
        """One case of a commit in a process of its own. Raises ProfileError, WorkerError; why there is no ncu."""
        tool, case = self.tool, selected.case
        if tool is None:
            raise self.refusal or ProfileError("there is no profiler")
        request = Request(profile=RunCase(case.benchmark, case.params, Plan(), 0, seed, self.device))
        with tempfile.TemporaryDirectory(prefix="perftrack-ncu-") as name:
            taken_at = self.clock()
            reading = self._taken(tool, Errand(setup, request, Path(name))).read(everything=True)
            launches = summarise_launches((reading,))
        limitations = list(reading.warnings)
        if self.selection.launches is not None and len(launches) >= self.selection.launches:
            limitations.append(f"no more than {len(launches)} launches are profiled: there may be others")
        return Profile(
            sha=sha,
            case_id=case.id,
            taken_at=round(taken_at, 6),
            launches=launches,
            run_id=run_id,
            dirty=dirty,
            ncu_version=tool.version,
            clock_control=reading.clock_control or self.selection.clock_control,
            cache_control=self.selection.cache_control,
            collection=self.selection.name,
            source=SOURCE,
            limitations=tuple(limitations),
        )

    def _taken(self, tool: Tool, errand: Errand) -> Taken:
        """ncu's work around the errand, where the worker did its part. Raises ProfileError, WorkerError."""
        target = errand.prepare()
        printed = errand.folder / "printed"
        with printed.open("wb") as output:
            environment = errand.setup.environment
            job = Job(errand.setup.base, output.fileno(), self.project.config.ncu_timeout_s, environment)
            taken = take(tool, self.selection, target, errand.folder, job, marked=True)
        reply = errand.reply()
        if reply is None or reply.result is None:
            end = printed.read_text(encoding="utf-8", errors="replace").strip()[-1000:]
            if not taken.report.exists() and not end:
                taken.read()  # ncu itself may know
            why = f": {end}" if end else ""
            raise ProfileError(f"the process that ncu profiled ended with {taken.status} before it was done{why}")
        if reply.result.status is not Status.OK:
            raise ProfileError(f"{reply.result.status.value} while it was profiled: {reply.result.message}")
        return taken


def open_profiler(
    project: Project, set_name: str, *, python: str | None = None, device: str | None = None
) -> Profiler:
    """The profiler for a recording: ncu found, and a counter read of a real kernel. Takes some seconds.

    set_name: a section set of ncu; empty for `basic`. The metrics that explaining a slowdown needs come on top.
    Where it can't be had the answer carries why, since times are worth recording all the same. Raises UsageError
    for a set that is no name.
    """
    if set_name:
        check_set(set_name)
    config = project.config
    selection = Selection(
        set_name or "basic",
        DIFF_METRICS,
        config.ncu_clock_control,
        config.ncu_cache_control,
        config.ncu_launches,
    )
    profiler = Profiler(project, selection, device or config.device)
    try:
        tool = find_tool(project.program(config.ncu))
        if profiler.device != "replay":
            Probe(tool, project.interpreter(python), dict(config.environment)).read_counter()
    except ProfileError as error:
        return replace(profiler, refusal=error)
    return replace(profiler, tool=tool)


def _on_gpu(run: Run, catalogue: Catalogue) -> list[Selected]:
    measured = {
        m.case
        for m in run.measurements
        if m.status is Status.OK and m.fingerprint is not None and m.fingerprint.device_kind in DEVICES
    }
    return [s for s in all_cases(catalogue.declared) if s.case in measured and s.declared.kind is Kind.BENCHMARK]
