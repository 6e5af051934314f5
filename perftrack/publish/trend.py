"""One series as the browser reads it: what tells it, then columns that refer to runs and lanes by position."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from perftrack.core.model import Interval, Status
from perftrack.core.units import format_interval
from perftrack.publish import addresses
from perftrack.publish.catalogue import Catalogue, facet_rows, local_codes, steps, unit_shares
from perftrack.publish.changerows import Told, change_rows, epoch_rows, places
from perftrack.publish.changes import Found
from perftrack.publish.encode import number
from perftrack.publish.gather import Acceptances, History
from perftrack.publish.lanes import LaneView, lane_differences
from perftrack.publish.lines import SeriesLine
from perftrack.publish.numerals import Ints
from perftrack.publish.packing import PackedFile
from perftrack.publish.points import SeriesPoints, distinct
from perftrack.publish.thinning import thinned

SPARK_POINTS = 40
_STEPS = "0123456789abcdefghijklmnopqrstuvwxyz-"  # the last is of what was not measured


@dataclass(frozen=True, slots=True)
class LaneBreak:
    """A lane that starts after the series did: `at` is the position of its first point."""

    at: int
    lane: int
    previous: int
    fields: tuple[str, ...]


def series_files(
    history: History,
    catalogue: Catalogue,
    at: int,
    found: Sequence[tuple[SeriesLine, Found]],
    page: Mapping[str, object] | None = None,
    told: Told | None = None,
    accepted: Acceptances | None = None,
) -> Iterator[tuple[str, PackedFile]]:
    """Path and content of the file of series[at], and of the one with every point where that has not all of them.

    `page`: what the benchmark's page says, in the file of its first series. `told`: the changes that events tell;
    without it all that were found. `accepted`: where the line of history was accepted to begin anew.
    """
    points = history.points(at)
    span = history.table.span(at)
    breaks = lane_breaks(history, points)
    turns = [b.at for b in breaks] + [b.at - 1 for b in breaks]
    shown = thinned(points, [*turns, *(place for line, changes in found for place in places(line, changes))])
    keys, codes = local_codes(points.facet.astype(np.int64) * 2 + catalogue.bounded[span])
    facets, notes = facet_rows(history, keys.tolist())
    head, key = points.head, addresses.series_key(points.head)
    document = {
        "name": head.case.id,
        "metric": head.metric,
        "unit": head.unit,
        "dir": head.direction.value,
        "total": len(points),
        "commits": int(np.count_nonzero(np.diff(points.commit, prepend=-1))),
        "failed": sum(int((codes == k).sum()) for k, row in enumerate(facets) if row[0] == Status.FAILED.value),
        "ref": catalogue.reference(at),
        "facets": facets,
        "notes": notes,
        "breaks": [[int(points.run[b.at]), b.lane, b.previous, b.fields] for b in breaks],
        "changes": list(change_rows(history, points, found, told)),
        "epochs": list(epoch_rows(history, points, found, accepted)),
        "limits": [[slot, share.value, share.ceiling.name] for slot, share in unit_shares(history, at)],
        **({"page": page} if page else {}),
    }
    columns = {"run": points.run.astype(np.int64), "facet": codes, **catalogue.columns(span)}
    yield addresses.series_data(key), PackedFile(document, _chosen(columns, shown))
    if len(shown) < len(points):
        every = np.arange(len(points))
        yield addresses.full_data(key), PackedFile({}, _chosen(columns, every))


def _chosen(columns: dict[str, Ints], at: NDArray[np.intp]) -> dict[str, Ints]:
    return {name: steps(column[at]) if name == "run" else column[at] for name, column in columns.items()}


def lane_breaks(history: History, points: SeriesPoints) -> tuple[LaneBreak, ...]:
    """Where lanes begin in a series after its first point, with the fields that differ from the lane before.

    The lane before is that of the nearest earlier point: where machines take turns it is one of them,
    and where one machine was upgraded it is the one that ended.
    """
    lane = points.lane
    at = np.flatnonzero(lane >= 0)
    own = lane[at]
    if len(distinct(own)) < 2:
        return ()
    firsts = np.sort(np.unique(own, return_index=True)[1])[1:]
    return tuple(
        LaneBreak(
            int(at[k]), int(own[k]), int(own[k - 1]), _fields(history.lanes[own[k - 1]], history.lanes[own[k]])
        )
        for k in firsts.tolist()
    )


@lru_cache(maxsize=4096)
def _fields(before: LaneView, after: LaneView) -> tuple[str, ...]:
    return tuple(str(d) for d in lane_differences(before.lane, after.lane) if d.refuses)


def sparkline(points: SeriesPoints, at: NDArray[np.intp]) -> str:
    """The last values at some points as one character each: `0` lowest to `z` highest, `-` not measured.

    A series whose values all agree reads as a line in the middle.
    """
    last = at[-SPARK_POINTS:]
    values = points.value[last]
    measured = points.facets.ok[points.facet[last]] & np.isfinite(values)
    if not measured.any():
        return "-" * len(last)
    lowest = float(values[measured].min())
    with np.errstate(over="ignore"):
        span = float(values[measured].max() - lowest)
    flat = not span or not math.isfinite(span)
    share = np.full(len(last), 0.5) if flat else (np.where(measured, values, lowest) - lowest) / span
    steps = np.where(measured, np.rint((len(_STEPS) - 2) * share), -1).astype(int)
    return "".join([_STEPS[step] for step in steps.tolist()])


def shown_value(value: float | None, unit: str, interval: Interval | None) -> str:
    """`1.234 ms ± 0.5 %`; a value that is no finite number shows as a dash."""
    return format_interval(number(value), unit, interval)
