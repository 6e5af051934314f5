"""Statistics of samples. Pure functions over sequences of floats; nothing here draws at random."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from perftrack.errors import InvalidValueError

if TYPE_CHECKING:
    from perftrack.core.model import ProcessSamples

Floats = NDArray[np.float64]
Ranks = NDArray[np.intp]

NEGLIGIBLE = 1e-7  # probability mass left out at each end of a median's distribution: one resample in 10^7


def percentile(samples: Sequence[float], p: float) -> float:
    """Percentile by linear interpolation between order statistics; `p` is in [0, 1].

    Hyndman & Fan (1996) type 7. Raises InvalidValueError for no samples or `p` outside [0, 1].
    """
    if len(samples) == 0:
        raise InvalidValueError("percentile of no samples")
    if not 0.0 <= p <= 1.0:
        raise InvalidValueError(f"p must be in [0, 1], got {p}")
    ordered = np.sort(_finite(samples))  # np.quantile does the same in five times the time
    index, share = divmod(p * (len(ordered) - 1), 1.0)
    lower = float(ordered[int(index)])
    upper = float(ordered[min(int(index) + 1, len(ordered) - 1)])
    return lower + share * (upper - lower) if share < 0.5 else upper - (1.0 - share) * (upper - lower)


def median(samples: Sequence[float]) -> float:
    return percentile(samples, 0.5)


def cv_percent(samples: Sequence[float]) -> float:
    """Coefficient of variation in percent, population form; 0.0 for one sample or a mean of zero."""
    if len(samples) == 0:
        raise InvalidValueError("coefficient of variation of no samples")
    values = _finite(samples)
    mean = float(values.mean())
    if len(values) == 1 or mean == 0.0:
        return 0.0
    return 100.0 * float(values.std()) / abs(mean)


def bootstrap_ci(
    samples: Sequence[float],
    confidence: float = 0.95,
    n_resamples: int | None = None,
    seed: int | None = None,
) -> tuple[float, float]:
    """Percentile-bootstrap interval of the median, exact: the limit of infinitely many resamples.

    A resample's median is an order statistic of the sample (or the mean of two), and which one has
    a known multinomial probability, so nothing is drawn (Efron 1979, Maritz & Jarrett 1978).
    It covers sampling error inside one window and nothing else; use core.estimate for an interval
    that a later run should fall in. `n_resamples` and `seed` are taken from callers who are used to resampling,
    and change nothing. Raises InvalidValueError for fewer than two samples.
    """
    if len(samples) < 2:
        raise InvalidValueError("bootstrap interval needs at least 2 samples")
    alpha = _alpha(confidence)
    _check_resampling(n_resamples, seed)
    support, weights = _median_distribution(_finite(samples))
    below = np.cumsum(weights)
    last = len(support) - 1
    # At most alpha / 2 of the mass lies below the first and above the second.
    lo = min(int(np.searchsorted(below, alpha / 2, side="right")), last)
    hi = min(int(np.searchsorted(below, 1 - alpha / 2, side="left")), last)
    return float(support[lo]), float(support[hi])


def ratio_ci(
    candidate: Sequence[float],
    baseline: Sequence[float],
    confidence: float = 0.95,
    n_resamples: int | None = None,
    seed: int | None = None,
) -> tuple[float, float]:
    """Interval of speedup = median(baseline) / median(candidate); above 1 the candidate is faster.

    Both sides are resampled independently, exactly as in `bootstrap_ci`; `n_resamples` and `seed` as there.
    Raises InvalidValueError for fewer than two samples on a side or a candidate value of zero or below.
    """
    if len(candidate) < 2 or len(baseline) < 2:
        raise InvalidValueError("ratio interval needs at least 2 samples on each side")
    if min(candidate) <= 0.0:
        raise InvalidValueError("candidate has a sample of zero or below: the ratio is not defined")
    alpha = _alpha(confidence)
    _check_resampling(n_resamples, seed)
    ratio = _Ratio(_median_distribution(_finite(baseline)), _median_distribution(_finite(candidate)))
    return ratio.quantile(alpha / 2), ratio.quantile(1 - alpha / 2)


def process_value(process: ProcessSamples) -> float:
    """One number for a process: the median of its windows' medians."""
    return median([median(w.samples) for w in process.windows])


def t_quantile(df: float, p: float) -> float:
    """Quantile of Student's t; `df` may be fractional."""
    from scipy.special import stdtrit

    return float(stdtrit(df, p))


def t_two_sided_p(df: float, t: float) -> float:
    from scipy.special import stdtr

    return float(2.0 * stdtr(df, -abs(t)))


def _finite(samples: Sequence[float]) -> Floats:
    values = np.asarray(samples, dtype=np.float64)
    if not np.isfinite(values).all():
        raise InvalidValueError("samples must be finite numbers")
    return values


def _alpha(confidence: float) -> float:
    if not 0.0 < confidence < 1.0:
        raise InvalidValueError(f"confidence must be in (0, 1), got {confidence}")
    return 1.0 - confidence


def _check_resampling(n_resamples: int | None, seed: int | None) -> None:
    del seed
    if n_resamples is not None and n_resamples < 1:
        raise InvalidValueError(f"n_resamples must be at least 1, got {n_resamples}")


def _median_distribution(values: Floats) -> tuple[Floats, Floats]:
    """Support (ascending) and probabilities of the median of a resample of `values` with replacement."""
    i, j, weights = _median_ranks(len(values))
    ordered = np.sort(values)
    if i is j:
        return ordered[i], weights
    means = 0.5 * (ordered[i] + ordered[j])
    order = np.argsort(means)
    return means[order], weights[order]


@lru_cache(maxsize=32)
def _median_ranks(n: int) -> tuple[Ranks, Ranks, Floats]:
    """Which pair of order statistics (i ≤ j, 0-based) a resample's median averages, and how likely.

    For odd n the two are the same array. Only ranks that a median reaches are looked at, so that the
    table holds some 20·n pairs instead of n².
    """
    from scipy.special import betainc, gammaln

    lower_mid = (n + 1) // 2  # 1-based rank of the median, or of the lower of the two
    # P(k-th smallest of a resample is among the i smallest) = P(Binomial(n, i/n) >= k)
    among = betainc(lower_mid, n - lower_mid + 1, np.arange(n + 1) / n)
    single = np.diff(among)
    i = np.flatnonzero((among[1:] > NEGLIGIBLE) & (among[:-1] < 1 - NEGLIGIBLE))
    if n % 2:
        return i, i, single[i] / single[i].sum()
    m = n // 2
    log_choose = gammaln(n + 1) - 2 * gammaln(m + 1)
    # The m-th smallest is exactly i, given m at or below; the upper half mirrors it with j = n - 1 - i.
    log_exactly = m * np.log((i + 1) / n) + np.log1p(-((i / (i + 1)) ** m))
    pair = np.exp(log_choose + log_exactly[:, None] + log_exactly[None, :])
    pair[i[:, None] >= n - 1 - i[None, :]] = 0.0
    same = np.maximum(single[i] - pair.sum(axis=1), 0.0)
    lower, upper = np.nonzero(pair > NEGLIGIBLE / n)
    weights = np.concatenate((pair[lower, upper], same))
    return (
        np.concatenate((i[lower], i)),
        np.concatenate((n - 1 - i[upper], i)),
        weights / weights.sum(),
    )


class _Ratio:
    """Distribution of B / C for independent B and C > 0, each given as (ascending support, probabilities)."""

    def __init__(self, b: tuple[Floats, Floats], c: tuple[Floats, Floats]) -> None:
        (self._b, self._b_weights), (self._c, self._c_weights) = _merged(*b), _merged(*c)
        self._b_below = np.concatenate(([0.0], np.cumsum(self._b_weights)))

    def quantile(self, p: float) -> float:
        """Smallest ratio that at least `p` of the mass is at or below.

        The bracket shrinks until few enough ratios are left in it to be listed and sorted. Guesses are by
        false position on the normal quantile of the mass, in which a ratio of medians is nearly
        straight; the end that stays is discounted (Dowell & Jarratt 1971), and every fourth guess is the
        middle, for distributions that are not straight at all.
        """
        b, c = self._b, self._c
        lo = float(b[0] / (c[-1] if b[0] > 0 else c[0]))
        hi = float(b[-1] / (c[0] if b[-1] > 0 else c[-1]))
        first, end = np.zeros(len(c), dtype=np.intp), np.full(len(c), len(b), dtype=np.intp)
        target = _probit(p)
        under, over = _probit(0.0) - target, _probit(1.0) - target
        enough = max(4 * len(c), 4096)
        turn, raised = 0, 0
        while int((end - first).sum()) > enough:
            turn += 1
            x = lo + under / (under - over) * (hi - lo)
            if turn % 4 == 0 or not lo < x < hi:
                x = 0.5 * (lo + hi)
            if not lo < x < hi:
                break  # neighbouring floats: all that is left in between is one ratio
            index = np.searchsorted(b, x * c, side="right")
            mass = self._mass(index)
            if mass >= p:
                hi, end, over = x, index, _probit(mass) - target
                under *= 0.5 if raised < 0 else 1.0
                raised = -1
            else:
                lo, first, under = x, index, _probit(mass) - target
                over *= 0.5 if raised > 0 else 1.0
                raised = 1
        return self._among(first, end, p)

    def _mass(self, index: Ranks) -> float:
        """Probability of the ratios whose B is one of the first `index[k]`, for each C `k`."""
        return float(self._c_weights @ self._b_below[index])

    def _among(self, first: Ranks, end: Ranks, p: float) -> float:
        """The p-quantile, known to be a ratio of B number first[k] to end[k] - 1 and C number k."""
        count = end - first
        k = np.repeat(np.arange(len(count)), count)
        i = np.arange(len(k)) + np.repeat(first - np.cumsum(count) + count, count)
        ratios = self._b[i] / self._c[k]
        order = np.argsort(ratios)
        below = self._mass(first) + np.cumsum((self._b_weights[i] * self._c_weights[k])[order])
        return float(ratios[order[min(int(np.searchsorted(below, p)), len(order) - 1)]])


def _merged(support: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Equal values as one: samples that come in whole timer ticks leave few."""
    starts = np.flatnonzero(np.diff(support, prepend=-np.inf))
    return support[starts], np.add.reduceat(weights, starts)


def _probit(mass: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(min(max(mass, NEGLIGIBLE), 1 - NEGLIGIBLE)))
