"""Samples thinned for a page: enough to see two modes, small enough for every run to have them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from perftrack.core.model import ProcessSamples

MAX_SAMPLES = 25
_STEPS = 600  # of the plot's width; more could not be seen
_WINDOW_STEPS = 10  # per step: window medians are also shown as numbers


@dataclass(frozen=True, slots=True)
class Distribution:
    """Samples of one measurement, thinned: offset + step × integer.

    `samples` has, per process, the sorted samples as differences between neighbours, at most 25 of them with
    both extremes kept. `windows` has the window medians per process in the order they were taken, in tenths of
    a step.
    """

    offset: float
    step: float
    samples: tuple[tuple[int, ...], ...]
    windows: tuple[tuple[int, ...], ...]
    counts: tuple[int, ...]


def distribution(processes: Sequence[ProcessSamples]) -> Distribution | None:
    """Thinned samples per process; None where there are fewer than two finite samples in all.

    Samples are rounded to 1/600 of the range that all processes span together, window medians to 1/6000.
    """
    samples = [_finite([s for w in p.windows for s in w.samples]) for p in processes]
    flat = np.concatenate(samples) if samples else np.empty(0)
    if len(flat) < 2:
        return None
    offset = float(flat.min())
    span = float(flat.max()) - offset
    # Samples that all agree have no step; any other finite span has one, even at the limits of a float.
    step = float(f"{span / _STEPS:.6g}") if 0.0 < span < math.inf else 0.0
    windows = [tuple(_medians(p, offset, step)) for p in processes]
    return Distribution(
        offset=float(f"{offset:.9g}"),
        step=step,
        samples=tuple(_differences(thin(own), offset, step) for own in samples),
        windows=tuple(windows),
        counts=tuple(len(own) for own in samples),
    )


def thin(samples: np.ndarray, most: int = MAX_SAMPLES) -> np.ndarray:
    """(n,) to at most (most,) sorted samples, evenly spaced by rank, both extremes always among them."""
    ordered = np.sort(samples)
    if len(ordered) <= most:
        return ordered
    kept: np.ndarray = ordered[_ranks(len(ordered), most)]
    return kept


@cache
def _ranks(count: int, most: int) -> np.ndarray:
    ranks: np.ndarray = np.rint(np.linspace(0, count - 1, most)).astype(np.intp)
    return ranks


def _finite(samples: Sequence[float]) -> np.ndarray:
    values = np.asarray(samples, dtype=np.float64)
    finite = np.isfinite(values)
    return values if finite.all() else values[finite]


def _differences(ordered: np.ndarray, offset: float, step: float) -> tuple[int, ...]:
    if not step:
        return (0,) * len(ordered)
    positions = np.rint((ordered - offset) / step).astype(np.int64)
    positions[1:] -= positions[:-1].copy()
    return tuple(positions.tolist())


def _medians(process: ProcessSamples, offset: float, step: float) -> list[int]:
    """Window medians in tenths of a step, in the order they were taken."""
    medians = [statistics.median(w.samples) for w in process.windows if w.samples]
    return [round((m - offset) / step * _WINDOW_STEPS) if step else 0 for m in medians if math.isfinite(m)]
