"""Who else was on a device: what was read of it, and what that says. Standard library only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perftrack.core.tiers import Exclusivity

_FROM_WORST = (Exclusivity.SHARED, Exclusivity.UNKNOWN, Exclusivity.EXCLUSIVE)


@dataclass(frozen=True, slots=True)
class CardUse:
    """What a card was used for before this run put work on it. None: could not be read, which is not zero.

    card: as `Gauge.card_id`. foreign_bytes: device memory in use, none of it this run's. busy_pct: share of the
    last moments, a second at most, in which something ran.
    """

    card: str
    foreign_bytes: int | None = None
    busy_pct: float | None = None


@dataclass(frozen=True, slots=True)
class Occupancy:
    """The judgement and the sentence that explains it."""

    exclusivity: Exclusivity
    detail: str


def worst(seen: Sequence[Occupancy]) -> Occupancy:
    """Of several looks the one that tells of most company; the first of those alike.

    Company at any look is company: none at one says nothing of the others.
    """
    return min(seen, key=lambda o: _FROM_WORST.index(o.exclusivity))
