"""Compare two recorded commits, case by case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from perftrack.app.ceilings import without_ceilings
from perftrack.app.explanation import Evidence
from perftrack.app.history import CommitResults, Noise, matching, results_of
from perftrack.app.project import Project
from perftrack.core.discoveries import control_false_discoveries
from perftrack.core.history import lane_of
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.launches.diff import ProfileDiff
from perftrack.core.model import Measurement, Status
from perftrack.core.verdict import judge
from perftrack.errors import StoreError

EXIT_REGRESSION = 3
EXIT_UNDECIDED = 4

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
    """

    baseline: CommitResults
    candidate: CommitResults
    judgements: tuple[Judgement, ...]
    live: bool = False
    diffs: Mapping[str, ProfileDiff] = field(default_factory=dict)

    @property
    def counts(self) -> dict[Verdict, int]:
        counted = Counter(j.verdict for j in self.judgements)
        return {v: counted.get(v, 0) for v in Verdict}

    def exit_code(self, *, pass_inconclusive: bool = False) -> int:
        """0 only where every case was decided and none got worse; see the README's table.

        A case that the baseline did not measure, or that failed there, is new and does not block. With
        `pass_inconclusive` inconclusive cases do not block either, as long as something was decided.
        """
        counts = self.counts
        if counts[Verdict.REGRESSION]:
            return EXIT_REGRESSION
        decided = counts[Verdict.IMPROVEMENT] + counts[Verdict.UNCHANGED]
        blocking = counts[Verdict.FAILED] + sum(_blocks(j) for j in self.judgements)
        if not pass_inconclusive:
            blocking += counts[Verdict.INCONCLUSIVE]
        return EXIT_UNDECIDED if blocking or not decided else 0


def _blocks(judged: Judgement) -> bool:
    if judged.verdict is not Verdict.NOT_COMPARABLE:
        return False
    before, after = judged.baseline, judged.candidate
    had = before is not None and before.status is Status.OK
    has = after is not None and after.status is Status.OK
    # Without a baseline a case is new, and skipped on both sides it is nobody's loss. What was measured and no
    # longer is, or cannot be compared, blocks.
    return had or (not has and before is None)


def compare(
    project: Project,
    baseline: str,
    candidate: str = "HEAD",
    *,
    patterns: Sequence[str] = (),
    threshold: float | None = None,
) -> Comparison:
    """Judge every case that either commit has. Raises StoreError where one has nothing recorded.

    A pattern may mean cases of one side only; UsageError for one that means none of either.
    """
    before, after = matching(patterns, _own_results(project, baseline), _own_results(project, candidate))
    # A commit compared with itself is compared with the same runs: nothing was taken apart.
    noise = Noise(project) if before.commit.sha != after.commit.sha else None
    judged = [
        judge(b, c, threshold=threshold, noise=noise.of(c) if noise and b is not None and c is not None else None)
        for b, c in pair(before.measurements, after.measurements)
    ]
    return explained(project, before, after, judged)


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


def pair(
    baseline: Sequence[Measurement], candidate: Sequence[Measurement]
) -> list[tuple[Measurement | None, Measurement | None]]:
    """Both sides of each case and metric: lane by lane where they share one, else the newest of each."""
    pairs: list[tuple[Measurement | None, Measurement | None]] = []
    befores, afters = _by_metric(baseline), _by_metric(candidate)
    for key in dict.fromkeys((*afters, *befores)):
        before, after = befores.get(key, []), afters.get(key, [])
        by_lane = {lane_of(m): m for m in reversed(before) if m.status is Status.OK}
        shared = [(by_lane[lane_of(m)], m) for m in after if m.status is Status.OK and lane_of(m) in by_lane]
        newest = (before[0] if before else None, after[0] if after else None)
        failed = any(m is not None and m.status is Status.FAILED for m in newest)
        pairs += [newest] if failed or not shared else shared
    return pairs


def _by_metric(measurements: Sequence[Measurement]) -> dict[tuple[str, str], list[Measurement]]:
    grouped: dict[tuple[str, str], list[Measurement]] = {}
    for measurement in measurements:
        grouped.setdefault((measurement.case.id, measurement.metric), []).append(measurement)
    return grouped
