"""One page per benchmark: a shell, and what it shows of its cases and metrics, each with its own data file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from perftrack.core.judgement import Judgement
from perftrack.core.units import format_percent
from perftrack.publish import addresses
from perftrack.publish.benchmarkpages import BenchmarkPage, SeriesEntry
from perftrack.publish.context import frame, params_text
from perftrack.publish.encode import columns, number
from perftrack.publish.gather import History
from perftrack.publish.overview import JudgementKey, judged
from perftrack.publish.trend import shown_value, sparkline


def benchmark_pages(history: History, base_url: str | None) -> Iterator[BenchmarkPage]:
    """Pages in the order of names."""
    groups: dict[str, list[int]] = defaultdict(list)
    for at, series in enumerate(history.series):
        groups[series.case.benchmark].append(at)
    verdicts = judged(history)
    for name in sorted(groups):
        yield _page(history, name, groups[name], verdicts, base_url)


def page_document(page: BenchmarkPage) -> Mapping[str, object]:
    """What a benchmark's page says, for the data file that it reads first: that of its first series."""
    return {
        "name": page.name,
        "tags": page.tags,
        "source": page.source,
        "cases": page.cases,
        "metrics": page.metrics,
        "threshold": page.threshold,
        "entries": columns(SeriesEntry, page.entries),
    }


def _page(
    history: History,
    name: str,
    group: list[int],
    verdicts: Mapping[JudgementKey, Judgement],
    base_url: str | None,
) -> BenchmarkPage:
    heads = [history.series[at] for at in group]
    thresholds = sorted({s.threshold for s in heads if s.threshold is not None})
    return BenchmarkPage(
        frame=frame(history, addresses.benchmark_page(name), name, "benchmark", base_url),
        name=name,
        tags=tuple(sorted({tag for s in heads for tag in s.tags})),
        source=next((s.source for s in heads if s.source), ""),
        cases=len({s.case.id for s in heads}),
        metrics=tuple(dict.fromkeys(s.metric for s in heads)),
        threshold=", ".join(format_percent(100 * t) for t in thresholds) or None,
        entries=tuple(_entry(history, at, verdicts) for at in group),
    )


def _entry(history: History, at: int, verdicts: Mapping[JudgementKey, Judgement]) -> SeriesEntry:
    points = history.points(at)
    series, chosen = points.head, points.current()
    if not len(chosen):
        return _empty(history, at)
    last = int(chosen[-1])
    value, interval, facet = points.value_at(last), points.interval_at(last), points.facet_at(last)
    share = history.share_of(series, facet, value, interval)
    judgement = verdicts.get((series.case.id, series.metric, facet.lane))
    return SeriesEntry(
        key=addresses.series_key(series),
        params=params_text(series),
        given=tuple(sorted(series.case.params)),
        metric=series.metric,
        unit=series.unit,
        value=number(value),
        lo=number(interval.lo if interval else None),
        hi=number(interval.hi if interval else None),
        run=int(points.run[last]),
        direction=series.direction.value,
        latest=shown_value(value, series.unit, interval),
        status=facet.status.value,
        spark=sparkline(points, chosen[points.lane[chosen] == points.lane[last]]),
        verdict=judgement.verdict.value if judgement else "",
        why="; ".join(r.message for r in judgement.reasons) if judgement else "",
        tier=facet.tier.value,
        lane=int(points.lane[last]),
        share=number(share.value if share else None),
        share_of=share.ceiling.name if share else "",
    )


def _empty(history: History, at: int) -> SeriesEntry:
    series = history.series[at]
    return SeriesEntry(
        key=addresses.series_key(series),
        params=params_text(series),
        given=tuple(sorted(series.case.params)),
        metric=series.metric,
        unit=series.unit,
        value=None,
        lo=None,
        hi=None,
        run=-1,
        direction=series.direction.value,
        latest="",
        status="",
        spark="",
        verdict="",
        why="",
        tier="",
        lane=-1,
        share=None,
        share_of="",
    )
