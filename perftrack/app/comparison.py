"""Compare two recorded commits, case by case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from perftrack.app.baseline import Baseline, baseline_of
from perftrack.app.ceilings import without_ceilings
from perftrack.app.epochs import Accepted
from perftrack.app.explanation import Evidence
from perftrack.app.history import CommitResults, matching, results_of
from perftrack.app.lanenoise import Noise
from perftrack.app.pairing import namesakes, pair, twice
from perftrack.app.project import Project
from perftrack.core.discoveries import control_false_discoveries
from perftrack.core.epoch import accept
from perftrack.core.history import lane_of, line_of
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.launches.diff import ProfileDiff
from perftrack.core.model import Measurement, Status
from perftrack.core.noise import LaneNoise
from perftrack.core.pointtable import PointTable
from perftrack.core.reasons import reason
from perftrack.core.renames import identity
from perftrack.core.verdict import judge
from perftrack.errors import StoreError

EXIT_REGRESSION = 3
EXIT_UNDECIDED = 4
_UNLEARNT = ("noise-unknown", "permutation")  # reasons of judgements without a lane's noise

# How much a reader wants to see a verdict; ties go by p-value, not by raw percent.
_ORDER = (
    Verdict.REGRESSION,
    Verdict.FAILED,
    Verdict.IMPROVEMENT,
    Verdict.INCONCLUSIVE,
    Verdict.NOT_COMPARABLE,
    Verdict.UNCHANGED,
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The judgements of two commits, most significant first.

    `diffs`: by case id, what differs in the launches of a case whose time changed, where both have a profile.
    `found`: how the baseline was found, where none was named. `unknown_epochs`: accepted at commits that the clone
    lacks.
    """

    baseline: CommitResults
    candidate: CommitResults
    judgements: tuple[Judgement, ...]
    live: bool = False
    diffs: Mapping[str, ProfileDiff] = field(default_factory=dict)
    found: Baseline | None = None
    unknown_epochs: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[Verdict, int]:
        counted = Counter(j.verdict for j in self.judgements)
        return {v: counted.get(v, 0) for v in Verdict}

    def exit_code(self, *, pass_inconclusive: bool = False) -> int:
        """0 only where every case was decided and none got worse; see the README's table.

        A case that the baseline did not measure, or that failed there, is new and does not block; an accepted
        change is decided. With `pass_inconclusive` inconclusive cases do not block either, as long as something
        was decided.
        """
        counts = self.counts
        if counts[Verdict.REGRESSION]:
            return EXIT_REGRESSION
        decided = (
            counts[Verdict.IMPROVEMENT] + counts[Verdict.UNCHANGED] + sum(j.is_accepted for j in self.judgements)
        )
        blocking = counts[Verdict.FAILED] + sum(_blocks(j) for j in self.judgements)
        if not pass_inconclusive:
            blocking += counts[Verdict.INCONCLUSIVE]
        return EXIT_UNDECIDED if blocking or not decided else 0


def _blocks(judged: Judgement) -> bool:
    if judged.verdict is not Verdict.NOT_COMPARABLE or judged.is_accepted:
        return False
    before, after = judged.baseline, judged.candidate
    had = before is not None and before.status is Status.OK
    has = after is not None and after.status is Status.OK
    # Without a baseline a case is new, and skipped on both sides it is nobody's loss. What was measured and no
    # longer is, or cannot be compared, blocks.
    return had or (not has and before is None)


def compare(
    project: Project,
    baseline: str | None,
    candidate: str = "HEAD",
    *,
    patterns: Sequence[str] = (),
    threshold: float | None = None,
    history: PointTable | None = None,
) -> Comparison:
    """Judge every case that either commit has. Raises StoreError where one has nothing recorded.

    Without a baseline it is the nearest measured ancestor in one of the candidate's lanes (see app.baseline);
    StoreError where there is none. A pattern may mean cases of one side only; UsageError for one that means none
    of either. `history`: the store's points, where the caller has read them already.
    """
    after = _own_results(project, candidate)
    found = None if baseline is not None else _nearest(project, after)
    named = baseline if found is None or found.commit is None else found.commit.sha
    assert named is not None
    before = _own_results(project, named)
    if before.commit.sha == after.commit.sha:
        before = after  # the same runs, and not two that read alike
    before, after = matching(patterns, before, after)
    accepted = Accepted.of(project, (before.commit.sha, after.commit.sha))
    noise = Noise(project, accepted, after.commit.sha, history)
    eras = _Eras(project, accepted, before, after)
    sides = (namesakes(before.measurements), namesakes(after.measurements))
    judged = []
    for b, c in pair(before.measurements, after.measurements):
        learnt = noise.of(c) if b is not None and c is not None and b is not c else None
        found_here = twice(judge(b, c, threshold=threshold, noise=learnt), *sides)
        judged.append(eras.weigh(found_here, threshold, learnt))
    told = explained(project, before, after, _told_of_the_cut(project, judged))
    return replace(told, found=found, unknown_epochs=accepted.unknown)


def _told_of_the_cut(project: Project, judged: Sequence[Judgement]) -> list[Judgement]:
    """Of a lane whose noise is unknown the store may know more than a shallow clone can put in order."""
    unknown = {id(j) for j in judged if any(r.code in _UNLEARNT for r in j.reasons)}
    if not unknown or not project.repository.boundary():
        return list(judged)
    return [replace(j, reasons=(*j.reasons, reason("history-cut"))) if id(j) in unknown else j for j in judged]


def _nearest(project: Project, candidate: CommitResults) -> Baseline:
    """Raises StoreError where no ancestor of the candidate is measured in one of its lanes."""
    lanes = {lane_of(m) for m in candidate.measurements if m.status is Status.OK} - {""}
    found = baseline_of(project, candidate.commit.sha, lanes)
    if found.commit is None:
        looked = f"; {found.skipped} looked at" if found.skipped else ""
        raise StoreError(
            f"no ancestor of {candidate.commit.sha[:12]} is measured in any of its lanes{looked}", found.hint
        )
    return found


@dataclass(frozen=True, slots=True)
class _Eras:
    """Judgements across accepted changes: by what was measured at the last of them, where anything was."""

    project: Project
    accepted: Accepted
    baseline: CommitResults
    candidate: CommitResults
    _read: dict[str, tuple[Measurement, ...]] = field(default_factory=dict)

    def weigh(self, judged: Judgement, threshold: float | None, noise: LaneNoise | None) -> Judgement:
        own, c = (judged.subject.case, judged.subject.metric), judged.candidate
        epochs = self.accepted.between(*own, self.baseline.commit.sha, self.candidate.commit.sha)
        if not epochs or judged.baseline is None:
            return judged
        last = self.accepted.last(epochs)
        if c is not None and last.sha != self.candidate.commit.sha:
            for there in self._measured_at(last.sha):
                if identity(there.case, there.metric) == identity(*own) and line_of(there) == line_of(c):
                    since = judge(there, c, threshold=threshold, noise=noise)
                    why = reason("since-accepted", sha=last.sha[:12], why=last.reason)
                    return replace(since, reasons=(*since.reasons, why))
        return accept(judged, last)

    def _measured_at(self, sha: str) -> tuple[Measurement, ...]:
        if sha not in self._read:
            self._read[sha] = self.project.store.measurements(sha)
        return self._read[sha]


def with_epochs(
    accepted: Accepted, judgements: Sequence[Judgement], baseline: str, candidate: str
) -> list[Judgement]:
    """Judgements of two commits, by SHA, measured now: accepted changes between them are no regressions."""
    judged = []
    for j in judgements:
        own = (j.subject.case, j.subject.metric)
        epochs = accepted.between(*own, baseline, candidate) if j.baseline is not None else ()
        judged.append(accept(j, accepted.last(epochs)) if epochs else j)
    return judged


def explained(
    project: Project,
    baseline: CommitResults,
    candidate: CommitResults,
    judgements: Sequence[Judgement],
    *,
    live: bool = False,
) -> Comparison:
    """The comparison of judgements, with what the stored profiles of both commits say of them."""
    evidence = Evidence.of(project, baseline.commit.sha, candidate.commit.sha)
    judged = ranked([evidence.weigh(j) for j in judgements])
    return Comparison(baseline, candidate, judged, live, evidence.diffs(judged))


def _own_results(project: Project, revision: str) -> CommitResults:
    """A commit's results without ceilings: they are of its environment, and a commit that has none lacks none."""
    results = results_of(project, revision)
    own = without_ceilings(results.measurements)
    if results.measurements and not own:
        sha = results.commit.sha[:12]
        raise StoreError(f"only ceilings are recorded for {revision} ({sha})", f"perftrack record {revision}")
    return replace(results, measurements=own)


def ranked(judgements: Sequence[Judgement]) -> tuple[Judgement, ...]:
    """With the false-discovery rate controlled, and the most significant first."""
    return tuple(sorted(control_false_discoveries(judgements), key=_significance))


def _significance(judged: Judgement) -> tuple[int, float, float, str]:
    p_value = 1.0 if judged.p_value is None else judged.p_value
    return (_ORDER.index(judged.verdict), p_value, -abs(judged.effect or 0.0), judged.subject.case.id)
