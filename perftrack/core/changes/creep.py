"""Slow creep: the level of today against that of a pinned release, whatever steps lie between."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perftrack.core.changes.autocorrelation import lag_one, whitened
from perftrack.core.changes.ranking import Ranking
from perftrack.core.changes.rankscan import FAR, scores
from perftrack.core.changes.studentnoise import centre, deviations, spread
from perftrack.core.model import Interval
from perftrack.core.stats import Floats, t_quantile
from perftrack.errors import InvalidValueError

WINDOW = 20  # values at the release, and the latest ones
FEWEST = 8  # in each of the two
# A window of the latest values is new every WINDOW commits: ten looks in 200 commits that tell more than the last.
ALPHA = 3e-4


@dataclass(frozen=True, slots=True)
class Creep:
    """Level now / level at the release with its 95 % interval.

    `alarm`: the difference is not chance, and at least the threshold. `p_value`: of no difference.
    """

    ratio: float
    interval: Interval
    p_value: float
    alarm: bool


def creep(values: Sequence[float], pinned: int, threshold: float, *, after: int = 0) -> Creep | None:
    """Compare the latest values of a lane with those up to the release at index `pinned`.

    `threshold`: least ln ratio that matters. `after`: index of the first value of the level that the release
    has, where a change came shortly before it; values before it are left out. None with fewer than FEWEST
    values on a side or with a value of zero or below. A rank test decides, with autocorrelation taken out.
    Raises InvalidValueError for values that are not finite or an index outside of them.
    """
    raw = np.asarray(values, dtype=np.float64)
    if not np.isfinite(raw).all():
        raise InvalidValueError("creep needs finite values", "leave failed runs out")
    if not 0 <= after <= pinned < len(raw):
        raise InvalidValueError(f"release at value {pinned} of {len(raw)}, level from {after}")
    start = max(after, pinned + 1 - WINDOW)
    now = max(pinned + 1, len(raw) - WINDOW)
    if pinned + 1 - start < FEWEST or len(raw) - now < FEWEST or float(raw.min()) <= 0:
        return None
    level = np.log(raw)
    phi = lag_one(level)
    release, latest = level[start : pinned + 1], level[now:]
    noise = spread(deviations(np.concatenate((release, latest)), [len(release)]), 2)
    effect = centre(latest, noise) - centre(release, noise)
    told = (1 - phi) / (1 + phi)
    variance = noise.scale**2 * (noise.df + 3) / (noise.df + 1) * (1 / len(release) + 1 / len(latest)) / told
    freedom = max((len(release) + len(latest) - 2) * told, 1.0)
    half = t_quantile(freedom, 0.975) * math.sqrt(variance)
    p_value = _rank_p(whitened(release, phi), whitened(latest, phi))
    interval = Interval(math.exp(effect - half), math.exp(effect + half))
    return Creep(math.exp(effect), interval, p_value, p_value <= ALPHA and abs(effect) >= threshold)


def _rank_p(release: Floats, latest: Floats) -> float:
    """Two-sided normal-scores test (van der Waerden 1952), by its normal limit."""
    together = np.concatenate((release, latest))
    n, k = len(together), len(release)
    total = float(Ranking(together).assign(scores(n, FAR))[:k].sum())
    return math.erfc(abs(total) / math.sqrt(2 * k * (n - k) / n))
