"""Change points of one lane: at which commits its level shifted, by how much, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby, pairwise

import numpy as np

from perftrack.core.changes.autocorrelation import lag_one
from perftrack.core.changes.commitrange import Place, place
from perftrack.core.changes.drift import Ramp, ramp
from perftrack.core.changes.segmentation import Cut, segment
from perftrack.core.changes.studentnoise import Spread, centre, deviations, local_spread, spread
from perftrack.core.model import Interval
from perftrack.core.stats import Floats, t_quantile
from perftrack.errors import InvalidValueError

CONFIDENCE = 0.95
FALSE_ALARMS = 0.01  # chance that a lane without a change is ever alarmed while it grows from 60 to 260 commits
AROUND = 150  # commits on either side that tell a drift from a step
DRIFT_CUTS = 4  # cuts that a drift is looked for in, beside a whole run of them
BUMP_SHARE = 0.3  # of a bump's height: how far the level after it may lie from the level before


class Shift(StrEnum):
    """Which way the value went; whether that is good is the metric's direction to say."""

    UP = "up"
    DOWN = "down"


class ChangeKind(StrEnum):
    STEP = "step"
    GRADUAL = "gradual"  # over a range of commits, none of which did it
    BUMP = "bump"  # one edge of a stretch after which the old level is back


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A shift of a lane's level. Indices are those of the values handed to `detect`.

    The new level was first seen at one of the values `first` to `last`, both included, most likely at or near
    `most_likely`: the commit that did it lies after that of value `first - 1`. The range holds it with
    `probability`. A gradual change went on from `first` to `last` and was steepest at `most_likely`.
    `ratio` is after / before with its 95 % interval; both None where a value of zero or below leaves no ratio.
    `p_value`: chance that one look at a stretch without a change shows as much.
    """

    first: int
    last: int
    most_likely: int
    probability: float
    direction: Shift
    before: float
    after: float
    ratio: float | None
    interval: Interval | None
    p_value: float
    kind: ChangeKind


def detect(values: Sequence[float] | Floats, *, exact: bool | None = None) -> tuple[ChangePoint, ...]:
    """Change points of values (n,), one a measured commit in history's order; gaps are the caller's to know.

    A lane without a change is alarmed at one look with a chance below 0.1 %, and ever, while it grows from 60 to
    260 commits and is looked at after each, near FALSE_ALARMS, for any distribution of independent noise: the
    test is of ranks. Autocorrelated noise is allowed for. Fewer than 14 noisy values show nothing. Nothing is
    drawn at random: equal values give equal answers.

    `exact`: the metric is a count without noise, of which each difference is a change. None: that is so of
    whole numbers that were seen to stay the same. Raises InvalidValueError for a value that is not finite.
    """
    raw = _finite(values)
    if exact or (exact is None and _looks_exact(raw)):
        return _marked_bumps(_exact_changes(raw))
    positive = bool(len(raw)) and float(raw.min()) > 0
    scale = 1.0 if positive or not raw.any() else float(np.abs(raw).max())
    level = np.log(raw) if positive else raw / scale
    found = _Lane(level).changes()
    return _marked_bumps([_in_units(change, positive, scale) for change in found])


def _finite(values: Sequence[float] | Floats) -> Floats:
    try:
        raw = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidValueError(f"change points need a list of numbers: {error}") from error
    if raw.ndim != 1:
        raise InvalidValueError(f"change points need one value a commit, got {raw.ndim} dimensions")
    finite = np.isfinite(raw)
    if not finite.all():
        wrong = int(finite.argmin())
        raise InvalidValueError(
            f"value {wrong} is {raw[wrong]}: change points need finite numbers", "leave failed runs out"
        )
    return raw


# A count that varies by itself seldom repeats this often; one that doesn't always does.
HELD, HELD_LONG = 4, 8


def _looks_exact(values: Floats) -> bool:
    """Whole numbers in runs of equal ones: each HELD long, or the last, still short, after one of HELD_LONG."""
    if not len(values) or not (values == np.floor(values)).all():
        return False
    starts = _run_starts(values)
    lengths = np.diff([*starts, len(values)])
    if len(lengths) == 1:
        return True
    ended, last = lengths[:-1], lengths[-1]
    return bool(ended.min() >= HELD and (last >= HELD or ended[-1] >= HELD_LONG))


def _run_starts(values: Floats) -> list[int]:
    return [0, *(np.flatnonzero(np.diff(values)) + 1).tolist()]


def _exact_changes(values: Floats) -> list[ChangePoint]:
    found = []
    for at in _run_starts(values)[1:]:
        before, after = float(values[at - 1]), float(values[at])
        ratio = after / before if before > 0 and after > 0 else None
        interval = None if ratio is None else Interval(ratio, ratio)
        shift = Shift.UP if after > before else Shift.DOWN
        found.append(ChangePoint(at, at, at, 1.0, shift, before, after, ratio, interval, 0.0, ChangeKind.STEP))
    return found


class _Lane:
    """A noisy lane's values on the scale that differences are taken on: logarithms where there are any."""

    def __init__(self, values: Floats) -> None:
        self.values = values
        self.phi = lag_one(values)
        self.cuts: tuple[Cut, ...] = ()
        self.noise = Spread(5.0, 0.0)

    def changes(self) -> list[ChangePoint]:
        self.cuts = segment(self.values, self.phi, local_spread(self.values))
        if not self.cuts:
            return []
        at = [cut.at for cut in self.cuts]
        self.noise = spread(deviations(self.values, at), len(at) + 1)
        edges = [0, *at, len(self.values)]
        levels = [centre(self.values[a:b], self.noise) for a, b in pairwise(edges)]
        rises = [after > before for before, after in pairwise(levels)]
        found: list[ChangePoint] = []
        for _, group in groupby(range(len(at)), key=lambda index: rises[index]):
            found += self._run(list(group), edges, levels)
        return found

    def _run(self, run: list[int], edges: list[int], levels: list[float]) -> list[ChangePoint]:
        """Changes of neighbouring cuts in one direction. All of them, or up to a few, may be one drift."""
        found: dict[int, ChangePoint] = {}  # by the first cut
        drifting: set[int] = set()
        for size in sorted({len(run), *range(1, min(len(run), DRIFT_CUTS) + 1)}, reverse=True):
            for part in (run[at : at + size] for at in range(len(run) - size + 1)):
                drift = None if drifting.intersection(part) else self._drift(part, edges)
                if drift is not None:
                    found[part[0]] = drift
                    drifting.update(part)
        found.update((index, self._step(index, edges, levels)) for index in run if index not in drifting)
        return [found[index] for index in sorted(found)]

    def _drift(self, part: list[int], edges: list[int]) -> ChangePoint | None:
        inside = [edges[index + 1] for index in part]
        start = max(edges[part[0]], inside[0] - AROUND)
        end = min(edges[part[-1] + 2], inside[-1] + AROUND)
        inner = [at - start for at in inside]
        found: Ramp | None = ramp(self.values[start:end], inner, self.noise.scale, self.phi)
        if found is None:
            return None
        first, last = start + found.start, start + found.end
        ends = (max(found.start, 1), max(end - start - found.end, 1))
        steepest = min((self.cuts[index] for index in part), key=lambda cut: cut.p_value)
        where = Place(max(first, 1), last, min(max(steepest.at, first, 1), last), 1.0)
        return self._change(where, found.before, found.after, ends, steepest.p_value, ChangeKind.GRADUAL)

    def _step(self, index: int, edges: list[int], levels: list[float]) -> ChangePoint:
        start, at, end = edges[index : index + 3]
        sides = (levels[index], levels[index + 1])
        found = place(self.values[start:end], at - start, self.noise, self.phi, levels=sides)
        where = Place(start + found.first, start + found.last, start + found.most_likely, found.probability)
        return self._change(where, *sides, (at - start, end - at), self.cuts[index].p_value, ChangeKind.STEP)

    def _change(
        self, where: Place, before: float, after: float, sizes: tuple[int, int], p_value: float, kind: ChangeKind
    ) -> ChangePoint:
        """Levels and their difference, in the units of `values`. `sizes`: how many values each level rests on."""
        df = self.noise.df
        told = (1 - self.phi) / (1 + self.phi)
        variance = self.noise.scale**2 * (df + 3) / (df + 1) * sum(1 / (size * told) for size in sizes)
        freedom = max((sum(sizes) - 2) * told, 1.0)
        half = t_quantile(freedom, 0.5 + CONFIDENCE / 2) * math.sqrt(variance)
        effect = after - before
        shift = Shift.UP if effect > 0 else Shift.DOWN
        interval = Interval(effect - half, effect + half)
        first, last, most_likely, probability = where.first, where.last, where.most_likely, where.probability
        return ChangePoint(
            first, last, most_likely, probability, shift, before, after, effect, interval, p_value, kind
        )


def _in_units(change: ChangePoint, positive: bool, scale: float) -> ChangePoint:
    if not positive:
        return replace(change, before=change.before * scale, after=change.after * scale, ratio=None, interval=None)
    assert change.ratio is not None
    assert change.interval is not None
    return replace(
        change,
        before=math.exp(change.before),
        after=math.exp(change.after),
        ratio=_ratio(change.ratio),
        interval=Interval(_ratio(change.interval.lo), _ratio(change.interval.hi)),
    )


def _ratio(effect: float) -> float:
    """exp(effect), kept within what a float holds: an interval of few values can be wider than that."""
    return math.exp(min(max(effect, -700.0), 700.0))  # within what a float holds


def _marked_bumps(changes: Sequence[ChangePoint]) -> tuple[ChangePoint, ...]:
    """Two neighbouring steps of which the second undoes the first, as edges of a bump."""
    marked = list(changes)
    for index in range(len(marked) - 1):
        up, back = marked[index], marked[index + 1]
        if up.kind is not ChangeKind.STEP or back.kind is not ChangeKind.STEP or up.direction is back.direction:
            continue
        height = min(abs(up.after - up.before), abs(back.after - back.before))
        if abs(back.after - up.before) <= BUMP_SHARE * height:
            marked[index] = replace(up, kind=ChangeKind.BUMP)
            marked[index + 1] = replace(back, kind=ChangeKind.BUMP)
    return tuple(marked)
