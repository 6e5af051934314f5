"""Changes and accepted changes of a series as its data file has them, by the runs around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from perftrack.core.changes.appraisal import CaseChange
from perftrack.core.changes.chronicle import Chapter
from perftrack.core.changes.watch import WatchedChange
from perftrack.publish import addresses
from perftrack.publish.changes import Found
from perftrack.publish.encode import number
from perftrack.publish.gather import Acceptances, History
from perftrack.publish.lines import SeriesLine
from perftrack.publish.points import SeriesPoints

# The fields of a change's row. The first five but `lane` are runs: of the last value before it, those at the ends
# of the range in which the new level was first seen, and the most likely one. `lo` and `hi` are of the ratio; `id`
# is its name on the page of changes.
CHANGE = (
    "lane", "before", "first", "last", "likely", "probability", "kind", "direction", "standing", "from", "to",
    "ratio", "lo", "hi", "p", "id",
)  # fmt: skip
# Of an accepted change: the run of the first value after it, its commit, and why it was accepted.
EPOCH = ("lane", "run", "sha", "reason")

Told = Mapping[tuple[str, str, str, str], CaseChange]


def told_changes(chapters: Sequence[Chapter]) -> Told:
    """The changes of events by series, lane, and the runs at the start of the range and at its likeliest."""
    found = {}
    for change in (c for chapter in chapters for c in chapter.changes):
        points, at = change.trend.points, change.change
        first, likely = points[at.first].run_id, points[at.most_likely].run_id
        found[addresses.series_key(change.series), change.trend.lane, first, likely] = change
    return found


def change_rows(
    history: History, points: SeriesPoints, found: Sequence[tuple[SeriesLine, Found]], told: Told | None
) -> Iterator[list[object]]:
    """`CHANGE` of each change. Where it is known what `told` tells, the others are chance among so many series."""
    key = addresses.series_key(points.head)
    for line, changes in found:
        runs = points.run[line.at]
        for watched in changes:
            first, likely = (
                history.runs[int(runs[at])].id for at in (watched.change.first, watched.change.most_likely)
            )
            known = told.get((key, line.lane, first, likely)) if told is not None else None
            if told is None or known is not None:
                yield _row(history, points, line, watched, known)


def epoch_rows(
    history: History,
    points: SeriesPoints,
    found: Sequence[tuple[SeriesLine, Found]],
    accepted: Acceptances | None,
) -> Iterator[list[object]]:
    """`EPOCH` of each accepted change of each line that has values on both sides of it."""
    if accepted is None:
        return
    for line, _ in found:
        commits = points.commit[line.at].tolist()
        for at, sha, why in accepted(points.head, [history.commits[c].sha for c in commits]):
            if at > 0:
                yield [history.lane_index.get(line.lane, -1), int(points.run[line.at[at]]), sha, why]


def places(line: SeriesLine, changes: Found) -> list[int]:
    """Points that show a change: the last before it, and those at the ends and in the middle of its range."""
    found = {p for w in changes for p in (w.change.first - 1, w.change.first, w.change.most_likely, w.change.last)}
    return [int(line.at[place]) for place in sorted(found) if place >= 0]


def _row(
    history: History, points: SeriesPoints, line: SeriesLine, watched: WatchedChange, told: CaseChange | None
) -> list[object]:
    change = watched.change
    runs = points.run[line.at]
    interval = change.interval
    return [
        history.lane_index.get(line.lane, -1),
        int(runs[change.first - 1]) if change.first else None,
        int(runs[change.first]),
        int(runs[change.last]),
        int(runs[change.most_likely]),
        number(change.probability),
        change.kind.value,
        change.direction.value,
        (told or watched).standing.value,
        number(change.before),
        number(change.after),
        number(change.ratio),
        number(interval.lo if interval else None),
        number(interval.hi if interval else None),
        number(change.p_value),
        told.id if told else "",
    ]
