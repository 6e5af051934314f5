"""Accept a change: write down that from a commit on a benchmark's earlier history is no baseline."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from perftrack.app.history import commit_of
from perftrack.app.project import Project
from perftrack.config.epochs import add_epoch, reason_flaw
from perftrack.core.epoch import Epoch
from perftrack.core.model import Commit
from perftrack.errors import UsageError


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What was written, and where. `cases`: how many it covers now; `reached`: whether HEAD's history has it."""

    epoch: Epoch
    commit: Commit
    path: Path
    cases: int
    reached: bool


def accept(project: Project, bench: str, revision: str, reason: str, metric: str = "") -> Acceptance:
    """Add an epoch to the project's file. `bench`: a benchmark or a case of it, as recorded, or an earlier name.

    Raises UsageError for one that is not recorded, or a metric that it does not have, or a reason that says
    nothing; GitError for an unknown revision; ConfigError where it is there already or cannot be written.
    """
    if wrong := reason_flaw(reason):
        raise UsageError(f"--{wrong}", "Say why the change is acceptable: it is shown wherever it counts.")
    bench = project.store.known_renames().case_id(bench)
    known = [s for s in project.store.series() if bench in (s.case.benchmark, s.case.id)]
    if not known:
        names = sorted({name for s in project.store.series() for name in (s.case.benchmark, s.case.id)})
        close = difflib.get_close_matches(bench, names, 3, 0.4) or names[:5]
        raise UsageError(f"no benchmark or case {bench!r} is recorded", f"There are {', '.join(close)}.")
    metrics = sorted({s.metric for s in known})
    if metric and metric not in metrics:
        raise UsageError(f"{bench} has no metric {metric!r}", f"It has {', '.join(metrics)}.")
    commit = commit_of(project, revision)
    epoch = Epoch(bench, commit.sha, reason.strip(), metric)
    path = add_epoch(project.root, epoch)
    reached = commit.sha in project.repository.reached((commit.sha,))
    return Acceptance(epoch, commit, path, len({s.case for s in known}), reached)
