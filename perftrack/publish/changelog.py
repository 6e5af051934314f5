"""The changes page: one entry a change event, each with an address that it keeps; and the same as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from perftrack.core.changes.appraisal import CaseChange
from perftrack.core.changes.changepoint import ChangePoint
from perftrack.core.changes.chronicle import Chapter
from perftrack.core.model import Commit, Interval
from perftrack.core.search.blame import Blame
from perftrack.core.units import format_change, format_change_range, format_value
from perftrack.publish import addresses
from perftrack.publish.context import commit_ref, frame, series_title
from perftrack.publish.creeping import creep_json
from perftrack.publish.encode import P_DIGITS, json_bytes, number
from perftrack.publish.gather import History
from perftrack.publish.pages import CommitRef, CreepLine, EventLine
from perftrack.publish.storypages import ChangesPage

FORMAT = 1
SHOWN_COMMITS = 50  # of a range; the rest is counted


def changes_page(
    history: History, chapters: Sequence[Chapter], base_url: str | None, creeps: Sequence[CreepLine] = ()
) -> ChangesPage:
    return ChangesPage(
        frame(history, addresses.CHANGES, "Changes", "changes", base_url), len(chapters), tuple(creeps)
    )


def change_list(history: History, chapters: Sequence[Chapter]) -> dict[str, list[dict[str, Any]]]:
    """The document that the page shows, newest event first; lanes are positions in the history."""
    return {"events": [_event(history, chapter) for chapter in chapters]}


def changes_json(history: History, events: Sequence[Mapping[str, Any]], creeps: Sequence[CreepLine] = ()) -> bytes:
    """`json/changes.json`: `events` of `change_list` for other programs; lanes are ids and addresses lead from the
    site's root.
    """
    document = {
        "format": FORMAT,
        "project": history.project.name,
        "events": [_exported(history, event) for event in events],
        "creeps": creep_json(creeps, history),
    }
    return json_bytes(document) + b"\n"


def _exported(history: History, event: Mapping[str, Any]) -> dict[str, Any]:
    changes = [{**c, "lane": history.lanes[c["lane"]].id if c["lane"] >= 0 else None} for c in event["changes"]]
    return {**event, "changes": changes, "page": addresses.change_page(event["id"])}


def headline(chapter: Chapter) -> str:
    """`matmul[n=4096] +12 %`, and how many more there are."""
    first = chapter.changes[0]
    more = f" and {len(chapter.changes) - 1} more" if len(chapter.changes) > 1 else ""
    return f"{named(first)} {size_text(first)}{more}"


def named(change: CaseChange) -> str:
    """The case, and its metric unless that goes without saying."""
    return series_title(change.series)


def event_line(history: History, chapter: Chapter) -> EventLine:
    first, likely = chapter.changes[0], chapter.likely
    found = first.change
    causes = [
        *(f"perftrack bisect names {b.culprit[:10]}" for b in chapter.blames if b.culprit),
        *(line for lines in chapter.words.values() for line in lines),
        *(r.message for r in chapter.hints),
    ]
    return EventLine(
        page=addresses.change_page(chapter.id),
        title=named(first),
        size=size_text(first),
        range=_range(found),
        verdict=first.verdict.value,
        state=chapter.state.value,
        likely=commit_ref(history, likely.sha) if likely.sha in history.commit_index else _ref(history, likely),
        commits=chapter.count,
        others=len(chapter.changes) - 1,
        cause=causes[0] if causes else "",
        at=likely.author_time,
    )


def _range(found: ChangePoint) -> str:
    """The ends of the size's interval; empty for an exact size, and where there is no ratio."""
    ends = found.interval
    if ends is None or found.ratio is None or ends.lo <= 0 or ends.lo == ends.hi:
        return ""
    return format_change_range(math.log(ends.lo), math.log(ends.hi))


def _ref(history: History, commit: Commit) -> CommitRef:
    """A commit without results of its own."""
    return CommitRef(commit.sha, commit.subject, history.forge.commit(commit.sha) if history.forge else None)


def size_text(change: CaseChange) -> str:
    """The size of a change, or both levels where there is no ratio."""
    found = change.change
    if found.ratio is None:
        return (
            f"{format_value(found.before, change.series.unit)} → {format_value(found.after, change.series.unit)}"
        )
    return format_change(math.log(found.ratio))


def _event(history: History, chapter: Chapter) -> dict[str, Any]:
    return {
        "id": chapter.id,
        "title": headline(chapter),
        "state": chapter.state.value,
        "worse": chapter.worse,
        "better": chapter.better,
        "likely": _commit(chapter.likely),
        "count": chapter.count,
        "commits": [_commit(c) for c in chapter.commits[-SHOWN_COMMITS:]],
        "candidates": list(chapter.candidates[:SHOWN_COMMITS]),
        "hints": [r.message for r in chapter.hints],
        "words": [[case, list(lines)] for case, lines in sorted(chapter.words.items())],
        "changes": [_change(history, c) for c in chapter.changes],
        "searches": [_search(b) for b in chapter.blames],
    }


def _commit(commit: Commit) -> list[object]:
    return [commit.sha, commit.subject, commit.author, commit.author_time]


def _change(history: History, change: CaseChange) -> dict[str, object]:
    found, series = change.change, change.series
    ends = [None, None] if found.interval is None else [_log(found.interval.lo), _log(found.interval.hi)]
    points = change.trend.points
    return {
        "id": change.id,
        "case": change.case.id,
        "metric": series.metric,
        "unit": series.unit,
        "page": addresses.benchmark_page(change.case.benchmark),
        "key": addresses.series_key(series),
        "lane": history.lane_index.get(change.trend.lane, -1),
        "verdict": change.verdict.value,
        "standing": change.standing.value,
        "kind": found.kind.value,
        "before": number(found.before),
        "after": number(found.after),
        "change": None if found.ratio is None else _log(found.ratio),
        "lo": ends[0],
        "hi": ends[1],
        "p": number(found.p_value, P_DIGITS),
        "sides": [points[max(found.first - 1, 0)].sha, points[found.last].sha],
        "reasons": [r.message for r in change.reasons],
    }


def _log(ratio: float) -> float | None:
    return number(math.log(ratio)) if ratio > 0 and math.isfinite(ratio) else None


def _search(blame: Blame) -> dict[str, object]:
    return {
        "outcome": blame.outcome.value,
        "case": blame.case_id,
        "commits": list(blame.commits),
        "probability": number(blame.probability),
        "effect": _effect(blame),
        "measurements": blame.measurements,
        "builds": blame.builds,
        "finished_at": blame.finished_at,
    }


def _effect(blame: Blame) -> str:
    """What the confirming processes alone showed, positive for worse; empty where nothing was confirmed."""
    if blame.effect is None:
        return ""
    ends = blame.interval
    if blame.logs:
        shown = format_change(blame.effect)
        return shown if ends is None else f"{shown} ({format_change(ends.lo)} … {format_change(ends.hi)})"
    shown = format_value(blame.effect, blame.unit)
    return shown if ends is None else f"{shown} ({_ends(ends, blame.unit)})"


def _ends(ends: Interval, unit: str) -> str:
    return f"{format_value(ends.lo, unit)} … {format_value(ends.hi, unit)}"
