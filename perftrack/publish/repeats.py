"""What happened where one commit was measured again: the error rates of this store's own A/A data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perftrack.core.ceilingcase import definition_of
from perftrack.core.units import format_percent
from perftrack.publish.gather import History

_Z = 1.959964  # of a 95 % interval


@dataclass(frozen=True, slots=True)
class Repeats:
    """Pairs of results of one case, lane, commit and benchmark's code, each with the next.

    `bounded` of them have an interval in the first, which in `held` holds the second's value. `positive` have a
    ratio, of which `grew` and `shrank` by the threshold or more; `typical`: median size of a ratio's logarithm.
    """

    pairs: int
    commits: int
    bounded: int
    held: int
    positive: int
    grew: int
    shrank: int
    typical: float


def repeats(history: History, threshold: float) -> Repeats | None:
    """`threshold`: in log units, of series that declare none. None where no commit was measured twice."""
    table, facets = history.table, history.facets
    if not len(table):
        return None
    series = np.repeat(np.arange(len(table.heads)), np.diff(table.bounds))
    commit, clean = history.run_commit[table.run], history.run_clean[table.run]
    own = np.array([definition_of(head.case) is None for head in table.heads], dtype=np.bool_)
    good = (
        facets.ok[table.facet] & (facets.lane[table.facet] >= 0) & clean & own[series] & np.isfinite(table.value)
    )
    chosen = np.flatnonzero(good & _neighboured(series, commit))
    line = _lines(history)[table.facet[chosen]]
    chosen = chosen[np.lexsort((table.run[chosen], line, commit[chosen], series[chosen]))]
    line = _lines(history)[table.facet[chosen]]
    same = (np.diff(series[chosen]) == 0) & (np.diff(commit[chosen]) == 0) & (np.diff(line) == 0)
    first, second = chosen[:-1][same], chosen[1:][same]
    if not len(first):
        return None
    value, lo, hi = table.value, table.lo[first], table.hi[first]
    bounded = np.isfinite(lo) & np.isfinite(hi)
    held = bounded & (value[second] >= lo) & (value[second] <= hi)
    positive = (value[first] > 0) & (value[second] > 0)
    moved = np.log(value[second][positive] / value[first][positive])
    limits = np.array([threshold if h.threshold is None else h.threshold for h in table.heads])
    limit = limits[series[first][positive]]
    return Repeats(
        pairs=len(first),
        commits=len(np.unique(commit[first])),
        bounded=int(bounded.sum()),
        held=int(held.sum()),
        positive=int(positive.sum()),
        grew=int((moved >= limit).sum()),
        shrank=int((moved <= -limit).sum()),
        typical=float(np.median(np.abs(moved))) if len(moved) else 0.0,
    )


def told(found: Repeats | None) -> tuple[tuple[str, str], ...]:
    """In words, each with a name; empty without repeats."""
    if found is None:
        return ()
    pairs = f"{_many(found.pairs, 'pair')} of results of one case at {_many(found.commits, 'commit')}"
    lines = [("Repeats", f"{pairs}, in one lane and with one benchmark's code: whatever differs is noise.")]
    if found.bounded:
        held = (
            f"The 95 % interval of the first holds the value of the second in {_share(found.held, found.bounded)}."
        )
        why = "It is for one more process; runs taken apart may move by more, which comparisons add."
        lines.append(("Intervals", f"{held} {why}"))
    if found.positive:
        apart = f"By {format_percent(100 * float(np.expm1(found.typical)))} in the median."
        moved = _share(found.grew + found.shrank, found.positive)
        ways = f"{found.grew} grew and {found.shrank} shrank"
        lines.append(("Apart", f"{apart} By the threshold or more in {moved}: {ways}."))
    return tuple(lines)


def _neighboured(series: NDArray[np.intp], commit: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Points whose commit their series has at least twice; the table is by series and commit."""
    again = (np.diff(series) == 0) & (np.diff(commit) == 0)
    found: NDArray[np.bool_] = np.append(again, False) | np.append(False, again)
    return found


def _lines(history: History) -> NDArray[np.int64]:
    """By facet, a number for its lane and benchmark's code."""
    codes: dict[tuple[str, str], int] = {}
    return np.array(
        [codes.setdefault((f.lane, f.code_hash), len(codes)) for f in history.facets.all], dtype=np.int64
    )


def _share(count: int, total: int) -> str:
    """`95 of 100 (95 %; 89 % … 98 %)`, with the 95 % interval of Wilson (1927)."""
    share, z2 = count / total, _Z**2
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = _Z / (1 + z2 / total) * np.sqrt(share * (1 - share) / total + z2 / (4 * total**2))
    ends = f"{_plain(middle - half)} … {_plain(middle + half)}"
    return f"{count} of {total} ({_plain(share)}; {ends})"


def _plain(share: float) -> str:
    return f"{100 * min(max(share, 0.0), 1.0):.0f} %"


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
