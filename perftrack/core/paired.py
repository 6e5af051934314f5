"""Paired comparison of two sides that took turns: the log-ratio of each round, and the effect of order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perftrack.core.model import Interval
from perftrack.core.stats import t_quantile, t_two_sided_p
from perftrack.errors import InvalidValueError

CONFIDENCE = 0.95
MIN_ROUNDS = 4
RHO_MOST = 0.9
# Rounds that end when the interval is narrow end sooner where it is narrow by luck: at a nominal 95 % the plain
# interval covers 90 to 93 % near the wanted width. With this factor it covers 95 % of Gaussian and heavy-tailed
# noise and 93 % of bimodal noise (tests/bench/stopping.py).
STOPPED = 1.2


@dataclass(frozen=True, slots=True)
class PairedEffect:
    """`effect`: mean of ln(candidate / baseline) over rounds, positive is slower, with its 95 % interval.

    `slot_effect`: ln of how much slower a side is for running second in its round.
    """

    effect: float
    interval: Interval
    p_value: float
    slot_effect: float
    rounds: int
    df: float = 1.0


def paired_effect(
    log_ratios: Sequence[float], candidate_second: Sequence[bool], *, widen: float = 1.0
) -> PairedEffect:
    """Least squares of r = effect + slot · (±1): the order's effect cancels from the effect where it is balanced.

    Rounds next to one another share clock and heat; a positive lag-1 autocorrelation of the residuals
    widens the interval by (1 + ρ) / (1 - ρ). `widen` multiplies the standard error: STOPPED where rounds were
    added until the interval was narrow enough. Raises InvalidValueError for fewer than MIN_ROUNDS rounds.
    """
    r = np.asarray(log_ratios, dtype=np.float64)
    order = np.where(np.asarray(candidate_second, dtype=bool), 1.0, -1.0)
    n = len(r)
    if n < MIN_ROUNDS or len(order) != n:
        raise InvalidValueError(f"a paired comparison needs at least {MIN_ROUNDS} rounds, got {n}")
    both_orders = bool((order > 0).any() and (order < 0).any())
    design = np.column_stack([np.ones(n), order]) if both_orders else np.ones((n, 1))
    beta, *_ = np.linalg.lstsq(design, r, rcond=None)
    residual = r - design @ beta
    df = n - design.shape[1]
    variance = float(residual @ residual) / df
    error = widen * math.sqrt(variance * float(np.linalg.inv(design.T @ design)[0, 0]) * _inflation(residual))
    effect = float(beta[0])
    half = t_quantile(df, 0.5 + CONFIDENCE / 2) * error
    p_value = t_two_sided_p(df, effect / error) if error > 0 else float(effect == 0.0)
    slot = float(beta[1]) if both_orders else 0.0
    return PairedEffect(effect, Interval(effect - half, effect + half), p_value, slot, n, float(df))


def _inflation(residual: np.ndarray) -> float:
    total = float(residual @ residual)
    if total == 0.0:
        return 1.0
    rho = float(residual[1:] @ residual[:-1]) / total
    rho += (1 + 3 * rho) / len(residual)  # its bias in a short series (Kendall 1954)
    return (1 + rho) / (1 - rho) if 0 < rho < RHO_MOST else 1.0 if rho <= 0 else (1 + RHO_MOST) / (1 - RHO_MOST)
