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
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache

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
SLACK = 1.0 + 1e-9  # of a bound: more than rounding makes of its sums


@dataclass(frozen=True, slots=True)
class Peak:
    """The largest statistic and where: values[start:end] against the rest; a split has `end` = n."""

    statistic: float
    start: int
    end: int


_Arc = tuple[float, int, int]  # as Peak has them


@lru_cache(maxsize=1024)
def scores(n: int, limit: float) -> Floats:
    """Score of each rank, ascending: normal quantiles limited to ±`limit`, with sum 0 and variance 1."""
    raw = _quantiles(n).clip(-limit, limit)
    return np.asarray(raw / math.sqrt(float(raw.dot(raw)) / (n - 1)))


@lru_cache(maxsize=2)
def _quantiles(n: int) -> Floats:
    from scipy.special import ndtri

    return np.asarray(ndtri((np.arange(1, n + 1) - 0.5) / n))


def arc_lengths(n: int) -> tuple[int, ...]:
    """Lengths looked at, up to half of n: the rest of an arc is an arc of the other sign."""
    lengths = _lengths(n.bit_length())
    return lengths[: bisect_right(lengths, n // 2)]


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
def _short_sides(n: int) -> tuple[int, float]:
    """How long a short side is at most, and a statistic that none exceeds: of as many of the highest scores."""
    longest = next((k - 1 for k in range(int(SHORT), n // 2 + 1) if k * (n - k) / n >= SHORT), n // 2)
    h = longest * (n - longest) / n
    return longest, (longest * float(scores(n, FAR)[-1])) ** 2 / h * SLACK - penalty(h, n)


class RankSums:
    """Running sums of the scores of `values` (n,), n ≥ 2. Equal values share the mean of their scores.

    The variance of untied scores is kept, which makes ties conservative.
    """

    def __init__(self, values: Floats) -> None:
        self.n = len(values)
        self._ranking = Ranking(values)
        self._known: dict[float, Floats] = {}

    def _sums(self, limit: float) -> Floats:
        """(n + 1,) sum of the scores before each index."""
        if limit not in self._known:
            sums = self._known[limit] = np.zeros(self.n + 1)
            np.add.accumulate(self._ranking.assign(scores(self.n, limit)), out=sums[1:])
        return self._known[limit]

    def split_at(self, k: int) -> float:
        """Statistic of the split before index k, 1 ≤ k < n."""
        h = k * (self.n - k) / self.n
        total = self._sums(FAR if h < SHORT else NEAR)[k]
        return float(total * total / h) - penalty(h, self.n)

    def best_split(self) -> Peak:
        h, penalties = split_weights(self.n)
        short = 0.0 if self._long_sides_show_more() else self._sums(FAR)[1:-1]
        sums = np.where(h < SHORT, short, self._sums(NEAR)[1:-1])
        statistic = sums * sums / h - penalties
        at = int(statistic.argmax())
        return Peak(float(statistic[at]), at + 1, self.n)

    def _long_sides_show_more(self) -> bool:
        """Whether a split into two long sides is known that shows more than any with a short side can."""
        near = self._sums(NEAR)
        high, low = int(near.argmax()), int(near.argmin())
        k = high if near[high] >= -near[low] else low
        return k * (self.n - k) / self.n >= SHORT and self.split_at(k) > _short_sides(self.n)[1]

    def best_arc(self, least: float = -math.inf) -> Peak:
        """The statistic is -inf where n is too small for an arc.

        `least`: the smallest statistic that matters. Where the best is below it, another below it may be given.
        """
        longest, most = _short_sides(self.n)
        lengths = arc_lengths(self.n)
        short = bisect_right(lengths, longest)
        best = -math.inf, 0, self.n
        if short and least <= most:
            best = self._better_arc(best, FAR, lengths[:short], least)
        return Peak(*self._better_arc(best, NEAR, lengths[short:], least))

    def _better_arc(self, best: _Arc, limit: float, lengths: tuple[int, ...], least: float) -> _Arc:
        """The best of arcs of these lengths (ascending, with scores of this limit), where it beats `best`."""
        wanted = max(least, best[0])
        n, step = self.n, float(scores(self.n, limit)[-1])
        # As h is half of the length or more, even the highest scores are too few in an arc that is shorter.
        lengths = lengths[bisect_left(lengths, wanted / (2 * step * step * SLACK)) :]
        if not lengths:
            return best
        sums, bounds, buffer = self._sums(limit), _Bounds(step), np.empty(n + 1)
        span = float(sums[sums.argmax()] - sums[sums.argmin()]) * SLACK
        for length in lengths:
            h = length * (n - length) / n
            if span * span / h < wanted:
                break  # all differences are too small for an h as large or larger
            bound = bounds.most(length) ** 2 / h
            if bound < wanted or bound - penalty(h, n) < wanted:  # most need no logarithm
                continue
            total = np.subtract(sums[length:], sums[:-length], buffer[: n + 1 - length])
            high, low = int(total.argmax()), int(total.argmin())
            start = high if total[high] >= -total[low] else low
            difference = float(total[start])
            bounds.measured(abs(difference))
            statistic = difference**2 / h - penalty(h, n)
            if statistic > best[0]:
                best, wanted = (statistic, start, start + length), max(least, statistic)
        return best


class _Bounds:
    """By how much running sums can differ that are so many places apart, told from shorter lengths.

    The difference is no larger than those over two lengths that add up to it together, and over one place no
    larger than `step`. Where there is nothing to find, few lengths are left that need measuring.
    """

    def __init__(self, step: float) -> None:
        self._step = step * SLACK
        self._lengths, self._most = [0], [0.0]
        self._base = 0  # the last length that was measured

    def most(self, length: int) -> float:
        """The bound for a length, which must be longer than those before."""
        lengths, most = self._lengths, self._most
        left = length - lengths[self._base]
        at = bisect_right(lengths, left) - 1
        bound = most[self._base] + most[at] + (left - lengths[at]) * self._step
        lengths.append(length)
        most.append(bound)
        return bound

    def measured(self, difference: float) -> None:
        """What it is for the last length that was asked for."""
        self._base = len(self._most) - 1
        self._most[self._base] = difference * SLACK
