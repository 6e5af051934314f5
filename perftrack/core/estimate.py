"""From a case's samples to a value and an interval, at the highest level that varies.

The interval is a 95 % *prediction* interval for the median that a fresh process will read next:
mean ± t(df) · s · sqrt(1 + 1/k) over the k units of that level, on the log scale for positive
values (Hahn & Meeker 1991, ch. 4). Units are processes; with one process they are its windows, and a
limitation says that the variance between processes is missing. Windows and samples of one process
share its memory layout, clocks and heat, so they are never pooled as if independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from perftrack.core.model import Interval, ProcessSamples, Reason
from perftrack.core.reasons import reason
from perftrack.core.stats import bootstrap_ci, median, process_value, t_quantile
from perftrack.errors import InvalidValueError

CONFIDENCE = 0.95


class Level(StrEnum):
    PROCESS = "process"
    WINDOW = "window"
    SAMPLE = "sample"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Estimate:
    """`value` and `interval` in the samples' unit; `level` is what the interval's variance is over."""

    value: float
    interval: Interval | None
    level: Level
    limitations: tuple[Reason, ...]

    @property
    def relative_half_width(self) -> float:
        """Half the interval's width over the value; infinite without an interval or for a value of 0."""
        if self.interval is None:
            return math.inf
        half = 0.5 * (self.interval.hi - self.interval.lo)
        return half / abs(self.value) if self.value else (0.0 if half == 0 else math.inf)


def estimate(processes: Sequence[ProcessSamples], *, widen: float = 1.0) -> Estimate:
    """Value and next-process interval of one metric of one case.

    The value is the geometric mean of the process values (arithmetic where one is not positive).
    `widen` multiplies the half-width: core.paired.STOPPED where units were added until it was small enough.
    Raises InvalidValueError where there is no sample at all.
    """
    measured = [p for p in processes if p.windows]
    if not measured or any(not w.samples for p in measured for w in p.windows):
        raise InvalidValueError("nothing to estimate: a process without windows or a window without samples")
    values = np.array([process_value(p) for p in measured])
    if len(values) >= 2 and not any(p.resolution_s for p in measured) and _constant(measured):
        only = float(values[0])  # a size or a count: exact, and kept from the rounding of logarithms
        return Estimate(only, Interval(only, only), Level.PROCESS, ())
    logs = bool((values > 0).all())
    if len(measured) >= 2:
        centre, spread = _moments(values, logs)
        floor = max(_window_variance(measured, logs), _resolution_variance(measured, values, logs))
        return _predict(centre, max(spread, floor) * widen**2, len(values), logs, Level.PROCESS, ())
    limits: tuple[Reason, ...] = (reason("one-process"),)
    windows = np.array([median(w.samples) for w in measured[0].windows])
    logs = bool((windows > 0).all())
    if len(windows) >= 2:
        _, spread = _moments(windows, logs)
        floor = _resolution_variance(measured, values, logs)
        centre = math.log(values[0]) if logs else float(values[0])
        return _predict(centre, max(spread, floor) * widen**2, len(windows), logs, Level.WINDOW, limits)
    samples = measured[0].windows[0].samples
    if len(samples) >= 2:
        lo, hi = bootstrap_ci(samples, CONFIDENCE)
        limits += (reason("one-window"),)
        return Estimate(float(values[0]), Interval(lo, hi), Level.SAMPLE, limits)
    limits += (reason("one-window"), reason("one-sample"))
    return Estimate(float(values[0]), None, Level.NONE, limits)


def _constant(processes: Sequence[ProcessSamples]) -> bool:
    return len({s for p in processes for w in p.windows for s in w.samples}) == 1


def _moments(values: np.ndarray, logs: bool) -> tuple[float, float]:
    scale = np.log(values) if logs else values
    return float(scale.mean()), float(scale.var(ddof=1))


def _window_variance(processes: Sequence[ProcessSamples], logs: bool) -> float:
    """Variance that a process value has from its windows alone: a floor under the one between processes.

    Three processes that agree by luck must not claim less noise than their own windows show. A drift that
    every process repeats (the first window cool, the last hot) is no noise of the process value, so the
    window's position is taken out together with the process: residuals of a two-way layout.
    """
    count = min(len(p.windows) for p in processes)
    table = np.array([[median(w.samples) for w in p.windows[:count]] for p in processes])
    if count < 2 or (logs and not (table > 0).all()):
        return 0.0
    if logs:
        table = np.log(table)
    residual = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    return float((residual**2).sum()) / ((len(processes) - 1) * (count - 1)) / count


def _resolution_variance(processes: Sequence[ProcessSamples], values: np.ndarray, logs: bool) -> float:
    """Variance of rounding to the timer's step: step²/12, relative on the log scale."""
    step = max(p.resolution_s for p in processes)
    scale = float(np.abs(values).mean()) if logs else 1.0
    return (step / scale) ** 2 / 12.0 if scale else 0.0


def _predict(
    centre: float, variance: float, count: int, logs: bool, level: Level, limits: tuple[Reason, ...]
) -> Estimate:
    half = t_quantile(count - 1, 0.5 + CONFIDENCE / 2) * math.sqrt(variance * (1 + 1 / count))
    if not logs:
        return Estimate(centre, Interval(centre - half, centre + half), level, limits)
    # exp overflows near 709; a spread so large means "anything", which stays finite for JSON and the store.
    hi = math.exp(min(centre + half, 700.0))
    return Estimate(math.exp(centre), Interval(math.exp(centre - half), hi), level, limits)
