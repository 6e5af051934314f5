"""The numbers that series go by in data files, and all points in the form in which the files hold them.

A number that was given out stays the same as history grows, and so does a series' reference: both follow from its
first recording. So the file of a run keeps its bytes for good.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perftrack.core.pointtable import PointTable
from perftrack.core.share import Share
from perftrack.publish import addresses
from perftrack.publish.context import params_text
from perftrack.publish.gather import History
from perftrack.publish.numerals import Ints, differences, numerals, usual_scale

_AT_ONCE = 1 << 15


@dataclass(frozen=True, slots=True)
class Catalogue:
    """`order`: positions of the history's series by their number; `number` is its inverse.

    `digits`, `scale`, `level` and `grade` (series,) are the references. Of all points (n,), in the order of the
    table: `value`, the digits beyond the reference's; `width`, 0 where no interval has a width, else the grade
    beyond the reference's, one more where that is not negative; `step`, the scale beyond what the grade gives for
    a value of the reference's size, or without one beyond the reference's; `skew`, how many steps the interval's
    middle is above the value; and whether there is an interval.
    """

    order: NDArray[np.intp]
    number: NDArray[np.intp]
    digits: Ints
    scale: Ints
    level: Ints
    grade: Ints
    step: Ints
    value: Ints
    width: Ints
    skew: Ints
    bounded: NDArray[np.bool_]

    def columns(self, own: slice | NDArray[np.intp]) -> dict[str, Ints]:
        return {"step": self.step[own], "value": self.value[own], "width": self.width[own], "skew": self.skew[own]}

    def reference(self, series: int) -> tuple[int, int, int, int]:
        """Digits, scale, level and grade of the series at a position of the history."""
        parts = self.digits, self.scale, self.level, self.grade
        digits, scale, level, grade = (int(part[series]) for part in parts)
        return digits, scale, level, grade


def catalogue(history: History) -> Catalogue:
    table = history.table
    count = len(table.heads)
    series = np.repeat(np.arange(count), np.diff(table.bounds))
    first = _least(table, table.run)
    order = np.lexsort((np.arange(count), first))
    number = np.empty(count, dtype=np.intp)
    number[order] = np.arange(count)
    references = _references(history, series)
    step, width, skew = (np.empty(len(table), dtype=np.int32) for _ in range(3))
    value = np.empty(len(table), dtype=np.int64)
    for start in range(0, len(table), _AT_ONCE):
        own = slice(start, start + _AT_ONCE)
        found = numerals(*_numbers(table, own))
        digits, scale, level, grade = (part[series[own]] for part in references)
        value[own] = differences(found.digits, found.scale, digits, scale)
        beyond = found.grade - grade
        width[own] = np.where(found.wide, beyond + (beyond >= 0), 0)
        step[own] = found.scale - np.where(found.wide, usual_scale(found.grade, level), scale)
        skew[own] = found.skew
    bounded = np.isfinite(table.lo) & np.isfinite(table.hi)
    return Catalogue(order, number, *references, step, _narrow(value), width, skew, bounded)


def _narrow(column: NDArray[np.int64]) -> Ints:
    """In half of the room where that does: of many millions of points it is most of what a build needs."""
    limits = np.iinfo(np.int32)
    fits = not len(column) or (column.min() >= limits.min and column.max() <= limits.max)
    return column.astype(np.int32) if fits else column


def _numbers(table: PointTable, own: slice | NDArray[np.intp]) -> tuple[NDArray[np.float64], ...]:
    return table.value[own], table.lo[own], table.hi[own]


def _references(history: History, series: NDArray[np.intp]) -> tuple[Ints, Ints, Ints, Ints]:
    """Digits, scale, level and grade of each series' first recorded value; zeros where there is none."""
    table, count = history.table, len(history.series)
    last = len(table.runs)
    run = np.where(history.facets.ok[table.facet] & np.isfinite(table.value), table.run, last)
    first = _least(table, run)
    at = np.flatnonzero((run == first[series]) & (run < last))
    owners, where = np.unique(series[at], return_index=True)
    found = numerals(*_numbers(table, at[where]))
    digits, scale, level, grade = (np.zeros(count, dtype=np.int64) for _ in range(4))
    digits[owners], scale[owners], level[owners], grade[owners] = (
        found.digits,
        found.scale,
        found.level,
        found.grade,
    )
    return digits, scale, level, grade


def _least(table: PointTable, column: NDArray[np.integer]) -> NDArray[np.int64]:
    """(series,) the least of each series' own part of a column; the number of runs where it has none."""
    found = np.full(len(table.heads), len(table.runs), dtype=np.int64)
    filled = np.flatnonzero(np.diff(table.bounds))
    if len(filled):
        found[filled] = np.minimum.reduceat(column, table.bounds[filled])
    return found


def listing(history: History, numbers: Catalogue) -> Mapping[str, object]:
    """Columns of all series by number: what tells them, where they are shown, and their references."""
    heads = [history.series[at] for at in numbers.order.tolist()]
    return {
        "key": [addresses.series_key(s) for s in heads],
        "name": [s.case.benchmark for s in heads],
        "params": [params_text(s) for s in heads],
        "id": [s.case.id for s in heads],
        "metric": [s.metric for s in heads],
        "unit": [s.unit for s in heads],
        "direction": [s.direction.value for s in heads],
        "page": [addresses.benchmark_page(s.case.benchmark) for s in heads],
        "reference": [numbers.reference(at) for at in numbers.order.tolist()],
        "limits": _limits(history, numbers),
    }


def _limits(history: History, numbers: Catalogue) -> list[list[object]]:
    """Series that are held against a ceiling: number, lane, share of what takes a second, name of the ceiling."""
    found: list[list[object]] = []
    for number, at in enumerate(numbers.order.tolist()):
        found += [[number, slot, share.value, share.ceiling.name] for slot, share in unit_shares(history, at)]
    return found


def unit_shares(history: History, at: int) -> Iterator[tuple[int, Share]]:
    """By lane of series[at], the share of its ceiling that a value of one would have: a time divides it."""
    if (history.series[at].case.id, history.series[at].metric) not in history.work:
        return
    points = history.points(at)
    by_lane = {int(slot): int(k) for k, slot in enumerate(points.lane.tolist()) if points.ok[k] and slot >= 0}
    for slot, k in sorted(by_lane.items()):
        share = history.share_of(points.head, points.facet_at(k), 1.0, None)
        if share is not None:
            yield slot, share


def local_codes(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], Ints]:
    """Distinct values in order of appearance, and for each value the position of its like among them."""
    if len(values) and (values == values[0]).all():
        return values[:1], np.zeros(len(values), dtype=np.int32)
    distinct, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order))
    return distinct[order], rank[inverse.reshape(-1)]


def steps(positions: NDArray[np.integer]) -> Ints:
    """Positions as differences from the one before."""
    found = positions.astype(np.int32)
    found[1:] -= found[:-1].copy()
    return found


def facet_rows(history: History, keys: Sequence[int]) -> tuple[list[list[object]], list[list[object]]]:
    """The table that a file's facet column points into, and the notes that its rows point into.

    A key is twice a facet's position, and one more where there is an interval. A row is status, tier, lane, note,
    interval or not; a note is messages of reasons, of limitations, and codes of the reasons.
    """
    notes: dict[tuple[tuple[str, str], ...], int] = {}
    rows: list[list[object]] = []
    shown: list[list[object]] = []
    for key in keys:
        facet, slot = history.facets.all[key >> 1], int(history.facets.lane[key >> 1])
        told = (
            *((r.code, r.message) for r in facet.reasons),
            ("", ""),
            *((r.code, r.message) for r in facet.limitations),
        )
        if told not in notes:
            notes[told] = len(shown)
            reasons, limitations = facet.reasons, facet.limitations
            shown.append(
                [[r.message for r in reasons], [r.message for r in limitations], [r.code for r in reasons]]
            )
        rows.append([facet.status.value, facet.tier.value, slot, notes[told], key & 1])
    return rows, shown
