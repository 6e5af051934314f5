"""Step or slow drift? A drift looks like one or several steps in one direction, but a ramp fits it better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

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
    middle = np.median(sliding_window_view(np.pad(values, half, mode="edge"), WINDOW), axis=1)
    return np.asarray(np.clip(values, middle - LIMIT * scale, middle + LIMIT * scale))


def _ramps(values: Floats) -> tuple[Floats, Floats, Ramp]:
    """Residual sum of squares and information about the slope of each pair of ends, and the best ramp."""
    n = len(values)
    knots = np.unique(np.linspace(0, n - 1, KNOTS).round())
    start, end = (side.ravel() for side in np.meshgrid(knots, knots, indexing="ij"))
    wide = end - start >= SHORTEST_RAMP
    start, end = start[wide], end[wide]
    rise = np.clip((np.arange(n) - start[:, None]) / (end - start)[:, None], 0.0, 1.0)
    mean_rise = rise.mean(axis=1)
    deviation = values - values.mean()
    product = rise @ deviation
    information = (rise * rise).sum(axis=1) - n * mean_rise**2
    squares = np.maximum(float(deviation @ deviation) - product * product / information, 0.0)
    at = int(squares.argmin())
    height = float(product[at] / information[at])
    before = float(values.mean() - height * mean_rise[at])
    return squares, information, Ramp(int(start[at]), int(end[at]), before, before + height)


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
