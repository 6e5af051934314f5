"""perftrack log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from perftrack.cli.options import json_option, project_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.table import Table

    from perftrack.app.history import LoggedSeries
    from perftrack.app.log import LoggedTrend
    from perftrack.app.order import Order
    from perftrack.core.changes.appraisal import CaseChange
    from perftrack.core.history import Point

NEWLINE = "\n"


@click.command("log")
@click.argument("bench", metavar="BENCH")
@click.option("--limit", type=click.IntRange(1), default=30, show_default=True, help="Newest points to show.")
@click.option("--all-parents", is_flag=True, help="Look for changes along merged branches too.")
@json_option
@project_options
def command(bench: str, limit: int, all_parents: bool, as_json: bool, store: Path | None, directory: Path) -> int:
    """Show a benchmark over the commits: a sparkline, a table, oldest first, and where its level changed.

    BENCH is a case, a benchmark, or part of a case's name. Commits that HEAD does not reach (another branch,
    force-pushed away, older than a shallow clone) come before all others, marked `not in history`. A change is
    marked at the commit where it most likely is; those that may also have made it have a bar.

    \b
    Examples:
      perftrack log tokenize
      perftrack log tokenize --limit 5
      perftrack log tokenize --json
    """
    from perftrack.app.log import benchmark_log
    from perftrack.app.project import Project
    from perftrack.cli.output import print_json

    found = benchmark_log(Project.find(directory, store), bench, all_parents=all_parents)
    if as_json:
        print_json({"series": [_trend_json(t, found.order, limit) for t in found.trends]})
    else:
        for trend in found.trends:
            _print(trend, found.order, limit)
    return 0


def _print(trend: LoggedTrend, order: Order, limit: int) -> None:
    from perftrack.cli.output import console, sparkline
    from perftrack.core.launches.words import on_line

    logged = trend.logged
    series, points = logged.series, logged.points[-limit:]
    click.echo(on_line(f"{series.case.id} {series.metric} ({series.direction.value} is better)"))
    for number, lane in enumerate(series.lanes, 1):
        own = [p for p in points if p.lane == lane and not p.dirty and p.sha not in logged.lost]
        values = [p.value for p in own if p.value is not None]
        if values:
            click.echo(f"  lane {number} {lane}: {sparkline(values)}")
    console().print(_table(trend, order, points))
    for sha, why in logged.unmeasured.items():
        subject = commit.subject[:70] if (commit := logged.commits.get(sha)) else ""
        lost = "not in history: " if sha in logged.lost else ""
        told = f"{sha[:12]} {why.code}: {why.message.partition(NEWLINE)[0][:100]} ({lost}{subject})"
        click.echo(f"  {on_line(told)}")
    for change in trend.changes:
        click.echo(f"  {on_line(_change_line(change, series.lanes, order))}")


def _table(trend: LoggedTrend, order: Order, points: Sequence[Point]) -> Table:
    from perftrack.cli.output import table
    from perftrack.core.units import format_interval

    logged, series = trend.logged, trend.logged.series
    marks = _marks(trend.changes, order)
    head = [("commit", "left"), ("value", "right"), ("tier", "left"), ("lane", "right"), ("change", "left")]
    rows = table([h for h in head if trend.changes or h[0] != "change"] + [("subject", "left")])
    for p in points:
        commit = logged.commits.get(p.sha)
        shown = format_interval(p.value, series.unit, p.interval) if p.value is not None else p.status.value
        lane_number = str(series.lanes.index(p.lane) + 1) if p.lane in series.lanes else ""
        rows.add_row(
            p.sha[:12] + ("*" if p.dirty else ""),
            shown,
            p.tier.value if p.value is not None else "",
            lane_number,
            *([marks.get((p.lane, p.sha), "")] if trend.changes else []),
            ("not in history: " if p.sha in logged.lost else "") + (commit.subject[:70] if commit else ""),
        )
    return rows


def _marks(changes: Sequence[CaseChange], order: Order) -> Mapping[tuple[str, str], str]:
    """By lane and commit: what to say beside a point. The likeliest commit of a change wins over any bar."""
    from perftrack.cli.detect_view import change_text, mark

    marks: dict[tuple[str, str], str] = {}
    for change in changes:
        place, lane = change.place, change.trend.lane
        for at in range(place.first, place.last + 1):
            marks.setdefault((lane, order.shas[at]), "│")
    for change in changes:
        told = f"{mark(change.change)} {change_text(change.change, change.series.unit)}"
        marks[change.trend.lane, order.shas[change.place.most_likely]] = told
    return marks


def _change_line(change: CaseChange, lanes: Sequence[str], order: Order) -> str:
    from perftrack.cli.detect_view import change_text, mark, range_text

    place, found = change.place, change.change
    where = range_text(order.shas[place.first], order.shas[place.last], place.last - place.first + 1)
    lane = f"lane {lanes.index(change.trend.lane) + 1}"
    what = f"{mark(found)} {change.verdict.value} {change_text(found, change.series.unit)}"
    why = f": {change.reasons[0].message}" if change.reasons else ""
    return f"{what} in {where}, {found.kind.value}, {lane}, {change.standing.value}{why}"


def _trend_json(trend: LoggedTrend, order: Order, limit: int) -> dict[str, object]:
    from perftrack.cli.detect_documents import found_json

    return {
        **_series_json(trend.logged, limit),
        "changes": [found_json(c, order.shas) for c in trend.changes],
    }


def _series_json(logged: LoggedSeries, limit: int) -> dict[str, object]:
    from perftrack.cli.documents import case_json
    from perftrack.cli.output import interval_json, reasons_json

    series = logged.series
    return {
        **case_json(series.case),
        "metric": series.metric,
        "unit": series.unit,
        "direction": series.direction.value,
        "unmeasured": [
            {"sha": sha, "in_history": sha not in logged.lost, "code": why.code, "message": why.message}
            for sha, why in logged.unmeasured.items()
        ],
        "points": [
            {
                "sha": p.sha,
                "in_history": p.sha not in logged.lost,
                "run": p.run_id,
                "started_at": p.started_at,
                "dirty": p.dirty,
                "status": p.status.value,
                "value": p.value,
                "interval": interval_json(p.interval),
                "tier": p.tier.value,
                "reasons": reasons_json(p.reasons),
                "limitations": reasons_json(p.limitations),
                "lane": p.lane,
            }
            for p in logged.points[-limit:]
        ],
    }
