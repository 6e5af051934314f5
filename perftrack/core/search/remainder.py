"""Does the culprit explain the difference between the ends, or must another commit carry a part of it?

A search names one commit. Where two got worse, as on two branches that both lead to BAD, the one that it happens
on is right and half of the answer. The processes that confirm it show how much of the difference is its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perftrack.core.model import Interval
from perftrack.core.search.belief import BAD, GOOD
from perftrack.core.search.confirmation import Confirmation
from perftrack.core.search.transcript import OUTSIDE, place_of, scaled
from perftrack.core.stats import Floats

if TYPE_CHECKING:
    from perftrack.core.search.bisection import Search

NORMAL, SURE = 1.96, 2.6  # standard errors of an interval of 95 %, and of what is said to be so
LITTLE = 0.8  # a share below this leaves enough to look for
PART = 0.25  # of the rest, that makes a range worth a search
MEDIAN = 1.2533  # standard error of a median over that of a mean, of normal readings


@dataclass(frozen=True, slots=True)
class Part:
    """A range, by SHA, in which to look for the rest, and its share of the difference between the ends."""

    good: str
    bad: str
    share: float


@dataclass(frozen=True, slots=True)
class Remainder:
    """`share`: the culprit's effect over the difference between the ends, with its 95 % `interval`; `parts`: where
    the rest of that difference lies, largest first; none where the culprit may well explain all of it.
    """

    share: float
    interval: Interval
    parts: tuple[Part, ...] = ()


def remainder_of(search: Search) -> Remainder | None:
    """None before the culprit is confirmed, or where the ends do not differ."""
    told, script = search.confirmation, search.reckoning.transcript
    good, bad = script.end(GOOD), script.end(BAD)
    if told is None or told.logs is not script.logs or min(len(good), len(bad)) < 2:
        return None
    whole = float(np.median(bad) - np.median(good))
    if whole <= 0.0:
        return None
    share, own = told.effect / whole, (told.interval.hi - told.interval.lo) / (2.0 * NORMAL)
    error = math.hypot(own, share * _error(good, bad)) / whole
    reach = Interval(share - NORMAL * error, share + NORMAL * error)
    clear = share < LITTLE and whole - told.effect > SURE * math.hypot(own, _error(good, bad))
    return Remainder(share, reach, _parts(search, told, good, bad, whole) if clear else ())


def _error(good: Floats, bad: Floats) -> float:
    """Standard error of the difference of two medians."""
    squares = sum(float(((side - side.mean()) ** 2).sum()) for side in (good, bad))
    deviation = math.sqrt(squares / (len(good) + len(bad) - 2))
    return MEDIAN * deviation * math.sqrt(1.0 / len(good) + 1.0 / len(bad))


def _parts(search: Search, told: Confirmation, good: Floats, bad: Floats, whole: float) -> tuple[Part, ...]:
    """Before the culprit; after it, which takes in what runs beside it; and of a merge what it merged."""
    graph, direction = search.graph, search.settings.direction
    before, after = (
        float(np.median(scaled(np.array(side), direction, logs=told.logs)))
        for side in (told.before_values, told.after_values)
    )
    sides = []
    if place_of(graph, told.before) not in {GOOD, OUTSIDE}:
        sides.append(Part(graph.good, told.before, (before - float(np.median(good))) / whole))
    if told.after != graph.bad:
        sides.append(Part(told.after, graph.bad, (float(np.median(bad)) - after) / whole))
    rest = 1.0 - told.effect / whole
    worth = [part for part in sides if part.share >= PART * rest] or sides
    found = sorted(worth, key=lambda part: -part.share)
    if search.block.merge:  # it is slow by what it merged, where a parent is half as slow as BAD
        found.append(Part(told.before, told.after, told.effect / whole))
    return tuple(found)
