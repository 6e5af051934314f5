"""One page per benchmark: a shell, and what it shows of its cases and metrics, each with its own data file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from perftrack.core.units import format_percent
from perftrack.publish import addresses
from perftrack.publish.benchmarkpages import BenchmarkPage, SeriesEntry
from perftrack.publish.context import frame, params_text
from perftrack.publish.encode import columns
from perftrack.publish.gather import History
from perftrack.publish.pages import GridRow
from perftrack.publish.trend import shown_value

Rows = Mapping[tuple[int, int], GridRow]  # by position of the series, and lane


def benchmark_pages(
    history: History, rows: Iterable[tuple[int, GridRow]], base_url: str | None
) -> Iterator[BenchmarkPage]:
    """Pages in the order of names. `rows`: as overview.lane_rows gives them."""
    groups: dict[str, list[int]] = defaultdict(list)
    for at, series in enumerate(history.series):
        groups[series.case.benchmark].append(at)
    newest = {(at, row.lane): row for at, row in rows}
    for name in sorted(groups):
        yield _page(history, name, groups[name], newest, base_url)


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
    rows: Rows,
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
        entries=tuple(_entry(history, at, rows) for at in group),
    )


def _entry(history: History, at: int, rows: Rows) -> SeriesEntry:
    points = history.points(at)
    series, chosen = points.head, points.current()
    if not len(chosen):
        return _empty(history, at)
    last = int(chosen[-1])
    row = rows[at, int(points.lane[last])]  # no other lane replaced that of the newest point
    return SeriesEntry(
        key=row.key,
        params=row.params,
        given=tuple(sorted(series.case.params)),
        metric=row.metric,
        unit=row.unit,
        value=row.value,
        lo=row.lo,
        hi=row.hi,
        run=row.run,
        direction=series.direction.value,
        latest=shown_value(points.value_at(last), series.unit, points.interval_at(last)),
        status=row.status,
        spark=row.spark,
        verdict=row.verdict,
        why=row.why,
        tier=row.tier,
        lane=row.lane,
        share=row.share,
        share_of=row.share_of,
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
