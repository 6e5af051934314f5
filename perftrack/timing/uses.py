"""What the cards of this host are used for while this run has nothing on them: read once, before it starts.

The list of a card's processes is empty, or shorter than the truth, inside of a container; memory that
somebody holds and time that somebody takes are the card's own, and show.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from perftrack.core.company import CardUse
from perftrack.timing.devices import driver_present

# Cards tell their utilisation over the last second at most: what a run that has just ended did is then gone.
SETTLE_S = 1.2
_LOOK_S = 0.2

# Kinds of device that no card's use says anything about.
OFF_CARDS = frozenset({"cpu", "replay"})

Read = Callable[[], tuple[CardUse, ...]]


def card_uses(
    read: Read | None = None,
    *,
    settle_s: float = SETTLE_S,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[CardUse, ...]:
    """Every card's use now; empty where there are none, or none can be read.

    For a process that runs nothing on any card, and none of whose workers does. While a card is busy it is
    looked at again, for `settle_s`: that may be the end of an earlier run.
    """
    return _settled(read or _read_all, lambda u: bool(u.busy_pct), settle_s, clock, sleep)


def memory_now(
    uses: Sequence[CardUse],
    read: Read | None = None,
    *,
    settle_s: float = SETTLE_S,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[CardUse, ...]:
    """The same uses with the most memory seen in use, by another look between two processes of a run.

    Utilisation stays what it was before the run: now it would tell of the process that has just ended.
    """
    if not uses:
        return ()
    before = {u.card: u.foreign_bytes or 0 for u in uses}
    found = _settled(
        read or _read_all, lambda u: (u.foreign_bytes or 0) > before.get(u.card, 0), settle_s, clock, sleep
    )
    now = {u.card: u.foreign_bytes for u in found}
    return tuple(replace(u, foreign_bytes=_most(u.foreign_bytes, now.get(u.card))) for u in uses)


def _settled(
    read: Read,
    restless: Callable[[CardUse], bool],
    settle_s: float,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> tuple[CardUse, ...]:
    ends = clock() + settle_s
    while True:
        found = read()
        if not any(map(restless, found)) or clock() >= ends:
            return found
        sleep(_LOOK_S)


def _most(before: int | None, now: int | None) -> int | None:
    return max((b for b in (before, now) if b is not None), default=None)


def _read_all() -> tuple[CardUse, ...]:
    if sys.platform == "linux" and not driver_present():
        return ()  # a machine without cards does not pay for importing their libraries
    from perftrack.timing.amd import amd_uses
    from perftrack.timing.habana import habana_uses
    from perftrack.timing.nvml import nvml_uses

    return (*nvml_uses(), *amd_uses(), *habana_uses())
