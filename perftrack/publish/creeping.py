"""Slow creep on the site: lanes that are worse than at the release, with no one change to show for it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from perftrack.core.changes.alert import lane_key
from perftrack.core.changes.appraisal import FEWEST, surviving
from perftrack.core.changes.creep import Creep
from perftrack.core.changes.crept import Course, Release, crept
from perftrack.core.changes.identity import creep_id
from perftrack.core.units import format_change, format_change_range
from perftrack.publish import addresses
from perftrack.publish.changes import Found
from perftrack.publish.context import commit_ref, lane_ref, series_title
from perftrack.publish.encode import P_DIGITS, number
from perftrack.publish.gather import History
from perftrack.publish.lines import SeriesLine
from perftrack.publish.pages import CreepLine


def creep_lines(
    history: History,
    lines: Sequence[SeriesLine],
    found: Sequence[Found],
    order: Sequence[str],
    threshold: float,
    release: Release | None,
) -> tuple[CreepLine, ...]:
    """The worst first; none without a release. `order`, `threshold`: as for the changes (`watched_lanes`)."""
    if release is None:
        return ()
    kept = surviving(found, [len(line.at) for line in lines])
    looked = [at for at, line in enumerate(lines) if len(line.at) >= FEWEST or kept[at]]
    place = history.positions(order)
    courses = [_course(history, lines[at], kept[at], place, threshold) for at in looked]
    made = [_line(history, lines[looked[at]], seen, release, len(order)) for at, seen in crept(courses, release)]
    return tuple(sorted(made, key=lambda line: (-abs(line.change), line.title, line.id)))


def creep_json(lines: Sequence[CreepLine], history: History) -> list[Mapping[str, object]]:
    """As `json/changes.json` has them: `change` and its ends are log ratios of the metric itself."""
    return [
        {
            "id": line.id,
            "case": line.case,
            "metric": line.metric,
            "lane": history.lanes[line.lane.slot].id if line.lane else None,
            "since": line.release,
            "since_sha": line.since.sha,
            "commits": line.commits,
            "change": number(line.change),
            "change_interval": [number(line.lo), number(line.hi)],
            "p_value": number(line.p, P_DIGITS),
            "page": line.page,
        }
        for line in lines
    ]


def _course(
    history: History, line: SeriesLine, found: Found, place: NDArray[np.int64], threshold: float
) -> Course:
    series, points = history.series[line.series], history.points(line.series)
    return Course(
        values=line.values.tolist(),
        trusted=line.trusted.tolist(),
        positions=place[points.commit[line.at]].tolist(),
        found=found,
        epochs=line.epochs,
        threshold=threshold if series.threshold is None else series.threshold,
        direction=series.direction,
    )


def _line(history: History, line: SeriesLine, seen: Creep, release: Release, length: int) -> CreepLine:
    series = history.series[line.series]
    change, lo, hi = (math.log(r) for r in (seen.ratio, seen.interval.lo, seen.interval.hi))
    return CreepLine(
        id=creep_id(lane_key(series.case.id, series.metric, line.lane), release.sha),
        case=series.case.id,
        metric=series.metric,
        title=series_title(series),
        page=f"{addresses.benchmark_page(series.case.benchmark)}#series={addresses.series_key(series)}",
        size=format_change(change),
        range=format_change_range(lo, hi),
        change=change,
        lo=lo,
        hi=hi,
        p=seen.p_value,
        release=release.name,
        since=commit_ref(history, release.sha),
        commits=length - 1 - release.position,
        lane=lane_ref(history, line.lane),
    )
