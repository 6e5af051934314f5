"""The overview: what changed between the two newest commits, then every case as one row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perftrack.core.ceilingcase import definition_of
from perftrack.core.changes.chronicle import Chapter, State
from perftrack.core.history import lane_of
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.model import Direction, Measurement
from perftrack.core.units import format_change
from perftrack.publish import addresses
from perftrack.publish.changelog import event_line
from perftrack.publish.context import commit_ref, frame, lane_ref, params_text
from perftrack.publish.encode import number
from perftrack.publish.gather import History
from perftrack.publish.pages import CommitRef, CreepLine, Event, GridRow, OverviewPage
from perftrack.publish.points import NO_LANE, SeriesPoints, superseded_lanes
from perftrack.publish.trend import shown_value, sparkline

JudgementKey = tuple[str, str, str]  # case id, metric, lane
STANDING = frozenset({State.NEW, State.CONFIRMED, State.SUSPECT})
LATELY = 6  # change events at the top; the changes page has all
# Worst first; the order of the counts on the page.
VERDICT_ORDER = (
    Verdict.REGRESSION,
    Verdict.FAILED,
    Verdict.IMPROVEMENT,
    Verdict.INCONCLUSIVE,
    Verdict.NOT_COMPARABLE,
    Verdict.UNCHANGED,
)


@dataclass(frozen=True, slots=True)
class Change:
    """A judgement's effect as log ratios of the metric itself: positive means that the number grew."""

    value: float | None
    lo: float | None
    hi: float | None


def judged(history: History) -> Mapping[JudgementKey, Judgement]:
    """Judgements by case, metric and lane of the newer side."""
    return {(j.subject.case.id, j.subject.metric, lane_of(j.subject)): j for j in history.judgements}


def change_of(judgement: Judgement) -> Change:
    sign = 1.0 if judgement.subject.direction is Direction.LOWER else -1.0
    if judgement.effect is None:
        return Change(None, None, None)
    if judgement.interval is None:
        return Change(sign * judgement.effect, None, None)
    ends = sorted((sign * judgement.interval.lo, sign * judgement.interval.hi))
    return Change(sign * judgement.effect, ends[0], ends[1])


def overview_page(
    history: History, base_url: str | None, chapters: Sequence[Chapter] = (), creeps: Sequence[CreepLine] = ()
) -> OverviewPage:
    """`chapters`: change events over the history, newest first."""
    standing = [c for c in chapters if c.state in STANDING]
    events = sorted(
        (j for j in history.judgements if j.verdict in (Verdict.REGRESSION, Verdict.IMPROVEMENT)),
        key=lambda j: (
            j.verdict is not Verdict.REGRESSION,
            -abs(j.effect or 0.0),
            j.subject.case.id,
            j.subject.metric,
        ),
    )
    series = {(s.case.id, s.metric): at for at, s in enumerate(history.series)}
    seen = Counter(j.verdict for j in history.judgements)
    last = _newest(history)
    made = tuple(_event(history, j, series.get((j.subject.case.id, j.subject.metric))) for j in events)
    return OverviewPage(
        frame=frame(history, addresses.OVERVIEW, "Overview", "overview", base_url),
        commits=len(history.commits),
        series=len(history.series),
        lanes=len(history.lanes),
        newest=commit_ref(history, last, newest_run(history, last)) if last else None,
        lately=tuple(event_line(history, c) for c in standing[:LATELY]),
        standing=len(standing),
        creeps=tuple(creeps),
        events=made,
        counts={v.value: seen[v] for v in VERDICT_ORDER if seen[v]},
        compared=_compared(history),
    )


def grid_rows(history: History) -> tuple[GridRow, ...]:
    """Rows in the order of names."""
    return tuple(row for _, row in lane_rows(history))


def lane_rows(history: History) -> Iterator[tuple[int, GridRow]]:
    """Each row with the position of its series; a lane that another one replaced has none.

    Runs of dirty trees do not count where there are others.
    """
    verdicts = judged(history)
    for at, series in enumerate(history.series):
        points = history.points(at)
        chosen = points.current()
        lanes = points.lane[chosen]
        old = superseded_lanes(points, chosen)
        for lane in dict.fromkeys(lanes.tolist()):
            if lane not in old:
                id_ = history.lanes[lane].id if lane != NO_LANE else ""
                own = verdicts.get((series.case.id, series.metric, id_))
                yield at, _row(history, points, chosen[lanes == lane], own)


def _row(history: History, points: SeriesPoints, own: NDArray[np.intp], judgement: Judgement | None) -> GridRow:
    series, last = points.head, int(own[-1])
    value, interval, facet = points.value_at(last), points.interval_at(last), points.facet_at(last)
    share = history.share_of(series, facet, value, interval)
    change = change_of(judgement) if judgement else Change(None, None, None)
    return GridRow(
        name=series.case.benchmark,
        params=params_text(series),
        metric=series.metric,
        unit=series.unit,
        value=number(value),
        lo=number(interval.lo if interval else None),
        hi=number(interval.hi if interval else None),
        status=facet.status.value,
        tier=facet.tier.value,
        verdict=judgement.verdict.value if judgement else "",
        why="; ".join(r.message for r in judgement.reasons) if judgement else "",
        change=number(change.value),
        change_lo=number(change.lo),
        change_hi=number(change.hi),
        lane=int(points.lane[last]),
        run=int(points.run[last]),
        share=number(share.value if share else None),
        share_of=share.ceiling.name if share else "",
        tags=series.tags,
        spark=sparkline(points, own),
        page=addresses.benchmark_page(series.case.benchmark),
        key=addresses.series_key(series),
    )


def _event(history: History, judgement: Judgement, series: int | None) -> Event:
    subject = judgement.subject
    change = change_of(judgement)
    lane = lane_of(subject)
    baseline, candidate = _sides(history, series, lane)
    return Event(
        verdict=judgement.verdict.value,
        word=_word(judgement),
        case=subject.case.id,
        metric=subject.metric,
        page=addresses.benchmark_page(subject.case.benchmark),
        anchor=addresses.series_key(history.series[series]) if series is not None else "",
        change=format_change(change.value),
        change_lo=format_change(change.lo),
        change_hi=format_change(change.hi),
        baseline_value=_value(judgement.baseline),
        candidate_value=_value(judgement.candidate),
        baseline=baseline,
        candidate=candidate,
        lane=lane_ref(history, lane),
        tier=judgement.tier.value,
        reasons=tuple(r.message for r in judgement.reasons),
    )


def _word(judgement: Judgement) -> str:
    worse = judgement.verdict is Verdict.REGRESSION
    if judgement.subject.metric == "time":
        return "slower" if worse else "faster"
    return "worse" if worse else "better"


def _value(side: Measurement | None) -> str:
    return shown_value(side.value, side.unit, side.interval) if side else "–"


def _sides(history: History, series: int | None, lane: str) -> tuple[CommitRef | None, CommitRef | None]:
    """The lane's two newest commits: what the judgement is between."""
    if series is None:
        return None, None
    points = history.points(series)
    chosen = points.current()
    own = chosen[points.lane[chosen] == history.lane_index.get(lane, NO_LANE)]
    newest: dict[str, str] = {}
    for run in points.run[own].tolist():
        summary = history.runs[run]
        if summary.sha not in history.lost:
            newest[summary.sha] = summary.id
    pair = [commit_ref(history, sha, addresses.run_page(run)) for sha, run in list(newest.items())[-2:]]
    return (pair[0] if len(pair) == 2 else None), (pair[-1] if pair else None)


def _newest(history: History) -> str | None:
    """The newest measured commit that HEAD reaches; None where it reaches none."""
    measured = {r.sha for r in history.runs} - history.lost
    return next((c.sha for c in reversed(history.commits) if c.sha in measured), None)


def _compared(history: History) -> tuple[CommitRef, CommitRef] | None:
    """The two newest commits of HEAD's history with a clean run, which is what judgements are between."""
    if not history.judgements:
        return None
    ceilings = _ceiling_counts(history)
    clean = {
        r.sha
        for r, count in zip(history.runs, ceilings.tolist(), strict=True)
        if not r.dirty and not (count and count == r.ok + r.failed + r.skipped)
    }
    pair = [c.sha for c in history.commits if c.sha in clean and c.sha not in history.lost][-2:]
    if len(pair) < 2:
        return None
    before, last = (commit_ref(history, sha, newest_run(history, sha)) for sha in pair)
    return before, last


def _ceiling_counts(history: History) -> NDArray[np.int64]:
    """(runs,) how many ceilings each run holds: one that holds nothing else tells nothing of its commit's code."""
    spans = [history.table.span(at) for at, s in enumerate(history.series) if definition_of(s.case) is not None]
    runs = [history.table.run[span] for span in spans]
    found = np.bincount(np.concatenate(runs), minlength=len(history.runs)) if runs else np.zeros(len(history.runs))
    return found.astype(np.int64)


def newest_run(history: History, sha: str) -> str | None:
    """Page of a commit's newest run."""
    runs = [r.id for r in history.runs if r.sha == sha]
    return addresses.run_page(runs[-1]) if runs else None
