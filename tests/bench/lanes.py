"""Simulated lanes for the bench of change points: noise with a spread of one, and what happens to its level."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Noise = Callable[[np.random.Generator, int], np.ndarray]
LEVEL = 1e-3  # seconds


def gaussian(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.standard_normal(n)


def heavy(rng: np.random.Generator, n: int) -> np.ndarray:
    """Student's t with 4 degrees of freedom, and 1 in 20 commits five off, to either side."""
    return rng.standard_t(4, n) + (rng.random(n) < 0.05) * rng.choice((-5.0, 5.0), n)


def slow_spikes(rng: np.random.Generator, n: int) -> np.ndarray:
    """As `heavy`, with all spikes to the slow side and 5 to 10 off."""
    return rng.standard_t(4, n) + (rng.random(n) < 0.05) * rng.uniform(5.0, 10.0, n)


def bimodal(rng: np.random.Generator, n: int) -> np.ndarray:
    """Two levels, two spreads apart, drawn anew at each commit."""
    return np.where(rng.random(n) < 0.5, -1.0, 1.0) + rng.normal(0.0, 0.2, n)


def autoregressive(rng: np.random.Generator, n: int) -> np.ndarray:
    """AR(1) with φ = 0.5 and a spread of 1, started in its stationary state."""
    out = np.empty(n)
    out[0] = rng.standard_normal()
    shocks = rng.normal(0.0, np.sqrt(0.75), n)
    for t in range(1, n):
        out[t] = 0.5 * out[t - 1] + shocks[t]
    return out


NOISES: dict[str, Noise] = {
    "Gaussian": gaussian,
    "heavy tail": heavy,
    "slow spikes": slow_spikes,
    "bimodal": bimodal,
    "AR(0.5)": autoregressive,
}


def lane(noise: np.ndarray, cv: float, level: np.ndarray | float = 0.0) -> np.ndarray:
    """Seconds: `noise` times `cv` about a level of LEVEL · exp(`level`)."""
    return LEVEL * np.exp(cv * noise + level)


def step(n: int, at: int, ratio: float) -> np.ndarray:
    return np.where(np.arange(n) >= at, np.log(ratio), 0.0)


def bump(n: int, at: int, length: int, ratio: float) -> np.ndarray:
    return step(n, at, ratio) - step(n, at + length, ratio)
