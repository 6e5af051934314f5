"""The status page: what stopped reporting, who reports, and what this site was made from.

A page cannot know the day it is read on, so it is written with times and the browser says which are too long ago.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from perftrack.core.ceilingcase import definition_of
from perftrack.core.changes.silence import Reporter, Reports, Silence, device_name, missing_cases
from perftrack.publish import addresses
from perftrack.publish.context import commit_ref, frame
from perftrack.publish.gather import History, HistorySource
from perftrack.publish.points import NO_LANE, distinct
from perftrack.publish.storypages import Quiet, Reporting, StatusPage


def status_page(history: History, source: HistorySource, base_url: str | None) -> StatusPage:
    order = tuple(source.line())
    rules = source.silence()
    missing = missing_cases(_reports(history, order), rules.commits) if rules.days > 0 else ()
    return StatusPage(
        frame=frame(history, addresses.STATUS, "Status", "status", base_url),
        silences=tuple(_quiet(history, order, s) for s in missing if not rules.allows(s.name)),
        reporters=tuple(_reporting(r) for r in source.reporters()),
        facts=_facts(history, source),
        silence_days=rules.days,
    )


def _reports(history: History, order: tuple[str, ...]) -> list[Reports]:
    """Along the order, at which commits each case was measured on each kind of device."""
    position = history.positions(order)
    names = [device_name(lane.lane.fingerprint) for lane in history.lanes]
    seen: dict[tuple[str, str], list[NDArray[np.int64]]] = defaultdict(list)
    for at, series in enumerate(history.series):
        if definition_of(series.case) is not None:
            continue
        points = history.points(at)
        good = points.ok & points.clean & (points.lane != NO_LANE) & (position[points.commit] >= 0)
        for lane in distinct(points.lane[good]):
            own = position[points.commit[good & (points.lane == lane)]]
            seen[series.case.id, names[lane]].append(own)
    return [Reports(case, device, _each_once(at)) for (case, device), at in seen.items()]


def _each_once(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Ascending; as one device's mostly are, which neither `sort` nor `unique` sees."""
    found = np.concatenate(parts)
    if (np.diff(found) > 0).all():
        return found
    found.sort()
    return found[np.flatnonzero(np.diff(found, prepend=-1))]


def _quiet(history: History, order: tuple[str, ...], silence: Silence) -> Quiet:
    last = None if silence.last is None else commit_ref(history, order[silence.last])
    return Quiet(silence.kind.value, silence.name, silence.device, silence.last_at, last, silence.missing)


def _reporting(reporter: Reporter) -> Reporting:
    return Reporting(reporter.kind.value, reporter.name, reporter.runs, reporter.last_at)


def _facts(history: History, source: HistorySource) -> tuple[tuple[str, str], ...]:
    return (
        ("Store version", str(source.store_version())),
        ("Commits with results", str(len(history.commits) - len(history.lost))),
        ("Commits that are not in history", str(len(history.lost))),
        ("Runs", str(len(history.runs))),
        ("Runs of uncommitted changes", str(sum(r.dirty for r in history.runs))),
        ("Series", str(len(history.series))),
        ("Points", str(len(history.table))),
        ("Lanes", str(len(history.lanes))),
        ("Profiles", str(len(history.profiles))),
    )
