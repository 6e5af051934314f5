"""Profiles as people ask for them: of files, of a commit's cases, or of a command that is run now."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from perftrack.app.history import commit_of
from perftrack.app.project import Project
from perftrack.core.launches.launch import Profile
from perftrack.core.model import Case, Commit
from perftrack.core.text import name_flaw
from perftrack.errors import ProfileError, StoreError, StoreMissingError, UsageError
from perftrack.ncu.merging import summarise_launches
from perftrack.ncu.raw import Reading
from perftrack.ncu.read import read
from perftrack.ncu.run import Job, take
from perftrack.ncu.selection import Selection
from perftrack.ncu.tool import Tool
from perftrack.suite.selection import means

STDIN = "-"


@dataclass(frozen=True, slots=True)
class CommitProfiles:
    """The newest profile of each case of a commit; `dirty`: of its uncommitted changes, there being no others."""

    commit: Commit
    profiles: tuple[Profile, ...]
    dirty: bool = False


def profile_of(readings: Sequence[Reading]) -> Profile:
    """The launches of one profile out of all its files; of no commit and no case. Raises ProfileError."""
    launches = summarise_launches(readings)
    return Profile(
        sha="",
        case_id="",
        taken_at=0.0,
        launches=launches,
        ncu_version=_first(r.ncu_version for r in readings),
        clock_control=_first(r.clock_control for r in readings),
        cache_control=_first(r.cache_control for r in readings),
        collection=_first(r.collection for r in readings),
        source=", ".join(r.name for r in readings),
        limitations=tuple(dict.fromkeys(w for r in readings for w in r.warnings)),
    )


def _first(values: Iterable[str]) -> str:
    return next((v for v in values if v), "")


def read_files(names: Sequence[str], stdin: BinaryIO | None = None, *, everything: bool = False) -> Profile:
    """One profile out of its files: pages and reports of the same launches. `-` is `stdin`.

    `everything`: also the counters that no summary is made of. Raises ProfileError for a file that is none.
    """
    readings = []
    if names.count(STDIN) > 1:
        raise UsageError("standard input can be read once", "Name `-` once, and files besides.")
    for name in _once(names):
        if name == STDIN:
            if stdin is None:
                raise UsageError("there is no standard input to read", "Name a file.")
            readings.append(read(stdin, name="standard input", everything=everything))
        elif (path := Path(name)).is_file():
            readings.append(read(path, name=name, everything=everything))
        else:
            try:
                with path.open("rb") as stream:  # a pipe can be read once, and a device may have no end
                    readings.append(read(stream, name=name, everything=everything))
            except OSError as error:
                raise ProfileError(f"{name} cannot be read: {error.strerror}", "Check the name.") from error
    return profile_of(readings)


def _once(names: Sequence[str]) -> list[str]:
    """Without files that are named again, whatever they are called then."""
    known: dict[object, str] = {}
    for name in names:
        path = Path(name)
        own = path.stat() if name != STDIN and path.is_file() else None
        known.setdefault((own.st_dev, own.st_ino) if own else name, name)
    return list(known.values())


def profiles_of(project: Project, revision: str, patterns: Sequence[str] = ()) -> CommitProfiles:
    """The profiles of a revision's cases. Raises StoreError where it has none, UsageError for a pattern of none.

    Those of uncommitted changes stand in where there are no others.
    """
    commit = commit_of(project, revision)
    for dirty in (False, True):
        found = project.store.latest_profiles(commit.sha, dirty=dirty)
        if found:
            return CommitProfiles(commit, _matching(found, patterns, revision), dirty)
    raise StoreError(
        f"no profile is stored for {revision} ({commit.sha[:12]})",
        f"perftrack record --ncu {revision}, or perftrack ncu import FILE --rev {revision} --bench CASE",
    )


def _matching(found: Sequence[Profile], patterns: Sequence[str], revision: str) -> tuple[Profile, ...]:
    for pattern in patterns:
        if not any(_means(pattern, p) for p in found):
            names = ", ".join(sorted({p.case_id for p in found})[:5])
            raise UsageError(f"no profiled case of {revision} matches {pattern!r}", f"Profiled are {names}.")
    return tuple(p for p in found if not patterns or any(_means(pattern, p) for pattern in patterns))


def _means(pattern: str, profile: Profile) -> bool:
    return means(pattern, Case(profile.case_id), "")


def import_files(
    project: Project, names: Sequence[str], revision: str, case: str, stdin: BinaryIO | None = None
) -> tuple[Profile, bool, bool]:
    """Store files as the profile of a case: the profile, whether it is new, and whether the case is a known one.

    `case`: an id, or a part of one that means a single recorded case. When it was taken is when the files were
    last written, so that importing them again changes nothing. Raises ProfileError for a file that is no profile,
    UsageError for a part of several cases.
    """
    commit = commit_of(project, revision)
    case_id, known = _case(project, case)
    profile = read_files(names, stdin, everything=True)
    taken_at = max((Path(n).stat().st_mtime for n in names if n != STDIN), default=time.time())
    names_only = ", ".join("standard input" if n == STDIN else Path(n).name for n in _once(names))
    stored = replace(profile, sha=commit.sha, case_id=case_id, taken_at=round(taken_at, 6), source=names_only)
    project.repository.ensure_ignored(*project.store.files)
    return stored, project.store.add_profile(stored, [commit]), known


def _case(project: Project, name: str) -> tuple[str, bool]:
    try:
        recorded = project.store.case_ids()
    except StoreMissingError:
        recorded = ()
    hits = [c for c in recorded if c == name] or [c for c in recorded if means(name, Case(c), "")]
    if len(hits) > 1:
        listed = ", ".join(hits[:5]) + (", …" if len(hits) > 5 else "")
        raise UsageError(f"{name!r} may be {listed}", "A profile is of one case: give its whole name to --bench.")
    if not hits and (wrong := name_flaw(name)):
        raise UsageError(f"the name of a case {wrong}", "Give another with --bench.")
    return (hits[0], True) if hits else (name, False)


def run_command(
    tool: Tool,
    selection: Selection,
    command: Sequence[str],
    output: int,
    *,
    folder: Path = Path(),
    timeout_s: float | None = None,
    keep: Path | None = None,
    everything: bool = False,
    clock: Callable[[], float] = time.time,
) -> tuple[Profile, int]:
    """Profile a command now; what it prints goes to `output`. With its exit status.

    `keep`: where to leave the report. Raises ProfileError where nothing could be profiled; it says why.
    """
    if keep is not None and not keep.parent.is_dir():
        raise ProfileError(f"there is no folder {keep.parent} to keep the report in", "Make it, or name another.")
    with tempfile.TemporaryDirectory(prefix="perftrack-ncu-") as name:
        taken_at = clock()
        taken = take(tool, selection, command, Path(name), Job(folder, output, timeout_s))
        if keep is not None and taken.report.exists():
            shutil.copyfile(taken.report, keep)  # first: it is worth keeping where it cannot be read here
        reading = taken.read(everything=everything)
    profile = replace(
        profile_of([reading]),
        taken_at=taken_at,
        ncu_version=tool.version,
        clock_control=selection.clock_control,
        cache_control=selection.cache_control,
        collection=selection.name,
        source=" ".join(command),
    )
    return profile, taken.status
