"""perftrack log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from perftrack.cli.options import json_option, project_options

if TYPE_CHECKING:
    from perftrack.app.history import LoggedSeries


@click.command("log")
@click.argument("bench", metavar="BENCH")
@click.option("--limit", type=click.IntRange(1), default=30, show_default=True, help="Newest points to show.")
@json_option
@project_options
def command(bench: str, limit: int, as_json: bool, store: Path | None, directory: Path) -> int:
    """Show a benchmark over the commits: a sparkline and a table, oldest first.

    BENCH is a case, a benchmark, or part of a case's name. Commits that HEAD does not reach (another branch,
    force-pushed away, older than a shallow clone) come before all others, marked `not in history`.

    \b
    Examples:
      perftrack log tokenize
      perftrack log tokenize --limit 5
      perftrack log tokenize --json
    """
    from perftrack.app.history import log_of
    from perftrack.app.project import Project
    from perftrack.cli.output import print_json

    found = log_of(Project.find(directory, store), bench)
    if as_json:
        print_json({"series": [_series_json(s, limit) for s in found]})
    else:
        for series in found:
            _print(series, limit)
    return 0


def _print(logged: LoggedSeries, limit: int) -> None:
    from perftrack.cli.output import console, sparkline, table
    from perftrack.core.units import format_interval

    series, points = logged.series, logged.points[-limit:]
    click.echo(f"{series.case.id} {series.metric} ({series.direction.value} is better)")
    for number, lane in enumerate(series.lanes, 1):
        own = [p for p in points if p.lane == lane and not p.dirty and p.sha not in logged.lost]
        values = [p.value for p in own if p.value is not None]
        if values:
            click.echo(f"  lane {number} {lane}: {sparkline(values)}")
    rows = table(
        [("commit", "left"), ("value", "right"), ("tier", "left"), ("lane", "right"), ("subject", "left")]
    )
    for p in points:
        commit = logged.commits.get(p.sha)
        shown = format_interval(p.value, series.unit, p.interval) if p.value is not None else p.status.value
        lane_number = str(series.lanes.index(p.lane) + 1) if p.lane in series.lanes else ""
        rows.add_row(
            p.sha[:12] + ("*" if p.dirty else ""),
            shown,
            p.tier.value if p.value is not None else "",
            lane_number,
            ("not in history: " if p.sha in logged.lost else "") + (commit.subject[:70] if commit else ""),
        )
    console().print(rows)


def _series_json(logged: LoggedSeries, limit: int) -> dict[str, object]:
    from perftrack.cli.documents import case_json
    from perftrack.cli.output import interval_json, reasons_json

    series = logged.series
    return {
        **case_json(series.case),
        "metric": series.metric,
        "unit": series.unit,
        "direction": series.direction.value,
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
