"""How far the whole machine has drifted since a search began, from its visits to the two ends alone.

The ends' levels are constant by definition, so what their readings do over time is drift: a random walk, of which
no step is as likely beforehand as not. Probes never take part: what they read is what is asked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from perftrack.core.search.dag import Mask
from perftrack.core.stats import Floats

# Variance of the walk's step per process, in variances of the noise, with its probability beforehand: none at
# all, and what makes a shift of the noise's own size in some 1,000, 100 or 10 processes.
STEPS = (0.0, 1e-3, 1e-2, 1e-1)
CHANCES = (0.7, 0.1, 0.1, 0.1)
FEW = 8  # readings of the ends below which nothing is said
TINY = 1e-300
STRAY = 2.5  # noise scales: a reading further out is pulled in to there


@dataclass(frozen=True, slots=True)
class EndDrift:
    """An estimate. `probability`: that there is any drift; `times` (n,), `pull` (n,): what `at` sums up."""

    probability: float = 0.0
    times: Floats = field(default_factory=lambda: np.zeros(0))
    pull: Floats = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, times: Floats, values: Floats, at_bad: Mask) -> EndDrift:
        """From readings of the ends: (n,) times, values and which are of BAD. Times count processes.

        For each variance of the step the walk is a Gaussian process with covariance proportional to min(s, t),
        the ends' levels are generalised least squares, and the marginal likelihood is that of the residuals
        (Rasmussen & Williams 2006, section 2.7); the answers are averaged by it.
        """
        if len(values) < FEW or at_bad.all() or not at_bad.any():
            return cls()
        design = np.column_stack([~at_bad, at_bad]).astype(np.float64)
        centres = np.array([np.median(values[~at_bad]), np.median(values[at_bad])])
        residual = values - design @ centres
        scale = 1.4826 * float(np.median(np.abs(residual)))
        if scale == 0.0:
            return cls()  # values that do not vary do not drift
        standard = np.clip(residual / scale, -STRAY, STRAY)
        shared = np.minimum.outer(times, times)
        logs, pulls = [], []
        for step, chance in zip(STEPS, CHANCES, strict=True):
            log_likelihood, pull = _walk(standard, design, step * shared)
            logs.append(math.log(chance) + log_likelihood)
            pulls.append(step * pull)
        weights = np.exp(np.array(logs) - max(logs))
        weights /= weights.sum()
        return cls(float(1.0 - weights[0]), times, scale * (weights @ np.array(pulls)))

    def at(self, times: Floats) -> Floats:
        """(k,): the shift at each of these times, in the readings' unit."""
        return np.minimum.outer(times, self.times) @ self.pull


def _walk(values: Floats, design: Floats, walk: Floats) -> tuple[float, Floats]:
    """Restricted log likelihood under a walk of this covariance plus noise of unknown scale, and the walk's pull.

    The walk at any time is its covariance with the readings times the pull.
    """
    factor = np.linalg.cholesky(walk + np.eye(len(values)))
    whitened = np.linalg.solve(factor, np.column_stack([design, values]))
    level, target = whitened[:, :-1], whitened[:, -1]
    gram = level.T @ level
    rest = target - level @ np.linalg.solve(gram, level.T @ target)
    df = len(values) - design.shape[1]
    log_likelihood = (
        -float(np.log(np.diag(factor)).sum())
        - 0.5 * float(np.linalg.slogdet(gram)[1])
        - 0.5 * df * math.log(float(rest @ rest) + TINY)
    )
    return log_likelihood, np.linalg.solve(factor.T, rest)
