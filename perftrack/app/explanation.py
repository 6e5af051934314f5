"""Why one side's kernels are slower than the other's: stored profiles of commits, or files, launch by launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from perftrack.app.project import Project
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.launches.diff import ProfileDiff, diff_profiles
from perftrack.core.launches.launch import Profile
from perftrack.core.launches.samecode import weigh_code
from perftrack.core.model import Commit
from perftrack.errors import GitError, ProfileError, StoreMissingError, StoreVersionError, UsageError

_FILE_NAMES = (".csv", ".txt", ".log", ".ncu-rep", ".ncu-repz")


@dataclass(frozen=True, slots=True)
class Side:
    """What a name on the command line means: the profiles of a commit's cases, or the one of a file.

    `dirty`: of uncommitted changes. `ambiguous`: the name is that of a file, which was read, and of a revision.
    """

    name: str
    profiles: tuple[Profile, ...]
    commit: Commit | None = None
    dirty: bool = False
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class CaseDiff:
    case_id: str  # empty for files
    diff: ProfileDiff


@dataclass(frozen=True, slots=True)
class Explanation:
    """Cases that both sides have a profile of, and the ids of those that only one has."""

    cases: tuple[CaseDiff, ...]
    only_baseline: tuple[str, ...] = ()
    only_candidate: tuple[str, ...] = ()


def side_of(
    names: Sequence[str],
    patterns: Sequence[str],
    find: Callable[[], Project],
    folder: Path,
    stdin: BinaryIO,
    *,
    everything: bool = False,
) -> Side:
    """Files, where files are named so in `folder`; else a revision of the project that `find` finds.

    Raises UsageError for a mixture, ProfileError for a file that is no profile or is not there, StoreError for a
    revision that has none.
    """
    from perftrack.app.profiles import STDIN, read_files  # the readers of files: a comparison reads none

    paths = {n: folder / n for n in names if n == STDIN or _is_file(folder / n)}
    if len(paths) == len(set(names)):
        given = {n: STDIN if n == STDIN else str(paths[n]) for n in paths}
        profile = read_files(list(given.values()), stdin, everything=everything)
        return Side(", ".join(paths), (profile,), ambiguous=len(names) == 1 and _is_revision(names[0], find))
    others = [n for n in names if n not in paths]
    if paths or len(names) > 1:
        what = "are no files" if len(others) > 1 else "is no file"
        raise UsageError(f"{', '.join(others)} {what}", "Name files of one profile, or one revision.")
    return _revision(names[0], patterns, find, folder)


def _is_file(path: Path) -> bool:
    """Anything that can be read: also a pipe that a shell gives a name."""
    return path.exists() and not path.is_dir()


def _revision(name: str, patterns: Sequence[str], find: Callable[[], Project], folder: Path) -> Side:
    from perftrack.app.profiles import profiles_of

    try:
        found = profiles_of(find(), name, patterns)
    except GitError as error:
        if name.endswith(_FILE_NAMES):
            raise ProfileError(f"there is no file {folder / name}", "Check the name.") from error
        raise GitError(f"{name!r} is no file, and no revision: {error.message}", error.hint) from error
    return Side(name, found.profiles, found.commit, found.dirty)


def _is_revision(name: str, find: Callable[[], Project]) -> bool:
    try:
        find().repository.resolve(name)
    except GitError:
        return False
    return True


def explain_sides(baseline: Side, candidate: Side) -> Explanation:
    """Case by case; a file against the one case of the other side. Raises UsageError where that has several."""
    if baseline.commit is None or candidate.commit is None:
        for side in (baseline, candidate):
            if len(side.profiles) > 1:
                names = ", ".join(p.case_id for p in side.profiles[:5])
                raise UsageError(
                    f"a file is compared with one case, and {side.name} has {names}", "Choose one with --bench."
                )
        b, c = baseline.profiles[0], candidate.profiles[0]
        return Explanation((CaseDiff(c.case_id or b.case_id, diff_profiles(b, c)),))
    befores, afters = _by_case(baseline.profiles), _by_case(candidate.profiles)
    return Explanation(
        tuple(CaseDiff(n, diff_profiles(befores[n], afters[n])) for n in afters if n in befores),
        tuple(n for n in befores if n not in afters),
        tuple(n for n in afters if n not in befores),
    )


def _by_case(profiles: Sequence[Profile]) -> dict[str, Profile]:
    return {p.case_id: p for p in profiles}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The profiles of both commits of a comparison, by case id: what its verdicts can be told from."""

    baseline: Mapping[str, Profile] = field(default_factory=dict)
    candidate: Mapping[str, Profile] = field(default_factory=dict)

    @classmethod
    def of(cls, project: Project, baseline: str, candidate: str) -> Evidence:
        """Of two commits by SHA. None where they are one, or there is no store that has profiles."""
        if baseline == candidate:
            return cls()
        try:
            sides = [project.store.latest_profiles(sha, counters=False) for sha in (baseline, candidate)]
        except (StoreMissingError, StoreVersionError):
            return cls()  # measuring two commits live needs no store
        return cls(_by_case(sides[0]), _by_case(sides[1]))

    def weigh(self, judged: Judgement) -> Judgement:
        """The judgement, with a change of equal code not put down to the code."""
        case = judged.subject.case.id
        return weigh_code(judged, self.baseline.get(case), self.candidate.get(case))

    def diffs(self, judgements: Sequence[Judgement]) -> dict[str, ProfileDiff]:
        """What differs in the launches of each case whose time changed, by case id."""
        changed = {
            j.subject.case.id
            for j in judgements
            if j.verdict in (Verdict.REGRESSION, Verdict.IMPROVEMENT) or j.of_equal_code
        }
        both = [c for c in changed if c in self.baseline and c in self.candidate]
        return {c: diff_profiles(self.baseline[c], self.candidate[c]) for c in sorted(both)}
