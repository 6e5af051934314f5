"""How much each lane moves with nothing changed: what the compare page judges by, learnt as the command learns it.

The history of a lane without the newest commit, which is the candidate of most comparisons: the step to what is
being judged says nothing of noise. The command leaves out whatever its candidate is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perftrack.core.launches.equalruns import equal_code_steps
from perftrack.core.launches.launch import LaunchSummary
from perftrack.core.noise import MIN_RUNS, LaneNoise, lane_noise, with_pairs
from perftrack.core.pointtable import Floats
from perftrack.publish.catalogue import Catalogue, steps
from perftrack.publish.evidence import PointEvidence
from perftrack.publish.gather import History, HistorySource
from perftrack.publish.numerals import Ints

SCALE = 1e8  # of deviations of ln(value), which are written as whole numbers
DF_SCALE = 1e4


@dataclass(frozen=True, slots=True)
class LaneSpread:
    """Noise of a series, by number, in one lane, by one code and between two accepted changes."""

    series: int
    lane: int
    code: int
    era: int
    noise: LaneNoise


class Eras:
    """Between which accepted changes a commit lies, by series."""

    def __init__(self, history: History, source: HistorySource) -> None:
        self._history = history
        self._epochs = source.epochs()
        self._line = [sha for sha in source.line() if sha in history.commit_index] if self._epochs else []

    def starts(self, at: int) -> list[int]:
        """Positions of the commits at which the history of series[at] begins anew."""
        if self._epochs is None:
            return []
        found = self._epochs(self._history.series[at], self._line)
        return sorted(self._history.commit_index[self._line[start]] for start in found)


def newest_compared(history: History, left_out: frozenset[int]) -> list[int]:
    """Positions of the two newest commits, oldest first, with a clean result that is no ceiling's."""
    table = history.table
    series = np.repeat(np.arange(len(table.heads)), np.diff(table.bounds))
    counted = (
        ~np.isin(series, sorted(left_out)) & history.run_clean[table.run] if len(table) else np.zeros(0, bool)
    )
    lost = len(history.lost)  # those come first
    commits = np.unique(history.run_commit[table.run[counted]]) if len(table) else np.zeros(0, dtype=np.int64)
    return [int(c) for c in commits[commits >= lost][-2:]]


def lane_spreads(
    history: History, numbers: Catalogue, evidence: PointEvidence, eras: Eras, newest: int
) -> Iterator[LaneSpread]:
    """Of every line whose noise is known, by number of the series; `newest`: position of the newest commit."""
    codes = _codes(history)
    for number, at in enumerate(numbers.order.tolist()):
        own = history.table.span(at)
        points = history.points(at)
        usable = (
            points.ok & points.clean & np.isfinite(points.value) & (points.lane >= 0) & (points.commit != newest)
        )
        chosen = np.flatnonzero(usable)
        if len(chosen) < MIN_RUNS and not codes:
            continue
        era = np.searchsorted(np.array(eras.starts(at), dtype=np.int64), points.commit[chosen], side="right")
        head = points.head
        ran = codes.get(head.case.id, {}) if head.metric == "time" else {}
        keys = (points.lane[chosen].astype(np.int64), evidence.code[own][chosen], era)
        for key, mine in _groups(keys):
            noise = _noise(history, own.start + chosen[mine], ran)
            if noise is not None:
                yield LaneSpread(number, *key, noise)


def _groups(keys: tuple[NDArray[np.integer], ...]) -> Iterator[tuple[tuple[int, int, int], NDArray[np.intp]]]:
    """Positions of the points of each line, in order."""
    if not len(keys[0]):
        return
    if all((k == k[0]).all() for k in keys):
        lane, code, era = (int(k[0]) for k in keys)
        yield (lane, code, era), np.arange(len(keys[0]))
        return
    rows = np.stack(keys, axis=1)
    distinct, inverse = np.unique(rows, axis=0, return_inverse=True)
    for k, (lane, code, era) in enumerate(distinct.tolist()):
        yield (lane, code, era), np.flatnonzero(inverse.reshape(-1) == k)


def _noise(
    history: History, points: NDArray[np.intp], ran: Mapping[str, Sequence[LaunchSummary]]
) -> LaneNoise | None:
    table = history.table
    values: Floats = table.value[points]
    within = np.nan_to_num(table.within[points])
    noise = lane_noise(values, within, table.processes[points])
    if not ran:
        return noise
    shas = [history.runs[run].sha for run in table.run[points].tolist()]
    return with_pairs(noise, *equal_code_steps(shas, values.tolist(), within.tolist(), ran))


def _codes(history: History) -> dict[str, dict[str, tuple[LaunchSummary, ...]]]:
    """What ran: by case id and commit, the launches of a profile that is clean and whole."""
    found: dict[str, dict[str, tuple[LaunchSummary, ...]]] = {}
    for profile in history.profiles:
        if not profile.dirty and not profile.limitations:
            found.setdefault(profile.case_id, {})[profile.sha] = tuple(x.summary for x in profile.launches)
    return found


def spread_columns(spreads: Sequence[LaneSpread]) -> dict[str, Ints]:
    """Columns of a data file: what names a line, and its noise in whole numbers (see SCALE, DF_SCALE)."""

    def whole(values: Sequence[float]) -> Ints:
        return np.rint(np.array(values, dtype=np.float64)).astype(np.int64)

    noises = [s.noise for s in spreads]
    return {
        "series": steps(np.array([s.series for s in spreads], dtype=np.int64)),
        "lane": whole([s.lane for s in spreads]),
        "code": whole([s.code for s in spreads]),
        "era": whole([s.era for s in spreads]),
        "runs": whole([n.runs for n in noises]),
        "pairs": whole([n.pairs for n in noises]),
        "df": whole([DF_SCALE * n.df for n in noises]),
        "sigma": whole([SCALE * n.sigma for n in noises]),
        "process": whole([SCALE * n.process_sigma for n in noises]),
        "reach": whole([SCALE * n.reach for n in noises]),
    }
