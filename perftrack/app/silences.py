"""What fell silent: which cases, devices and hosts of the stored history no longer report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from perftrack.app.order import Order
from perftrack.app.project import Project
from perftrack.core.ceilingcase import definition_of
from perftrack.core.changes.silence import (
    Reporter,
    Reports,
    Silence,
    SilenceKind,
    device_name,
    missing_cases,
    quiet_reporters,
)
from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.history import Lane, Point, Series
from perftrack.core.model import Status
from perftrack.store.alerts import read_sources


@dataclass(frozen=True, slots=True)
class SilenceReport:
    """`detail`: what a case says instead of a number, where it says anything."""

    silence: Silence
    detail: str = ""
    known: bool = False


def silences(
    project: Project,
    series: Sequence[Series],
    order: Order,
    lanes: Mapping[str, Lane],
    now: float,
    days: float,
) -> tuple[SilenceReport, ...]:
    """Silences at `now`, unix seconds, without those that the configuration allows. `days` of 0: none at all."""
    if days <= 0:
        return ()
    found = [*quiet_reporters(reporters(project), now, days)]
    own = [s for s in series if definition_of(s.case) is None]
    found += missing_cases(_reports(own, order, lanes), project.config.silence_commits)
    allowed = project.config.silence_ignore
    loud = [s for s in found if not any(fnmatchcase(s.name, p) for p in allowed)]
    return tuple(SilenceReport(s, _detail(s, own, order)) for s in loud)


def reporters(project: Project) -> list[Reporter]:
    """Hosts and devices by name, with when each last made a run."""
    environments = project.store.fingerprints()
    found: dict[tuple[SilenceKind, str], Reporter] = {}
    for source in read_sources(project.store):
        fingerprint = environments.get(source.fingerprint_id)
        names = [(SilenceKind.HOST, source.host)] if source.host else []
        if fingerprint is not None:
            names.append((SilenceKind.DEVICE, _card(fingerprint)))
        for kind, name in names or [(SilenceKind.ALL, "")]:
            before = found.get((kind, name), Reporter(kind, name, 0, source.last_at))
            newest = max(before.last_at, source.last_at)
            found[kind, name] = Reporter(kind, name, before.runs + source.runs, newest)
    return [found[key] for key in sorted(found)]


def _card(fingerprint: EnvironmentFingerprint) -> str:
    """One device: by its id, or by the host that it is in."""
    for value in (fingerprint.gpu_uuid, fingerprint.host):
        if isinstance(value, str) and value:
            return f"{device_name(fingerprint)} ({value})"
    return device_name(fingerprint)


def _reports(series: Iterable[Series], order: Order, lanes: Mapping[str, Lane]) -> list[Reports]:
    seen: dict[tuple[str, str], set[int]] = defaultdict(set)
    names = {lane.id: device_name(lane.fingerprint) for lane in lanes.values()}
    for own in series:
        for point in own.points:
            at = order.positions.get(point.sha)
            if at is not None and point.status is Status.OK and not point.dirty and point.lane in names:
                seen[own.case.id, names[point.lane]].add(at)
    return [
        Reports(case, device, np.array(sorted(positions), dtype=np.int64))
        for (case, device), positions in seen.items()
    ]


def _detail(silence: Silence, series: Sequence[Series], order: Order) -> str:
    if silence.kind is not SilenceKind.CASE or silence.last is None:
        return ""
    later: list[tuple[int, Point]] = [
        (order.positions[p.sha], p)
        for own in series
        if own.case.id == silence.name
        for p in own.points
        if order.positions.get(p.sha, -1) > silence.last and p.status is not Status.OK
    ]
    if not later:
        return "not in any of their runs"
    _, newest = max(later, key=lambda pair: pair[0])
    said = newest.reasons[0].message if newest.reasons else ""
    return f"{newest.status.value}: {said}" if said else newest.status.value
