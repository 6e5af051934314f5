"""Accepted changes: from an epoch's commit on, what was measured before it is no longer a baseline."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

from perftrack.core.judgement import ACCEPTED, Judgement, Verdict
from perftrack.core.model import Case
from perftrack.core.reasons import reason


@dataclass(frozen=True, slots=True)
class Epoch:
    """One accepted change. `bench`: a benchmark, or one case of it by id; no `metric`: all of them."""

    bench: str
    sha: str
    reason: str
    metric: str = ""

    def covers(self, case: Case, metric: str) -> bool:
        return self.bench in (case.benchmark, case.id) and self.metric in ("", metric)


def accept(judged: Judgement, epoch: Epoch) -> Judgement:
    """A judgement across an epoch: what it found is kept, and the verdict is that the baseline is none any more.

    A failure stays a failure, and what did not change is unchanged with or without it.
    """
    if judged.verdict in (Verdict.FAILED, Verdict.UNCHANGED):
        return judged
    why = reason(ACCEPTED, sha=epoch.sha[:12], why=epoch.reason)
    return replace(judged, verdict=Verdict.NOT_COMPARABLE, reasons=(why, *judged.reasons))


def epoch_starts(shas: Sequence[str], holding: Iterable[Container[str]]) -> tuple[int, ...]:
    """Where a series is cut: for each epoch the index of its first value, ascending, each once.

    `shas`: commits of the values along one line of history, oldest first. `holding`: for each epoch that covers
    the series the commits whose history holds it. One that no value is after cuts nothing.
    """
    starts = set()
    for commits in holding:
        first = next((at for at, sha in enumerate(shas) if sha in commits), None)
        if first is not None:
            starts.add(first)
    return tuple(sorted(starts))
