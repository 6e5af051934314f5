"""Where in a series does the level differ most? Rank sums over every split and over every arc.

Ranks make the answer's null distribution the same for every kind of noise, so that one table of it holds for
all (core.changes.nulltable). A *split* sets the values before a place against those from it on; an *arc* sets a
stretch in the middle against both sides (circular binary segmentation, Olshen, Venkatraman, Lucito & Wigler
2004), which finds a bump that no single split shows.

With z the standardised rank sum of one side, k its length of n and h = k (n - k) / n, the statistic is
z² - PENALTY · ln(n / 4h): there are many more places for a short side than for a long one, and without the
penalty they would spend nearly all of the false alarms (Dümbgen & Spokoiny 2001).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from perftrack.core.changes.ranking import Ranking
from perftrack.core.stats import Floats

# Normal scores, limited. A short side needs far ones: the sum of few limited scores cannot be large. Of many
# commits those in the middle tell most, and the limit keeps heavy tails out.
FAR, NEAR = 2.5, 1.0
SHORT = 12.0  # h below this is a short side
PENALTY = 2.0
SHORTEST_ARC = 3
ARC_STEP = 1.1  # ratio of neighbouring arc lengths once they are longer than 10


@dataclass(frozen=True, slots=True)
class Peak:
    """The largest statistic and where: values[start:end] against the rest; a split has `end` = n."""

    statistic: float
    start: int
    end: int


@lru_cache(maxsize=1024)
def scores(n: int, limit: float) -> Floats:
    """Score of each rank, ascending: normal quantiles limited to ±`limit`, with sum 0 and variance 1."""
    raw = np.clip(_quantiles(n), -limit, limit)
    return np.asarray(raw / math.sqrt(float(raw @ raw) / (n - 1)), dtype=np.float64)


@lru_cache(maxsize=2)
def _quantiles(n: int) -> Floats:
    from scipy.special import ndtri

    return np.asarray(ndtri((np.arange(1, n + 1) - 0.5) / n))


@lru_cache(maxsize=1024)
def arc_lengths(n: int) -> tuple[int, ...]:
    """Lengths looked at, up to half of n: the rest of an arc is an arc of the other sign."""
    lengths, length = [], SHORTEST_ARC
    while length <= n // 2:
        lengths.append(length)
        length = max(length + 1, int(length * ARC_STEP))
    return tuple(lengths)


@lru_cache(maxsize=1024)
def _arcs(n: int) -> tuple[tuple[int, float, float], ...]:
    """Each length with its h and penalty."""
    sizes = [(length, length * (n - length) / n) for length in arc_lengths(n)]
    return tuple([(length, h, PENALTY * math.log(n / (4 * h))) for length, h in sizes])


def penalty(h: float, n: int) -> float:
    return PENALTY * math.log(n / (4 * h))


@lru_cache(maxsize=1024)
def split_weights(n: int) -> tuple[Floats, Floats]:
    """h of the splits 1 … n - 1, and their penalties."""
    k = np.arange(1, n, dtype=np.float64)
    h = k * (n - k) / n
    return h, PENALTY * np.log(n / (4 * h))


class RankSums:
    """Running sums of the scores of `values` (n,), n ≥ 2. Equal values share the mean of their scores.

    The variance of untied scores is kept, which makes ties conservative.
    """

    def __init__(self, values: Floats) -> None:
        self.n = len(values)
        self._ranking = Ranking(values)

    @cached_property
    def _far(self) -> Floats:
        return self._sums(FAR)

    @cached_property
    def _near(self) -> Floats:
        return self._sums(NEAR)

    def _sums(self, limit: float) -> Floats:
        """(n + 1,) sum of the scores before each index."""
        sums = np.zeros(self.n + 1)
        np.cumsum(self._ranking.assign(scores(self.n, limit)), out=sums[1:])
        return sums

    def split_at(self, k: int) -> float:
        """Statistic of the split before index k, 1 ≤ k < n."""
        h = k * (self.n - k) / self.n
        total = self._far[k] if h < SHORT else self._near[k]
        return float(total * total / h) - penalty(h, self.n)

    def best_split(self) -> Peak:
        h, penalties = split_weights(self.n)
        sums = np.where(h < SHORT, self._far[1:-1], self._near[1:-1])
        statistic = sums * sums / h - penalties
        at = int(statistic.argmax())
        return Peak(float(statistic[at]), at + 1, self.n)

    def best_arc(self, least: float = -math.inf) -> Peak:
        """The statistic is -inf where n is too small for an arc.

        `least`: the smallest statistic that matters. Where the best is below it, another below it may be given.
        """
        best = Peak(-math.inf, 0, self.n)
        buffer = np.empty(self.n + 1)
        span = float(self._near.max() - self._near.min())
        for length, h, less in _arcs(self.n):
            if h >= SHORT and span * span / h - less < least:
                continue  # no two sums are further apart than all of them
            sums = self._far if h < SHORT else self._near
            total = np.subtract(sums[length:], sums[:-length], out=buffer[: self.n + 1 - length])
            high, low = int(total.argmax()), int(total.argmin())
            start = high if total[high] >= -total[low] else low
            statistic = float(total[start]) ** 2 / h - less
            if statistic > best.statistic:
                best = Peak(statistic, start, start + length)
        return best
