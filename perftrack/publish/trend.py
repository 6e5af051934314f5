"""One series as the browser reads it: columns that refer to runs and lanes by position.

The files are many and their points are the bulk of a site, hence columns, six digits and tables of
what repeats.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.core.history import Point, Series
from perftrack.core.model import Interval, Status
from perftrack.core.units import format_interval
from perftrack.publish.gather import History
from perftrack.publish.lanes import lane_differences

_STATUS_LETTERS = {Status.OK: "o", Status.FAILED: "f", Status.SKIPPED: "s"}
SPARK_POINTS = 40
_SPARK_STEPS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class LaneBreak:
    """A lane that starts after the series did. `at` is the position of its first point in the columns."""

    at: int
    lane: int
    previous: int
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Notes:
    """Why a point has its tier, and what it does not show."""

    reasons: tuple[str, ...]
    limitations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrendData:
    """Points by commit. `value`, `lo`, `hi` are in `unit`; `tier` and `status` hold one letter per point.

    `run` and `lane` are positions in the site's history (lane -1: no environment was recorded); `note`
    is a position in `notes`.
    """

    name: str
    metric: str
    unit: str
    direction: str
    run: tuple[int, ...]
    value: tuple[float | None, ...]
    lo: tuple[float | None, ...]
    hi: tuple[float | None, ...]
    tier: str
    status: str
    lane: tuple[int, ...]
    note: tuple[int, ...]
    notes: tuple[Notes, ...]
    breaks: tuple[LaneBreak, ...]


def trend_data(history: History, series: Series) -> TrendData:
    points = history.ordered(series)
    notes: dict[Notes, int] = {}
    note = tuple(notes.setdefault(_notes(p), len(notes)) for p in points)
    return TrendData(
        name=series.case.id,
        metric=series.metric,
        unit=series.unit,
        direction=series.direction.value,
        run=tuple(history.run_index[p.run_id] for p in points),
        value=tuple(number(p.value) for p in points),
        lo=tuple(number(p.interval.lo if p.interval else None) for p in points),
        hi=tuple(number(p.interval.hi if p.interval else None) for p in points),
        tier="".join(p.tier.value for p in points),
        status="".join(_STATUS_LETTERS[p.status] for p in points),
        lane=tuple(history.lane_index.get(p.lane, -1) for p in points),
        note=note,
        notes=tuple(notes),
        breaks=lane_breaks(history, points),
    )


def lane_breaks(history: History, points: Sequence[Point]) -> tuple[LaneBreak, ...]:
    """Where lanes begin in a series after its first point, with the fields that differ from the lane before.

    The lane before is that of the nearest earlier point: where machines take turns it is one of them,
    and where one machine was upgraded it is the one that ended.
    """
    found: list[LaneBreak] = []
    seen: set[int] = set()
    previous = -1
    for at, point in enumerate(points):
        slot = history.lane_index.get(point.lane, -1)
        if slot < 0:
            continue
        if slot not in seen and previous >= 0:
            differing = lane_differences(history.lanes[previous].lane, history.lanes[slot].lane)
            fields = tuple(str(d) for d in differing if d.refuses)
            found.append(LaneBreak(at, slot, previous, fields))
        seen.add(slot)
        previous = slot
    return tuple(found)


def current(points: Sequence[Point]) -> Sequence[Point]:
    """Points of clean trees where there are any: a dirty run did not measure the commit's own code."""
    return [p for p in points if not p.dirty] or points


def superseded_lanes(history: History, points: Sequence[Point]) -> frozenset[str]:
    """Lanes of a series that ended before another one began: its points are history, not the present."""
    spans: dict[str, tuple[int, int]] = {}
    for point in points:
        at = history.commit_of(point)
        first, last = spans.get(point.lane, (at, at))
        spans[point.lane] = (min(first, at), max(last, at))
    return frozenset(lane for lane, (_, last) in spans.items() if any(first > last for first, _ in spans.values()))


def sparkline(points: Sequence[Point]) -> str:
    """The last values of one lane as one character each: `0` lowest to `z` highest, `-` not measured.

    A series whose values all agree reads as a line in the middle.
    """
    shown = [number(p.value) if p.status is Status.OK else None for p in points[-SPARK_POINTS:]]
    values = [v for v in shown if v is not None]
    if not values:
        return "-" * len(shown)
    lowest, span = min(values), max(values) - min(values)
    top = len(_SPARK_STEPS) - 1
    return "".join(
        "-" if v is None else _SPARK_STEPS[round(top * ((v - lowest) / span if span else 0.5))] for v in shown
    )


def summary(history: History, series: Series) -> str:
    """The trend in words, for those who do not see the chart."""
    points = history.ordered(series)
    measured = [p for p in points if p.status is Status.OK and p.value is not None]
    commits = len({p.sha for p in points})
    parts = [
        f"{series.metric} of {series.case.id}: {_count(len(points), 'point')} over {_count(commits, 'commit')}"
    ]
    lanes = len(series.lanes)
    if lanes > 1:
        parts.append(f"in {lanes} lanes that are not comparable with one another")
    if measured:
        newest = measured[-1]
        parts.append(f"newest {shown_value(newest.value, series.unit, newest.interval)}, tier {newest.tier.value}")
    if failed := sum(p.status is Status.FAILED for p in points):
        parts.append(f"{failed} failed")
    return ", ".join(parts) + "."


def shown_value(value: float | None, unit: str, interval: Interval | None) -> str:
    """`1.234 ms ± 0.5 %`; a value that is no finite number shows as a dash."""
    return format_interval(number(value), unit, interval)


def number(value: float | None) -> float | None:
    """Six significant digits; None for what JSON cannot hold."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.6g}")


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _notes(point: Point) -> Notes:
    return Notes(tuple(r.message for r in point.reasons), tuple(r.message for r in point.limitations))
