"""What else changed where a lane's level did: the environment, the benchmark files, dependencies, the kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from perftrack.app.order import Order
from perftrack.app.project import Project
from perftrack.app.venv import DEPENDENCY_FILES
from perftrack.core.changes.appraisal import CaseChange, blamed
from perftrack.core.changes.changepoint import ChangeKind
from perftrack.core.changes.samecode import code_marks
from perftrack.core.fingerprint import EnvironmentFingerprint, differences
from perftrack.core.history import Lane, Point
from perftrack.core.launches.diff import ProfileDiff, diff_profiles
from perftrack.core.launches.launch import LaunchSummary, Profile
from perftrack.core.launches.samecode import DEVICE_TIMERS
from perftrack.core.model import Reason
from perftrack.core.reasons import reason
from perftrack.store.alerts import Origin, read_origins
from perftrack.vcs.changes import changed_paths
from perftrack.vcs.line import trees

Codes = Mapping[str, Mapping[str, Sequence[LaunchSummary]]]  # by case id and commit

MOST_DIFFS = 3  # cases of an event whose profiles are compared
SHOWN_PATHS = 5


def _kernels_timed(change: CaseChange, lanes: Mapping[str, Lane]) -> bool:
    """Whether kernels are what the lane times: what the host adds is not in their code."""
    lane = lanes.get(change.trend.lane)
    if change.series.metric != "time" or lane is None or lane.protocol.timer not in DEVICE_TIMERS:
        return False
    return all(r.code != "launch-bound" for p in sides(change) for r in p.limitations)


def sides(change: CaseChange) -> tuple[Point, Point]:
    """The last point that has the old level for certain, and the first that has the new one."""
    points = change.trend.points
    first, last = change.change.first, change.change.last
    return points[max(first - 1, 0)], points[last]


@dataclass(frozen=True, slots=True)
class Causes:
    """Where causes are looked for: what the store holds of both sides of the changes, and Git."""

    project: Project
    order: Order
    lanes: Mapping[str, Lane]
    origins: Mapping[tuple[str, str], Origin] = field(default_factory=dict)
    environments: Mapping[str, EnvironmentFingerprint] = field(default_factory=dict)
    codes: Codes = field(default_factory=dict)
    changed: Mapping[tuple[int, int], Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, project: Project, order: Order, lanes: Mapping[str, Lane], changes: Sequence[CaseChange]
    ) -> Causes:
        """Reads what is stored of both sides of the changes, all at once."""
        runs = sorted({p.run_id for c in changes for p in sides(c)})
        if not runs:
            return cls(project, order, lanes)
        timed = any(_kernels_timed(c, lanes) for c in changes)
        codes: Codes = project.store.codes() if timed else {}
        origins = read_origins(project.store, runs)
        return cls(project, order, lanes, origins, project.store.fingerprints(), codes)

    def with_candidates(self, changes: Sequence[CaseChange]) -> tuple[CaseChange, ...]:
        """The changes with the commits that can be to blame for each; equal code never is."""
        positions = self.order.positions
        steps = [c for c in changes if c.change.kind is not ChangeKind.GRADUAL]
        asked = {self.order.shas[at] for c in steps for at in range(max(c.place.first - 1, 0), c.place.last + 1)}
        files = {positions[sha]: tree for sha, tree in trees(self.project.root, asked).items()}
        out = []
        for change in changes:
            codes = self.codes.get(change.case.id, {}) if _kernels_timed(change, self.lanes) else {}
            ran = {positions[sha]: launches for sha, launches in codes.items() if sha in positions}
            marks = code_marks(max(change.place.first - 1, 0), change.place.last, files, ran)
            out.append(blamed(change, marks))
        return tuple(out)

    def with_files(self, ranges: Sequence[tuple[int, int]]) -> Causes:
        """With the paths that changed in each range of positions, all read at once, for `hints`."""
        inside = [(first, last) for first, last in ranges if first > 0]
        shas = [(self.order.shas[first - 1], self.order.shas[last]) for first, last in inside]
        paths = changed_paths(self.project.root, shas) if shas else []
        return replace(self, changed=dict(zip(inside, paths, strict=True)))

    def hints(self, first: int, last: int, changes: Sequence[CaseChange]) -> tuple[Reason, ...]:
        """What else changed in the range of positions, as far as it is known. `with_files` has read the range.

        Over the many commits of a drift files of every kind change, which tells nothing.
        """
        found = dict.fromkeys(r for change in changes for r in self._of_environment(change))
        drift = all(change.change.kind is ChangeKind.GRADUAL for change in changes)
        return (*found, *([] if drift else self._of_files(first, last)))

    def _of_environment(self, change: CaseChange) -> list[Reason]:
        before, after = (self.origins.get((p.run_id, p.lane)) for p in sides(change))
        if before is None or after is None:
            return []
        found = []
        same = before.fingerprint_id == after.fingerprint_id
        ends = [None if same else self.environments.get(o.fingerprint_id) for o in (before, after)]
        if ends[0] is not None and ends[1] is not None and (differing := differences(ends[0], ends[1])):
            found.append(reason("environment-changed", fields="; ".join(map(str, differing))))
        versions = (before.perftrack_version, after.perftrack_version)
        if all(versions) and versions[0] != versions[1]:
            found.append(reason("recorder-changed", baseline=versions[0], candidate=versions[1]))
        return found

    def _of_files(self, first: int, last: int) -> list[Reason]:
        if first == 0:
            return []
        changed = self.changed[first, last]
        folder = self.project.config.benchmarks.rstrip("/") + "/"
        patterns = self.project.config.env_files or DEPENDENCY_FILES
        ours = [path for path in changed if path.startswith(folder)]
        needed = [path for path in changed if any(fnmatchcase(path, p) for p in patterns)]
        found = []
        if ours:
            found.append(reason("benchmark-files-changed", paths=_listed(ours)))
        if needed:
            found.append(reason("dependencies-changed", paths=_listed(needed)))
        return found

    def diffs(self, changes: Sequence[CaseChange]) -> dict[str, ProfileDiff]:
        """By case id, what profiles on both sides show, of the cases that are surest to have changed."""
        timed = [c for c in changes if c.series.metric == "time" and c.case.id in self.codes]
        found: dict[str, ProfileDiff] = {}
        for change in sorted(timed, key=lambda c: c.change.p_value):
            shas = [p.sha for p in sides(change)]
            if len(found) == MOST_DIFFS or not all(sha in self.codes[change.case.id] for sha in shas):
                continue
            before, after = (self._profile(sha, change.case.id) for sha in shas)
            if before is not None and after is not None:
                found[change.case.id] = diff_profiles(before, after)
        return found

    def _profile(self, sha: str, case: str) -> Profile | None:
        return next((p for p in self.project.store.profiles(sha, case) if not p.dirty), None)


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - SHOWN_PATHS} more" if len(paths) > SHOWN_PATHS else ""
    return ", ".join(sorted(paths)[:SHOWN_PATHS]) + more
