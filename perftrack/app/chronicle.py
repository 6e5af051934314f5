"""What the site tells of changes: the events that `detect` sees, with their commits, causes and searches."""

from __future__ import annotations

from collections.abc import Sequence

from perftrack.app.detect import ChangeEvent, found_events
from perftrack.app.epochs import Accepted
from perftrack.app.order import Order
from perftrack.app.project import Project
from perftrack.core.changes.appraisal import WatchedLane
from perftrack.core.changes.chronicle import Chapter, concerns
from perftrack.core.history import Lane
from perftrack.core.launches.words import top_lines
from perftrack.core.model import Commit
from perftrack.core.search.blame import Blame
from perftrack.store.blames import read_blames

MOST_COMMITS = 50  # of a range, the last ones


def chapters(
    project: Project, order: Order, lanes: Sequence[Lane], watched: Sequence[WatchedLane]
) -> tuple[Chapter, ...]:
    """Newest first. `lanes`: all of the store; `watched`: whose changes survived the correction for many tests."""
    by_id = {lane.id: lane for lane in lanes}
    events = found_events(project, order, by_id, watched, Accepted.of(project))
    shas = {sha for event in events for sha in _range(event, order)}
    shas |= {order.shas[event.most_likely] for event in events}
    commits = {c.sha: c for c in project.repository.commits(sorted(shas))}
    blames = read_blames(project.store)
    return tuple(_chapter(event, order, commits, blames) for event in events)


def _range(event: ChangeEvent, order: Order) -> tuple[str, ...]:
    return order.shas[max(event.first, event.last + 1 - MOST_COMMITS) : event.last + 1]


def _chapter(event: ChangeEvent, order: Order, commits: dict[str, Commit], blames: Sequence[Blame]) -> Chapter:
    whole = order.shas[event.first : event.last + 1]
    return Chapter(
        changes=event.changes,
        commits=tuple(commits[sha] for sha in _range(event, order) if sha in commits),
        count=event.last - event.first + 1,
        likely=commits[order.shas[event.most_likely]],
        candidates=tuple(order.shas[at] for at in event.candidates),
        hints=event.hints,
        words={case: top_lines(diff) for case, diff in event.diffs.items()},
        blames=tuple(b for b in blames if concerns(b, event.changes, whole)),
    )
