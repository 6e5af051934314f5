"""How much a lane moves from run to run with nothing changed, learnt from its history."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from perftrack.core.changes.ranking import median

Numbers = NDArray[np.floating] | NDArray[np.integer]
MIN_RUNS = 6
# Point-to-point variation of 225 public histories of two numeric libraries: median 0.9 %, 90th percentile 2.3 %.
ASSUMED_SIGMA = 0.023
ASSUMED_DF = 10.0
# Quantiles of the size of a step, and how many steps it takes to know of them.
_TAIL = ((0.90, 5), (0.95, 20), (0.97, 33), (0.985, 66))
SPARED = 2
MAD_EFFICIENCY = 0.37  # of a median absolute deviation on normal data (Rousseeuw & Croux 1993)


@dataclass(frozen=True, slots=True)
class LaneNoise:
    """Run-to-run spread of a lane: standard deviation of ln(value) beyond what processes explain.

    `runs` 0: not learnt, assumed. `pairs`: of runs of equal code that it is learnt from as well. `process_sigma`:
    the deviation of ln(process value) between the processes of a run. `reach`: how far apart, in ln(value), two
    runs may be with nothing changed, from the steps of the history themselves: real noise has spikes that a
    deviation does not tell of.
    """

    sigma: float
    runs: int
    pairs: int = 0
    process_sigma: float = 0.0
    reach: float = 0.0

    @property
    def learnt(self) -> bool:
        return self.runs > 0 or self.pairs > 0

    @property
    def df(self) -> float:
        """Degrees of freedom of `sigma`: a deviation's worth of `runs`, or one for each pair, at least one."""
        if not self.runs:
            return ASSUMED_DF + self.pairs
        return max(1.0, MAD_EFFICIENCY * (self.runs - 1), self.pairs)


def lane_noise(
    values: Sequence[float] | Numbers, within: Sequence[float] | Numbers, processes: Sequence[int] | Numbers = ()
) -> LaneNoise | None:
    """Run-to-run noise of a lane from its history; None with fewer than six runs.

    `values`: (n,) run values in commit order, all positive; `within`: (n,) variance of ln(value) that
    each run's own processes explain, and `processes` their number. Successive differences cancel slow
    trends and a median absolute deviation shrugs off the steps that history is kept to find; m / (m - 0.8)
    makes up for there being only m of them (Croux & Rousseeuw 1992).
    """
    levels, spreads = np.asarray(values, dtype=np.float64), np.asarray(within, dtype=np.float64)
    if len(levels) < MIN_RUNS or levels.min() <= 0:
        return None
    steps = np.diff(np.log(levels))
    deviation = 1.4826 * len(steps) / (len(steps) - 0.8) * median(np.abs(steps - median(steps)))
    beyond = max(deviation**2 / 2 - median(spreads), 0.0)
    counts = np.asarray(processes, dtype=np.float64)
    own = (spreads * counts)[counts > 1] if len(counts) else counts
    of_process = math.sqrt(median(own)) if len(own) else 0.0
    return LaneNoise(math.sqrt(beyond), len(levels), process_sigma=of_process, reach=_reach(np.abs(steps)))


def _reach(sizes: np.ndarray) -> float:
    """What 95 % of steps stay within: from each quantile of their sizes that there are enough of, the largest.

    A quantile is the order statistic of a distribution-free tolerance limit, scaled to 95 % as a normal
    distribution would be: far ones see tails, near ones are there in a short history. The two largest steps are
    never it: they may be the changes that history is kept to find.
    """
    ordered, count = np.sort(sizes), len(sizes)
    found = [0.0]
    for quantile, least in _TAIL:
        if count >= least:
            place = min(math.ceil((count + 1) * quantile), count - SPARED)
            found.append(float(ordered[place - 1]) * _normal(0.95) / _normal(place / (count + 1)))
    return max(found)


@lru_cache(maxsize=4096)
def _normal(share: float) -> float:
    """What this share of a standard normal's absolute values stays below."""
    return NormalDist().inv_cdf(0.5 + share / 2)


ASSUMED = LaneNoise(ASSUMED_SIGMA, 0)


def with_pairs(noise: LaneNoise | None, steps: Sequence[float], within: Sequence[float]) -> LaneNoise | None:
    """Noise that is also learnt from pairs of runs of equal code: whatever moved them was noise.

    `steps`: (n,) ln(value / value) of each pair; `within`: (n,) variance of the step that both runs' own processes
    explain. A deviation from history shrugs off a large step, which may be the code's; one of equal code counts in
    full. Pooled with `noise`, or with what is assumed where that is None, by degrees of freedom. The pairs are
    steps of the same history, so their degrees of freedom do not add to its own.
    """
    if not steps:
        return noise
    base = noise or ASSUMED
    squares = np.square(np.asarray(steps, dtype=np.float64)) - np.asarray(within, dtype=np.float64)
    of_pairs = max(float(squares.mean()) / 2, 0.0)
    count = len(steps)
    pooled = (base.df * base.sigma**2 + count * of_pairs) / (base.df + count)
    return replace(base, sigma=math.sqrt(pooled), pairs=count)
