"""What a comparison of two points rests on beside their values: their processes, and by which code they are.

A value's spread is written as a whole number: 0 where it is unknown, 1 where the processes read the same, and else
2 + 100 ln(s / 1e-9) of the standard deviation s of ln(value), which is half a percent of it at most off.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perftrack.core.pointtable import Floats
from perftrack.core.stats import t_quantile
from perftrack.core.verdict import CONFIDENCE
from perftrack.publish.gather import History
from perftrack.publish.numerals import Ints

UNKNOWN, ALIKE, LEAST = 0, 1, 1e-9
PER_E = 100


@dataclass(frozen=True, slots=True)
class PointEvidence:
    """Of all points (n,) in the order of the table.

    `code`: 0 where the benchmark's own code is not known, else which of those of the series it is, in the order of
    first recording, so that a number given out stays the same. `spread` as the module says.
    """

    code: Ints
    processes: Ints
    spread: Ints

    def columns(self, own: slice | NDArray[np.intp]) -> dict[str, Ints]:
        return {"code": self.code[own], "processes": self.processes[own], "spread": self.spread[own]}


def point_evidence(history: History) -> PointEvidence:
    table = history.table
    return PointEvidence(_codes(history), table.processes.astype(np.int32), _spreads(history))


def _codes(history: History) -> Ints:
    table = history.table
    known: dict[str, int] = {"": 0}
    hashes = [known.setdefault(f.code_hash, len(known)) for f in history.facets.all]
    codes = np.array(hashes, dtype=np.int32)[table.facet] if hashes else np.zeros(0, dtype=np.int32)
    for at in range(len(table.heads)):
        own = table.span(at)
        mine = codes[own]
        if not len(mine):
            continue
        if (mine == mine[0]).all():
            codes[own] = min(int(mine[0]), 1)
            continue
        by = np.argsort(table.run[own], kind="stable")
        distinct, first = np.unique(mine[by], return_index=True)
        order = [int(c) for c in distinct[np.argsort(first)] if c]
        numbers = np.zeros(len(known), dtype=np.int32)
        numbers[order] = np.arange(1, len(order) + 1)
        codes[own] = numbers[mine]
    return codes


def _spreads(history: History) -> Ints:
    table = history.table
    within = table.within.copy()
    within[within < LEAST**2] = 0.0  # logarithms of equal readings, and what they round to
    _fill_equal(within, table.processes, table.lo, table.hi)
    coded = np.full(len(table), UNKNOWN, dtype=np.int32)
    coded[within == 0] = ALIKE
    some = np.flatnonzero(within > 0)
    coded[some] = 2 + np.rint(PER_E * np.log(np.sqrt(within[some]) / LEAST)).astype(np.int32)
    return coded


def _fill_equal(within: Floats, processes: NDArray[np.integer], lo: Floats, hi: Floats) -> None:
    """Equal readings of a coarse timer are no proof of equal times: their interval knows the timer's step."""
    with np.errstate(invalid="ignore"):
        equal = np.flatnonzero((within == 0) & (lo > 0) & (hi > lo))
    for count in np.unique(processes[equal]).tolist():
        own = equal[processes[equal] == count]
        if count < 2:
            continue
        half = np.log(hi[own] / lo[own]) / 2 / t_quantile(count - 1, 0.5 + CONFIDENCE / 2)
        within[own] = half**2 / (1 + 1 / count) / count


def deviation_of(spread: int) -> float | None:
    """What a coded spread stands for; None where it is unknown."""
    if spread < 2:
        return 0.0 if spread == ALIKE else None
    return LEAST * math.exp((spread - 2) / PER_E)
