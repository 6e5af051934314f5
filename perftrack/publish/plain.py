"""The site's data for other programs: plain JSON, documented in the README and stable within a `format`."""

from __future__ import annotations

from collections.abc import Sequence

from perftrack.publish.encode import json_bytes
from perftrack.publish.gather import History
from perftrack.publish.pages import GridRow

FORMAT = 1


def latest_json(history: History, rows: Sequence[GridRow]) -> bytes:
    """`json/latest.json`: the newest result of every series and lane, as the overview's grid has it.

    Values are in `unit`; `change` and its ends are log ratios against the commit before; times in unix seconds.
    """
    results = []
    for row in rows:
        run = history.runs[row.run]
        results.append(
            {
                "benchmark": row.name,
                "params": row.params,
                "metric": row.metric,
                "unit": row.unit,
                "status": row.status,
                "value": row.value,
                "interval": None if row.lo is None else [row.lo, row.hi],
                "tier": row.tier,
                "lane": history.lanes[row.lane].id if row.lane >= 0 else None,
                "environment": history.lanes[row.lane].label if row.lane >= 0 else None,
                "verdict": row.verdict or None,
                "change": row.change,
                "change_interval": None if row.change_lo is None else [row.change_lo, row.change_hi],
                "commit": run.sha,
                "run": run.id,
                "recorded_at": run.started_at,
                "page": f"{row.page}#series={row.key}",
            }
        )
    newest = history.project.generated_from
    return (
        json_bytes({"format": FORMAT, "project": history.project.name, "newest": newest, "results": results})
        + b"\n"
    )
