"""The ceilings page: the most that each environment was measured to do, and which are held against results."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from perftrack.core.ceilingcase import definition_of, dtype_of, is_tuned
from perftrack.core.history import Series
from perftrack.core.share import L2_BYTES, NAMES
from perftrack.core.units import format_interval
from perftrack.publish import addresses
from perftrack.publish.context import commit_ref, frame
from perftrack.publish.devicepages import CeilingEnvironment, CeilingRow, CeilingsPage
from perftrack.publish.gather import History
from perftrack.publish.pages import LaneRef
from perftrack.publish.points import NO_LANE, SeriesPoints


def ceilings_page(history: History, base_url: str | None) -> CeilingsPage:
    found: dict[str, list[CeilingRow]] = {}
    places: dict[str, LaneRef] = {}
    for at, series in enumerate(history.series):
        if definition_of(series.case) is None:
            continue
        points = history.points(at)
        for slot, newest in _newest(points):
            lane = history.lanes[slot]
            key = lane.lane.fingerprint.key_id
            places.setdefault(key, LaneRef(slot, lane.label))
            found.setdefault(key, []).append(_row(history, series, points, newest, key))
    environments = tuple(CeilingEnvironment(places[key], tuple(rows)) for key, rows in found.items())
    return CeilingsPage(frame(history, addresses.CEILINGS, "Ceilings", "ceilings", base_url), environments)


def _newest(points: SeriesPoints) -> Iterator[tuple[int, int]]:
    """The newest good point of each lane, by lane."""
    good = np.flatnonzero(points.ok & np.isfinite(points.value) & (points.lane != NO_LANE))
    for slot in np.unique(points.lane[good]).tolist():
        yield slot, int(good[points.lane[good] == slot][-1])


def _row(history: History, series: Series, points: SeriesPoints, at: int, key: str) -> CeilingRow:
    definition = definition_of(series.case)
    assert definition is not None
    dtype = dtype_of(series.case.params)
    facet, run = points.facet_at(at), history.runs[int(points.run[at])]
    in_force = history.ceilings.by_key.get(key, ())
    commit = history.commits[int(points.commit[at])]
    return CeilingRow(
        name=NAMES[definition.kind] + (", L2" if definition in L2_BYTES else ""),
        definition=definition.value,
        sentence=definition.sentence,
        dtype=dtype.value if dtype else "",
        value=format_interval(points.value_at(at) or 0.0, series.unit, points.interval_at(at)),
        tier=facet.tier.value,
        notes=tuple(dict.fromkeys(r.message for r in (*facet.reasons, *facet.limitations))),
        in_force=not is_tuned(series.case)
        and any(c.definition is definition and c.dtype is dtype and c.run_id == run.id for c in in_force),
        measured_at=run.started_at,
        commit=commit_ref(history, commit.sha, addresses.run_page(run.id)),
        trend=f"{addresses.benchmark_page(series.case.benchmark)}#series={addresses.series_key(series)}",
    )
