"""The overview: what changed between the two newest commits, then every case as one row."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perftrack.core.ceilingcase import only_ceilings
from perftrack.core.history import Point, Series, lane_of
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.model import Direction, Measurement
from perftrack.core.units import format_change
from perftrack.publish import addresses
from perftrack.publish.context import commit_ref, frame, lane_ref, params_text
from perftrack.publish.gather import History
from perftrack.publish.pages import CommitRef, Event, GridRow, OverviewPage
from perftrack.publish.trend import current, number, shown_value, sparkline, superseded_lanes

JudgementKey = tuple[str, str, str]  # case id, metric, lane
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


def overview_page(history: History, base_url: str | None) -> OverviewPage:
    events = sorted(
        (j for j in history.judgements if j.verdict in (Verdict.REGRESSION, Verdict.IMPROVEMENT)),
        key=lambda j: (
            j.verdict is not Verdict.REGRESSION,
            -abs(j.effect or 0.0),
            j.subject.case.id,
            j.subject.metric,
        ),
    )
    series = {(s.case.id, s.metric): s for s in history.series}
    seen = Counter(j.verdict for j in history.judgements)
    last = _newest(history)
    made = tuple(_event(history, j, series.get((j.subject.case.id, j.subject.metric))) for j in events)
    return OverviewPage(
        frame=frame(history, addresses.OVERVIEW, "Overview", "overview", base_url),
        commits=len(history.commits),
        series=len(history.series),
        lanes=len(history.lanes),
        newest=commit_ref(history, last, newest_run(history, last)) if last else None,
        events=made,
        counts={v.value: seen[v] for v in VERDICT_ORDER if seen[v]},
        compared=_compared(history),
    )


def grid_rows(history: History) -> tuple[GridRow, ...]:
    """Rows in the order of names; a lane that another one replaced has none, runs of dirty trees do not count."""
    verdicts = judged(history)
    rows: list[GridRow] = []
    for series in history.series:
        by_lane: dict[str, list[Point]] = defaultdict(list)
        points = current(history.ordered(series))
        for point in points:
            by_lane[point.lane].append(point)
        old = superseded_lanes(history, points)
        for lane, own in by_lane.items():
            if lane not in old:
                rows.append(_row(history, series, own, verdicts.get((series.case.id, series.metric, lane))))
    return tuple(rows)


def _row(history: History, series: Series, points: Sequence[Point], judgement: Judgement | None) -> GridRow:
    last = points[-1]
    share = history.share_of(series, last)
    change = change_of(judgement) if judgement else Change(None, None, None)
    return GridRow(
        name=series.case.benchmark,
        params=params_text(series),
        metric=series.metric,
        unit=series.unit,
        value=number(last.value),
        lo=number(last.interval.lo if last.interval else None),
        hi=number(last.interval.hi if last.interval else None),
        status=last.status.value,
        tier=last.tier.value,
        verdict=judgement.verdict.value if judgement else "",
        why="; ".join(r.message for r in judgement.reasons) if judgement else "",
        change=number(change.value),
        change_lo=number(change.lo),
        change_hi=number(change.hi),
        lane=history.lane_index.get(last.lane, -1),
        run=history.run_index[last.run_id],
        share=number(share.value if share else None),
        share_of=share.ceiling.name if share else "",
        tags=series.tags,
        spark=sparkline(points),
        page=addresses.benchmark_page(series.case.benchmark),
        key=addresses.series_key(series),
    )


def _event(history: History, judgement: Judgement, series: Series | None) -> Event:
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
        anchor=addresses.series_key(series) if series else "",
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


def _sides(history: History, series: Series | None, lane: str) -> tuple[CommitRef | None, CommitRef | None]:
    """The lane's two newest commits: what the judgement is between."""
    if series is None:
        return None, None
    newest: dict[str, str] = {}
    for point in current(history.ordered(series)):
        if point.lane == lane and point.sha not in history.lost:
            newest[point.sha] = point.run_id
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
    aside = only_ceilings(history.series, history.runs)
    clean = {r.sha for r in history.runs if not r.dirty and r.id not in aside}
    pair = [c.sha for c in history.commits if c.sha in clean and c.sha not in history.lost][-2:]
    if len(pair) < 2:
        return None
    before, last = (commit_ref(history, sha, newest_run(history, sha)) for sha in pair)
    return before, last


def newest_run(history: History, sha: str) -> str | None:
    """Page of a commit's newest run."""
    runs = [r.id for r in history.runs if r.sha == sha]
    return addresses.run_page(runs[-1]) if runs else None
