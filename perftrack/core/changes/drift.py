"""Step or slow drift? A drift looks like one or several steps in one direction, but a ramp fits it better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from perftrack.core.stats import Floats

SHORTEST_RAMP = 20  # commits: what takes fewer is a step with a range
KNOTS = 24  # places for each end of a ramp
WINDOW = 15  # commits of the running median that spikes are cut at
LIMIT = 2.5  # noise scales
# A drift is said to be one where it is this much more likely than steps: most changes are steps.
LOG_ODDS = math.log(10.0)
BESIDE, JUMP = 10, 3.0  # commits on either side of a cut, and standard errors that it may lie off the ramp
SLACK = 1e-6  # more than rounding makes of a difference of logarithms
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
    ramps, found = _ramps(smooth)
    steps = [_steps(smooth, cuts, index) for index in range(len(cuts))]
    least = min(ramps.best, *(step.best for step in steps))
    if least <= 0.0:
        return None
    precision = (n - 4) / least * (1 - phi) / (1 + phi)
    if ramps.at_most(precision) - _evidence(steps, n, precision, quick=True) < LOG_ODDS - SLACK:
        return None
    if ramps.log_mean(precision) - _evidence(steps, n, precision) < LOG_ODDS:
        return None
    return None if _jumps(smooth, cuts, found, precision) else found


def _jumps(values: Floats, cuts: Sequence[int], found: Ramp, precision: float) -> bool:
    """Whether values rise at a cut by more than the ramp does, as where a step and a drift follow one another."""
    places = np.arange(len(values))
    line = np.interp(places, (found.start, found.end), (found.before, found.after))
    for at in cuts:
        before, after = slice(max(at - BESIDE, 0), at), slice(at, at + BESIDE)
        left, right = values[before] - line[before], values[after] - line[after]
        error = math.sqrt((1 / len(left) + 1 / len(right)) / precision)
        if abs(_mean(right) - _mean(left)) > JUMP * error:
            return True
    return False


def _limited(values: Floats, scale: float) -> Floats:
    n, half = len(values), WINDOW // 2
    padded = np.empty(n + 2 * half)
    padded[:half], padded[half : half + n], padded[half + n :] = values[0], values, values[-1]
    step = padded.itemsize
    # What sliding_window_view gives, which takes as long as sorting it does.
    windows = np.ndarray((n, WINDOW), padded.dtype, padded, strides=(step, step)).copy()
    windows.sort(axis=1)
    middle = windows[:, half]
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
    knots = np.array(sorted(set(np.rint(np.arange(KNOTS) * ((n - 1) / (KNOTS - 1))).tolist())))
    first, last = np.nonzero(knots[None, :] - knots[:, None] >= SHORTEST_RAMP)
    start, end = knots[first], knots[last]
    length, ones = end - start, n - end
    mean = ((length - 1) / 2 + ones) / n
    information = (length - 1) * (2 * length - 1) / (6 * length) + ones - n * mean * mean
    hinges = np.arange(float(n)) - knots[:, None]
    np.maximum(hinges, 0.0, out=hinges)
    return _Shapes(start, end, first, last, hinges, mean, information)


class _Fits:
    """One shape at each of several places: residual sums of squares, and information about its height."""

    def __init__(self, squares: Floats, information: Floats) -> None:
        self.squares, self.information = squares, information
        self.at = int(squares.argmin())
        self.best = float(squares[self.at])

    def log_mean(self, precision: float, less: float = 0.0) -> float:
        """ln of the mean likelihood over the places, with `less` off the squares."""
        log_values = -precision / 2 * (self.squares - less) - 0.5 * np.log(self.information)
        top = float(log_values[log_values.argmax()])
        return top + math.log(_mean(np.exp(log_values - top)))

    def at_most(self, precision: float) -> float:
        """`log_mean` is not above this: as if all had the fewest squares and the least information."""
        return -precision / 2 * self.best - 0.5 * math.log(self.information[self.information.argmin()])

    def at_least(self, precision: float, less: float) -> float:
        """`log_mean` is not below this: as if there were nothing but the best place."""
        best = -precision / 2 * (self.best - less) - 0.5 * math.log(self.information[self.at])
        return best - math.log(len(self.squares))


def _ramps(values: Floats) -> tuple[_Fits, Ramp]:
    """Each pair of ends, and the best ramp."""
    shapes = _shapes(len(values))
    mean = _mean(values)
    deviation = values - mean
    product = shapes.products(deviation)
    squares = np.maximum(float(deviation @ deviation) - product * product / shapes.information, 0.0)
    fits = _Fits(squares, shapes.information)
    height = float(product[fits.at] / shapes.information[fits.at])
    before = mean - height * float(shapes.mean[fits.at])
    start, end = int(shapes.start[fits.at]), int(shapes.end[fits.at])
    return fits, Ramp(start, end, before, before + height)


def _steps(values: Floats, cuts: Sequence[int], index: int) -> _Fits:
    """All of `values` by the place of one cut, with the others fixed."""
    edges = [0, *cuts, len(values)]
    start, end = edges[index], edges[index + 2]
    part = values[start:end] - _mean(values[start:end])
    k = np.arange(1.0, end - start)
    h = k * (end - start - k) / (end - start)
    kept = [values[a:b] for i, (a, b) in enumerate(pairwise(edges)) if i not in (index, index + 1)]
    elsewhere = sum(float(((other - _mean(other)) ** 2).sum()) for other in kept)
    return _Fits(elsewhere + float(part @ part) - np.add.accumulate(part)[:-1] ** 2 / h, h)


def _evidence(steps: Sequence[_Fits], n: int, precision: float, *, quick: bool = False) -> float:
    """ln of the mean likelihood of the steps: one after another, each over its places with the others fixed.

    `quick`: a number that it is not below.
    """
    best = min(step.best for step in steps)
    total = -precision / 2 * best
    for step in steps:
        over_places = step.at_least(precision, best) if quick else step.log_mean(precision, best)
        total += over_places + math.log(len(step.squares) / (n - 1))
    # Each level between two steps is one number more than a ramp has.
    return total - (len(steps) - 1) * math.log(LEVELS_APART / math.sqrt(2 * math.pi))


def _mean(values: Floats) -> float:
    """As values.mean() to the bit, which takes longer for finding out what it was given."""
    return float(np.add.reduce(values)) / len(values)
