"""One page per benchmark: its cases and metrics, each with a data file of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from perftrack.core.history import Series
from perftrack.core.judgement import Judgement
from perftrack.core.units import format_percent
from perftrack.publish import addresses
from perftrack.publish.context import frame, params_text
from perftrack.publish.gather import History
from perftrack.publish.overview import JudgementKey, judged
from perftrack.publish.pages import BenchmarkPage, SeriesEntry
from perftrack.publish.trend import current, number, shown_value, sparkline, summary


def benchmark_pages(history: History, base_url: str | None) -> Iterator[BenchmarkPage]:
    """Pages in the order of names."""
    groups: dict[str, list[Series]] = defaultdict(list)
    for series in history.series:
        groups[series.case.benchmark].append(series)
    verdicts = judged(history)
    for name in sorted(groups):
        yield _page(history, name, groups[name], verdicts, base_url)


def _page(
    history: History,
    name: str,
    group: list[Series],
    verdicts: Mapping[JudgementKey, Judgement],
    base_url: str | None,
) -> BenchmarkPage:
    thresholds = sorted({s.threshold for s in group if s.threshold is not None})
    return BenchmarkPage(
        frame=frame(history, addresses.benchmark_page(name), name, "benchmark", base_url),
        name=name,
        tags=tuple(sorted({tag for s in group for tag in s.tags})),
        source=next((s.source for s in group if s.source), ""),
        cases=len({s.case.id for s in group}),
        metrics=tuple(dict.fromkeys(s.metric for s in group)),
        threshold=", ".join(format_percent(100 * t) for t in thresholds) or None,
        entries=tuple(_entry(history, s, verdicts) for s in group),
    )


def _entry(history: History, series: Series, verdicts: Mapping[JudgementKey, Judgement]) -> SeriesEntry:
    points = current(history.ordered(series))
    last = points[-1] if points else None
    share = history.share_of(series, last) if last else None
    judgement = verdicts.get((series.case.id, series.metric, last.lane)) if last else None
    return SeriesEntry(
        key=addresses.series_key(series),
        case=series.case.id,
        params=params_text(series),
        metric=series.metric,
        unit=series.unit,
        direction=series.direction.value,
        summary=summary(history, series),
        latest=shown_value(last.value, series.unit, last.interval) if last else "",
        status=last.status.value if last else "",
        spark=sparkline([p for p in points if last is not None and p.lane == last.lane]),
        verdict=judgement.verdict.value if judgement else "",
        why="; ".join(r.message for r in judgement.reasons) if judgement else "",
        tier=last.tier.value if last else "",
        lane=history.lane_index.get(last.lane, -1) if last else -1,
        share=number(share.value if share else None),
        share_of=share.ceiling.name if share else "",
    )
