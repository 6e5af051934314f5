"""The environments page: each lane's fields, who uses it, and in what the lanes differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from perftrack.core.fingerprint import EnvironmentFingerprint, FieldInfo, FieldValue, Role, Unknown
from perftrack.publish import addresses
from perftrack.publish.context import commit_ref, frame
from perftrack.publish.gather import History
from perftrack.publish.lanes import LaneView, protocol_texts
from perftrack.publish.pages import EnvironmentSection, EnvironmentsPage, FieldRow, LaneRef, LaneUse


@dataclass(frozen=True, slots=True)
class _Use:
    """Counts of one lane, and the first and last commit that is in it."""

    series: int = 0
    points: int = 0
    runs: int = 0
    first: int | None = None
    last: int | None = None


def environments_page(history: History, base_url: str | None) -> EnvironmentsPage:
    uses = _uses(history)
    lanes = [_lane_use(history, lane, uses.get(lane.id, _Use())) for lane in history.lanes]
    return EnvironmentsPage(
        frame=frame(history, addresses.ENVIRONMENTS, "Environments", "environments", base_url),
        uses=tuple(lanes),
        differing=_differing(history.lanes),
    )


def environment_section(
    title: str, fingerprint: EnvironmentFingerprint, lanes: Sequence[LaneRef]
) -> EnvironmentSection:
    """Fields of one environment: those that are there as rows, the names of the absent ones in a line."""
    rows = [
        _row(info, [fingerprint]) for info in _key_first(fingerprint) if fingerprint.value(info.name) is not None
    ]
    absent = [i.label for i in _key_first(fingerprint) if fingerprint.value(i.name) is None]
    return EnvironmentSection(title, tuple(lanes), tuple(rows), tuple(absent))


def _key_first(fingerprint: EnvironmentFingerprint) -> list[FieldInfo]:
    return sorted(EnvironmentFingerprint.fields(), key=lambda i: fingerprint.role(i) is not Role.KEY)


def _row(info: FieldInfo, fingerprints: Sequence[EnvironmentFingerprint]) -> FieldRow:
    values = [f.value(info.name) for f in fingerprints]
    return FieldRow(
        label=info.label,
        why=info.why,
        key=any(f.role(info) is Role.KEY for f in fingerprints),
        values=tuple(info.show(v) for v in values),
        kinds=tuple(_kind(v) for v in values),
    )


def _kind(value: FieldValue) -> str:
    if value is None:
        return "absent"
    return "unknown" if isinstance(value, Unknown) else "value"


def _differing(lanes: Sequence[LaneView]) -> tuple[FieldRow, ...]:
    """One row per field that is not the same in every lane, protocol first; empty with fewer than two."""
    if len(lanes) < 2:
        return ()
    rows: list[FieldRow] = []
    protocols = [protocol_texts(lane.lane.protocol) for lane in lanes]
    whys = ("what read the time", "state of the cache before each call", "revision of the measuring protocol")
    for index, (label, why) in enumerate(zip(("timer", "cache", "protocol version"), whys, strict=True)):
        values = tuple(p[index] for p in protocols)
        if len(set(values)) > 1:
            rows.append(FieldRow(label, why, True, values, ("value",) * len(values)))
    fingerprints = [lane.lane.fingerprint for lane in lanes]
    for info in EnvironmentFingerprint.fields():
        row = _row(info, fingerprints)
        if len(set(zip(row.values, row.kinds, strict=True))) > 1:
            rows.append(row)
    return tuple(sorted(rows, key=lambda r: not r.key))


def _uses(history: History) -> Mapping[str, _Use]:
    table, slots = history.table, len(history.lanes)
    lane = history.facets.lane[table.facet].astype(np.int64)
    series = np.repeat(np.arange(len(table.heads)), np.diff(table.bounds))
    commit = history.run_commit[table.run] if len(table) else table.run
    points = np.bincount(lane[lane >= 0], minlength=slots)
    uses: dict[str, _Use] = {}
    for view in history.lanes:
        own = np.flatnonzero(lane == view.slot)
        if len(own):
            runs, used = len(np.unique(table.run[own])), len(np.unique(series[own]))
            first, last = int(commit[own].min()), int(commit[own].max())
            uses[view.id] = _Use(used, int(points[view.slot]), runs, first, last)
    return uses


def _lane_use(history: History, lane: LaneView, use: _Use) -> LaneUse:
    ref = LaneRef(lane.slot, lane.label)
    timer, cache, version = protocol_texts(lane.lane.protocol)
    first = history.commits[use.first].sha if use.first is not None else None
    last = history.commits[use.last].sha if use.last is not None else None
    return LaneUse(
        lane=ref,
        id=lane.id,
        series=use.series,
        points=use.points,
        runs=use.runs,
        first=commit_ref(history, first) if first else None,
        last=commit_ref(history, last) if last else None,
        environment=environment_section(lane.label, lane.lane.fingerprint, (ref,)),
        protocol=(("timer", timer), ("cache", cache), ("version", version)),
    )
