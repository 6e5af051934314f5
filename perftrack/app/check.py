"""Check: is this commit slow? One case against a baseline, measured now, as `git bisect run` asks it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path

from perftrack.app.bisectcase import case_here
from perftrack.app.comparison import EXIT_REGRESSION, EXIT_UNDECIDED, Comparison
from perftrack.app.live import LiveOptions, compare_live
from perftrack.app.project import Project
from perftrack.app.recording import Progress
from perftrack.config import FILES
from perftrack.config.epochs import EPOCHS_FILE
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.model import Commit
from perftrack.errors import BuildError, ConfigError, SuiteError, UsageError
from perftrack.vcs import Repository
from perftrack.vcs.changes import is_committed


class Answer(IntEnum):
    """What `git bisect run` understands. From 128 on it stops the search."""

    GOOD = 0
    BAD = 1
    SKIP = 125
    ABORT = 128


@dataclass(frozen=True, slots=True)
class Checked:
    """`judged` None: nothing was measured, and `why` says what stood in the way."""

    baseline: Commit
    candidate: Commit
    comparison: Comparison | None
    judged: Judgement | None
    why: str = ""

    @property
    def answer(self) -> Answer:
        """GOOD also where the commit is the baseline itself, SKIP wherever a verdict is missing."""
        if self.baseline.sha == self.candidate.sha:
            return Answer.GOOD
        verdict = self.judged.verdict if self.judged is not None else None
        if verdict is Verdict.REGRESSION:
            return Answer.BAD
        return Answer.GOOD if verdict in {Verdict.UNCHANGED, Verdict.IMPROVEMENT} else Answer.SKIP

    def exit_code(self, *, git_bisect: bool) -> int:
        """For git, or as a gate has it: 3 for a regression, 4 where it could not be decided."""
        if git_bisect:
            return int(self.answer)
        return {Answer.GOOD: 0, Answer.BAD: EXIT_REGRESSION}.get(self.answer, EXIT_UNDECIDED)


def check(
    project: Project,
    bench: str,
    baseline: str,
    metric: str,
    options: LiveOptions,
    progress: Progress,
) -> Checked:
    """Measure HEAD and the baseline in turns, and judge one metric of one case.

    What is wrong with HEAD, as a build that fails or a benchmark that it does not have yet, is an answer. Raises
    GitError for an unknown revision, WorkerError where the baseline cannot be built or the machine is at fault,
    ConfigError for a bad file (see `misconfigured`), UsageError for a pattern of several cases.
    """
    before, after = project.repository.commits((baseline, "HEAD"))
    if before.sha == after.sha:
        return Checked(before, after, None, None, "it is the baseline itself")
    project.device()
    try:
        selected = case_here(project, bench, options.python)
    except SuiteError as error:  # the benchmark files of this commit
        return Checked(before, after, None, None, error.message)
    if isinstance(selected, str):
        return Checked(before, after, None, None, selected)
    case = selected.case
    try:
        options = replace(options, patterns=(f"::{case.id}",))
        comparison = compare_live(project, before.sha, after.sha, options, progress)
    except BuildError as error:
        if error.sha != after.sha:
            raise
        return Checked(before, after, None, None, error.message)
    except (SuiteError, UsageError) as error:  # where it was built the files cannot be imported, or lack the case
        return Checked(before, after, None, None, error.message)
    own = [j for j in comparison.judgements if j.subject.case == case]
    chosen = [j for j in own if not metric or j.subject.metric == metric]
    if own and not chosen and all(j.verdict is not Verdict.FAILED for j in own):
        names = ", ".join(j.subject.metric for j in own)
        raise UsageError(f"{case.id} has no metric {metric!r}", f"--metric is one of {names}.")
    judged = next(iter(chosen or own), None)
    return Checked(before, after, comparison, judged)


def misconfigured(start: Path, baseline: str, error: ConfigError) -> Checked:
    """The answer where HEAD's own configuration cannot be used, which git is to pass over.

    Raises the error itself where the file is the user's, not the commit's: every commit would have it.
    """
    repository = Repository.find(start)
    there = [name for name in (*FILES, EPOCHS_FILE) if (repository.root / name).exists()]
    if not all(is_committed(repository.root, name) for name in there):
        raise error
    before, after = repository.commits((baseline, "HEAD"))
    return Checked(before, after, None, None, error.message)
