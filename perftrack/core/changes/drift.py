"""Step or slow drift? A drift looks like one or several steps in one direction, but a ramp fits it better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from perftrack.core.stats import Floats

SHORTEST_RAMP = 20  # commits: what takes fewer is a step with a range
KNOTS = 24  # places for each end of a ramp
WINDOW = 15  # commits of the running median that spikes are cut at
LIMIT = 2.5  # noise scales
# A drift is said to be one where it is this much more likely than steps: most changes are steps.
LOG_ODDS = math.log(10.0)
BESIDE, JUMP = 10, 3.0  # commits on either side of a cut, and standard errors that it may lie off the ramp
LEVELS_APART = 10.0  # noise scales: range of a level between two steps, beforehand


@dataclass(frozen=True, slots=True)
class Ramp:
    """Level `before` up to index `start`, `after` from index `end`, and straight in between."""

    start: int
    end: int
    before: float
    after: float


def ramp(values: Floats, cuts: Sequence[int], scale: float, phi: float = 0.0) -> Ramp | None:
    """The ramp in values (n,), where it explains them better than steps at `cuts` do; None where it doesn't.

    Compares how likely the values are under either, over all places that a step or a ramp's ends can have
    (Kass & Raftery 1995), as normal noise once spikes are cut off at LIMIT · `scale` from a running median.
    `phi`: lag-1 autocorrelation; n values then tell as much as n (1 - φ) / (1 + φ) independent ones.
    """
    n = len(values)
    if n <= SHORTEST_RAMP or scale == 0.0:
        return None
    smooth = _limited(values, scale)
    ramp_squares, slopes, found = _ramps(smooth)
    steps = [_steps(smooth, cuts, index) for index in range(len(cuts))]
    least = min(float(ramp_squares.min()), *(float(squares.min()) for squares, _ in steps))
    if least <= 0.0:
        return None
    precision = (n - 4) / least * (1 - phi) / (1 + phi)
    drift = _log_mean(-precision / 2 * ramp_squares - 0.5 * np.log(slopes))
    if drift - _evidence(steps, cuts, n, precision) < LOG_ODDS or _jumps(smooth, cuts, found, precision):
        return None
    return found


def _jumps(values: Floats, cuts: Sequence[int], found: Ramp, precision: float) -> bool:
    """Whether values rise at a cut by more than the ramp does, as where a step and a drift follow one another."""
    places = np.arange(len(values))
    line = np.interp(places, (found.start, found.end), (found.before, found.after))
    for at in cuts:
        before, after = slice(max(at - BESIDE, 0), at), slice(at, at + BESIDE)
        left, right = values[before] - line[before], values[after] - line[after]
        error = math.sqrt((1 / len(left) + 1 / len(right)) / precision)
        if abs(float(right.mean() - left.mean())) > JUMP * error:
            return True
    return False


def _limited(values: Floats, scale: float) -> Floats:
    half = WINDOW // 2
    padded = np.concatenate((np.repeat(values[0], half), values, np.repeat(values[-1], half)))
    middle = np.sort(sliding_window_view(padded, WINDOW), axis=1)[:, half]
    return np.minimum(np.maximum(values, middle - LIMIT * scale), middle + LIMIT * scale)


@dataclass(frozen=True, slots=True)
class _Shapes:
    """Every ramp from 0 to 1 in n places: its ends, its mean, and the information about the slope that it has.

    Ramp k is (hinges[first[k]] - hinges[last[k]]) / length[k], with (knots, n) hinges that rise by one a place.
    """

    start: Floats
    end: Floats
    first: NDArray[np.intp]
    last: NDArray[np.intp]
    hinges: Floats
    mean: Floats
    information: Floats

    def products(self, values: Floats) -> Floats:
        """(ramps,) scalar product of each ramp with values (n,)."""
        own = self.hinges @ values
        return np.asarray((own[self.first] - own[self.last]) / (self.end - self.start))


@lru_cache(maxsize=512)
def _shapes(n: int) -> _Shapes:
    knots = np.unique(np.linspace(0, n - 1, KNOTS).round())
    first, last = np.nonzero(knots[None, :] - knots[:, None] >= SHORTEST_RAMP)
    start, end = knots[first], knots[last]
    length, ones = end - start, n - end
    mean = ((length - 1) / 2 + ones) / n
    information = (length - 1) * (2 * length - 1) / (6 * length) + ones - n * mean * mean
    hinges = np.maximum(np.arange(n) - knots[:, None], 0.0)
    return _Shapes(start, end, first, last, hinges, mean, information)


def _ramps(values: Floats) -> tuple[Floats, Floats, Ramp]:
    """Residual sum of squares and information about the slope of each pair of ends, and the best ramp."""
    shapes = _shapes(len(values))
    mean = float(values.mean())
    deviation = values - mean
    product = shapes.products(deviation)
    squares = np.maximum(float(deviation @ deviation) - product * product / shapes.information, 0.0)
    at = int(squares.argmin())
    height = float(product[at] / shapes.information[at])
    before = mean - height * float(shapes.mean[at])
    return squares, shapes.information, Ramp(int(shapes.start[at]), int(shapes.end[at]), before, before + height)


def _steps(values: Floats, cuts: Sequence[int], index: int) -> tuple[Floats, Floats]:
    """Residual sum of squares over all of `values`, and information about the step, by the place of one cut."""
    edges = [0, *cuts, len(values)]
    start, end = edges[index], edges[index + 2]
    part = values[start:end] - values[start:end].mean()
    k = np.arange(1, end - start)
    h = k * (end - start - k) / (end - start)
    kept = [values[a:b] for i, (a, b) in enumerate(pairwise(edges)) if i not in (index, index + 1)]
    elsewhere = sum(float(((other - other.mean()) ** 2).sum()) for other in kept)
    return elsewhere + float(part @ part) - np.cumsum(part)[:-1] ** 2 / h, h


def _evidence(steps: Sequence[tuple[Floats, Floats]], cuts: Sequence[int], n: int, precision: float) -> float:
    """ln of the mean likelihood of the steps: one after another, each over its places with the others fixed."""
    best = min(float(squares.min()) for squares, _ in steps)
    total = -precision / 2 * best
    for squares, h in steps:
        over_places = _log_mean(-precision / 2 * (squares - best) - 0.5 * np.log(h))
        total += over_places + math.log(len(h) / (n - 1))
    # Each level between two steps is one number more than a ramp has.
    return total - (len(cuts) - 1) * math.log(LEVELS_APART / math.sqrt(2 * math.pi))


def _log_mean(log_values: Floats) -> float:
    top = float(log_values.max())
    return top + math.log(float(np.exp(log_values - top).mean()))
