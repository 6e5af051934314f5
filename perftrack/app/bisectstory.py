"""Why the culprit is slower: what it says, what it changed, and what a profiler sees before and after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from perftrack.app.bisectvisit import Subject
from perftrack.app.bisectworkshop import Workshop
from perftrack.app.explanation import Evidence
from perftrack.app.profiling import DEVICES, open_profiler
from perftrack.app.project import Project
from perftrack.core.fingerprint import Difference
from perftrack.core.launches.diff import ProfileDiff, diff_profiles
from perftrack.core.model import Commit
from perftrack.core.search.blame import Blame
from perftrack.core.search.visits import Failure, Outcome
from perftrack.errors import PerftrackError, StoreError
from perftrack.suite.messages import Kind
from perftrack.vcs.changes import ChangedFile, changed_files, message_of


@dataclass(frozen=True, slots=True)
class Story:
    """`message` and `files` are the culprit's, or of all its block. `diff` None: no profile of both sides;
    `unprofiled` then says why one was not made, empty where there is nothing to profile. `environments`: what the
    change itself changed of the environment's key fields.
    """

    message: str = ""
    files: tuple[ChangedFile, ...] = ()
    diff: ProfileDiff | None = None
    unprofiled: str = ""
    environments: tuple[Difference, ...] = ()


def story_of(
    project: Project,
    blame: Blame,
    subject: Subject,
    workshop: Workshop,
    commits: Mapping[str, Commit],
    changes: Mapping[str, tuple[Difference, ...]],
    *,
    profile: bool,
) -> Story:
    """What there is to tell of a block that was found; nothing where none was."""
    if blame.outcome is not Outcome.FOUND:
        return Story()
    root = project.root
    message = message_of(root, blame.commits[-1]) if len(blame.commits) == 1 else ""
    if not blame.after:
        return Story(message)
    files = changed_files(root, blame.before or None, blame.after)
    if not blame.before:  # the block reaches back to where a history begins: nothing to compare it with
        return Story(message, files)
    both = {changes.get(blame.before, ()), changes.get(blame.after, ())}
    environments = changes.get(blame.before, ()) or changes.get(blame.after, ()) if len(both) > 1 else ()
    stored = _stored(project, blame)
    if stored is not None or not profile or not _on_gpu(subject):
        return Story(message, files, stored, "", environments)
    try:
        diff = _profiled(project, blame, subject, workshop, commits)
    except PerftrackError as error:
        return Story(message, files, None, error.message, environments)
    return Story(message, files, diff, "", environments)


def _stored(project: Project, blame: Blame) -> ProfileDiff | None:
    try:
        known = Evidence.of(project, blame.before, blame.after)
    except StoreError:
        return None  # what was found is told in any case
    sides = known.baseline.get(blame.case_id), known.candidate.get(blame.case_id)
    return None if sides[0] is None or sides[1] is None else diff_profiles(sides[0], sides[1])


def _on_gpu(subject: Subject) -> bool:
    declared = subject.selected.declared
    return declared.kind is Kind.BENCHMARK and subject.environment.device_kind in DEVICES


def _profiled(
    project: Project, blame: Blame, subject: Subject, workshop: Workshop, commits: Mapping[str, Commit]
) -> ProfileDiff:
    """Both sides under ncu, now. Raises PerftrackError where that cannot be."""
    profiler = open_profiler(project, "")
    profiles = []
    for sha in (blame.before, blame.after):
        commit = commits.get(sha) or project.repository.commit(sha)
        setup = workshop.setup(commit)
        if isinstance(setup, Failure):
            raise PerftrackError(setup.detail)
        taken = profiler.take(setup, subject.selected, sha, blame.seed)
        project.repository.ensure_ignored(*project.store.files)
        project.store.add_profile(taken, [commit])
        profiles.append(taken)
    return diff_profiles(profiles[0], profiles[1])
