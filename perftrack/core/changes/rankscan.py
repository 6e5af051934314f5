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
from bisect import bisect_right
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
SLACK = 1.0 + 1e-9  # more than the rounding errors of a bound that is a sum


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


def arc_lengths(n: int) -> tuple[int, ...]:
    """Lengths looked at, up to half of n: the rest of an arc is an arc of the other sign."""
    return _lengths(n.bit_length())[: bisect_right(_lengths(n.bit_length()), n // 2)]


@lru_cache(maxsize=64)
def _lengths(bits: int) -> tuple[int, ...]:
    """Those of arcs below 2 ** bits."""
    lengths, length = [], SHORTEST_ARC
    while length < 1 << bits:
        lengths.append(length)
        length = max(length + 1, int(length * ARC_STEP))
    return tuple(lengths)


def penalty(h: float, n: int) -> float:
    return PENALTY * math.log(n / (4 * h))


@lru_cache(maxsize=1024)
def split_weights(n: int) -> tuple[Floats, Floats]:
    """h of the splits 1 … n - 1, and their penalties."""
    k = np.arange(1, n, dtype=np.float64)
    h = k * (n - k) / n
    return h, PENALTY * np.log(n / (4 * h))


@lru_cache(maxsize=1024)
def _shorts(n: int) -> int:
    """How long a short side is at most."""
    return next((k - 1 for k in range(1, n // 2 + 1) if k * (n - k) / n >= SHORT), n)


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
        sums = self._near[1:-1]
        statistic = sums * sums / h - penalties
        short = min(_shorts(self.n), self.n - 1)
        if short:
            ends = np.r_[:short, self.n - 1 - short : self.n - 1]
            statistic[ends] = -math.inf
            if statistic.max() <= self._short_most:
                sums = self._far[1:-1][ends]
                statistic[ends] = sums * sums / h[ends] - penalties[ends]
        at = int(statistic.argmax())
        return Peak(float(statistic[at]), at + 1, self.n)

    def best_arc(self, least: float = -math.inf) -> Peak:
        """The statistic is -inf where n is too small for an arc.

        `least`: the smallest statistic that matters. Where the best is below it, another below it may be given.
        """
        lengths = arc_lengths(self.n)
        short = bisect_right(lengths, _shorts(self.n))
        best = Peak(-math.inf, 0, self.n)
        if short and least <= self._short_most:
            best = self._better_arc(best, self._far, FAR, lengths[:short], least)
        return self._better_arc(best, self._near, NEAR, lengths[short:], least)

    @cached_property
    def _short_most(self) -> float:
        """A statistic that no short side exceeds, as its scores are limited."""
        k = min(_shorts(self.n), self.n // 2)
        h = k * (self.n - k) / self.n
        return SLACK * float(k * scores(self.n, FAR)[-1]) ** 2 / h - penalty(h, self.n)

    def _better_arc(self, best: Peak, sums: Floats, limit: float, lengths: tuple[int, ...], least: float) -> Peak:
        """The best of arcs of these lengths, where that is better than `best`."""
        apart = _Apart(sums, float(scores(self.n, limit)[-1]))
        wanted = max(least, best.statistic)
        for length in lengths:
            h = length * (self.n - length) / self.n
            less = penalty(h, self.n)
            if apart.most(length) ** 2 / h - less < wanted:
                continue
            start, total = apart.measured(length)
            statistic = total**2 / h - less
            if statistic > best.statistic:
                best, wanted = Peak(statistic, start, start + length), max(least, statistic)
        return best


class _Apart:
    """How far do running sums (n + 1,) differ that are so many places apart? At most so far, or measured.

    `step`: the most that neighbours differ by. No two sums differ by more than all of them, nor by more than
    those of two shorter lengths together: where there is nothing to find, few lengths need measuring.
    """

    def __init__(self, sums: Floats, step: float) -> None:
        self._sums = sums
        self._span = float(sums.max() - sums.min())
        self._known = [(1, step)]
        self._buffer = np.empty_like(sums)

    def most(self, length: int) -> float:
        """They do not differ by more than this."""
        left, total = length, 0.0
        for known, difference in reversed(self._known):
            total += left // known * difference
            left %= known
            if not left:
                break
        return min(total * SLACK, self._span)

    def measured(self, length: int) -> tuple[int, float]:
        """Where they differ most, and by how much."""
        sums = self._sums
        total = np.subtract(sums[length:], sums[:-length], out=self._buffer[: len(sums) - length])
        high, low = int(total.argmax()), int(total.argmin())
        start = high if total[high] >= -total[low] else low
        difference = float(total[start])
        self._known.append((length, abs(difference)))
        return start, difference
