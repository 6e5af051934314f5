"""Who else is on the card. Containers hide process ids, so "not shown" is an answer of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from perftrack.core.tiers import Exclusivity

PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Occupancy:
    """The judgement and the sentence that explains it."""

    exclusivity: Exclusivity
    detail: str


def judge(
    listed: Iterable[int] | None,
    bystanders: Iterable[int],
    own: frozenset[int],
    *,
    holds_context: bool,
    exists: Callable[[int], bool],
) -> Occupancy:
    """From the card's process list. `own`: this run's processes; `holds_context`: this process is on the card.

    The list can be believed when this process is in it. When it should be and is not, the list shows
    other process ids than this process sees, or none: another id may then be this very process.
    """
    if listed is None:
        return Occupancy(Exclusivity.UNKNOWN, "the card does not list its processes")
    pids = set(listed)
    others = sorted(pids - own)
    listed_too = bool(pids & own)
    # Without a context of its own this process is none of those listed; one that it can see is another for sure.
    certain = others if listed_too else [p for p in others if not holds_context and exists(p)]
    if certain:
        return Occupancy(Exclusivity.SHARED, f"process(es) {_join(certain)} on the card")
    if not listed_too:
        hidden = holds_context or others
        detail = (
            "process ids are hidden, as in a container" if hidden else "no process is listed, not even this one"
        )
        return Occupancy(Exclusivity.UNKNOWN, detail)
    if rest := sorted(set(bystanders) - own):
        return Occupancy(Exclusivity.UNKNOWN, f"process(es) {_join(rest)} use the card for something else")
    return Occupancy(Exclusivity.EXCLUSIVE, "no other process on the card")


def _join(pids: Iterable[int]) -> str:
    return ", ".join(map(str, pids))


def own_processes(coordinator: int | None = None, proc: Path = PROC) -> frozenset[int]:
    """This process, its ancestors, and every descendant of it and of `coordinator`.

    Ancestors wait for this process, so a context that one of them holds does no work meanwhile.
    """
    parents = _parents(proc)
    me = os.getpid()
    own = {me}
    pid = me
    while (pid := parents.get(pid, 0)) > 1 and pid not in own:
        own.add(pid)
    roots = {me} if coordinator is None else {me, coordinator}
    grew = True
    while grew:
        children = {child for child, parent in parents.items() if parent in roots} - roots
        grew = bool(children)
        roots |= children
    return frozenset(own | roots)


def process_exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _parents(proc: Path) -> dict[int, int]:
    """Parent of each process that /proc shows; only this one's where there is no /proc."""
    found = {os.getpid(): os.getppid()}
    for stat in proc.glob("[0-9]*/stat"):
        try:
            text = stat.read_text(errors="replace")
        except OSError:
            continue
        # The name may hold spaces and brackets: what follows its last bracket is state, then the parent.
        fields = text.rpartition(")")[2].split()
        if len(fields) > 1:
            found[int(stat.parent.name)] = int(fields[1])
    return found
