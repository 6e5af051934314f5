"""Who else is on the card. Containers hide process ids, so "not shown" is an answer of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from perftrack.core.company import CardUse, Occupancy
from perftrack.core.tiers import Exclusivity

PROC = Path("/proc")
# Less than any process's context takes, more than a driver leaves behind.
FOREIGN_BYTES = 64 << 20
# Below this a card may be said to do what it does by itself: keep a display, look after its memory.
BUSY_PCT = 5.0
_HOST_PID_NAMESPACE = 0xEFFFFFFC  # PROC_PID_INIT_INO of the kernel


def judge(
    listed: Iterable[int] | None,
    bystanders: Iterable[int],
    own: frozenset[int],
    *,
    holds_context: bool,
    exists: Callable[[int], bool],
    before: CardUse | None = None,
    whole: bool = True,
) -> Occupancy:
    """From the card's process list, and from its use before this run. Company can be shown; its absence must be.

    `own`: this run's processes; `holds_context`: this process is on the card; `before`: the card's use before
    the run; `whole`: the list can hold every process of the host, not only those of a container.
    """
    others = tuple(sorted(set(bystanders) - own))
    by_list = _by_list(listed, others, own, holds_context=holds_context, exists=exists)
    memory = before.foreign_bytes if before is not None else None
    busy = before.busy_pct if before is not None else None
    if by_list.exclusivity is Exclusivity.SHARED:
        return by_list
    seen = _seen(memory, busy)
    if seen and memory and busy and memory >= FOREIGN_BYTES and busy >= BUSY_PCT and not others:
        return Occupancy(Exclusivity.SHARED, f"{seen} before the run, by a process that is not listed here")
    if seen:
        return Occupancy(Exclusivity.UNKNOWN, f"{by_list.detail}, but {seen} before the run")
    if by_list.exclusivity is Exclusivity.EXCLUSIVE and not whole and memory is None:
        return Occupancy(
            Exclusivity.UNKNOWN,
            "only this container's processes are listed, and what memory was in use before the run is not known",
        )
    return by_list


def _by_list(
    listed: Iterable[int] | None,
    bystanders: tuple[int, ...],
    own: frozenset[int],
    *,
    holds_context: bool,
    exists: Callable[[int], bool],
) -> Occupancy:
    """The list can be believed when this process is in it.

    When it should be and is not, the list shows other process ids than this process sees, or none: another
    id may then be this very process.
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
    if bystanders:
        return Occupancy(Exclusivity.UNKNOWN, f"process(es) {_join(bystanders)} use the card for something else")
    return Occupancy(Exclusivity.EXCLUSIVE, "no other process on the card")


def _seen(memory: int | None, busy: float | None) -> str:
    """What of somebody else's use was read; empty for none, and for what is unknown."""
    parts = []
    if memory is not None and memory >= FOREIGN_BYTES:
        parts.append(f"{memory / 2**20:,.0f} MiB of its memory were in use".replace(",", " "))
    if busy:
        parts.append(f"it was busy {busy:.0f} % of the time")
    return " and ".join(parts)


def lists_whole_host(namespace: Path = PROC / "self/ns/pid") -> bool:
    """Whether the host's process ids are seen here; inside a container a card may list the container's alone."""
    if sys.platform != "linux":
        return True
    try:
        return namespace.stat().st_ino == _HOST_PID_NAMESPACE
    except OSError:
        return False


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
