"""Which commit to measure next, and with how many processes.

The commit that is as likely slow as not tells most (Horstein 1963), and a second reading of it tells less than
the first. So each choice of commit and number of processes is worth the bits that it is expected to give, and
costs its processes and its build. With builds at no cost that is one process where the probability is nearest one
half; the dearer a build, the more processes a visit and the more visits to what is built already.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perftrack.core.search.dag import Mask
from perftrack.core.stats import Floats

BATCH_MOST = 5
# Broken builds come in runs: how much less likely a commit is to build next to one that did not, and over how many
# commits that halves.
CONTAGION, REACH = 0.9, 3.0


@dataclass(frozen=True, slots=True)
class Choice:
    place: int
    processes: int


def choose(
    slow: Floats,
    measurable: Mask,
    built: Mask,
    gap: float,
    *,
    build_cost: float,
    broken: Mask,
    overhead: float = 0.0,
    most: int = BATCH_MOST,
    least: int = 1,
) -> Choice | None:
    """The commit and the number of processes that give most bits for their cost; None where none tells anything.

    `slow` (n,): probability of being slow; `gap`: distance of the levels in standard deviations of a process;
    `build_cost`: of a commit that is not built, in processes; `overhead`: processes at an end for each process
    here; `broken` (n,): commits whose build failed.
    """
    bits = entropy(slow) * measurable * np.where(built, 1.0, _builds(broken))
    if not bits.any():
        return None
    best, chosen = 0.0, None
    for processes in range(least, most + 1):
        cost = processes * (1.0 + overhead) + np.where(built, 0.0, build_cost)
        worth = bits * capacity(gap, processes) / cost
        place = int(np.argmax(worth))
        if worth[place] > best:
            best, chosen = float(worth[place]), Choice(place, processes)
    return chosen


def entropy(probability: Floats) -> Floats:
    """(n,) bits of an event of each probability."""
    p = np.clip(probability, 0.0, 1.0)
    q = 1.0 - p
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(-p * np.log2(p)) + np.nan_to_num(-q * np.log2(q))


def capacity(gap: float, processes: int = 1) -> float:
    """Bits that `processes` readings give of one that is slow or fast with equal chance.

    The mutual information of a binary input and Gaussian noise, by the fit of Brännström, Rasmussen & Grant
    (2005): within 0.01 of the integral.
    """
    return float((1.0 - 2.0 ** (-0.3073 * (processes * gap**2) ** 0.8935)) ** 1.1064)


def _builds(broken: Mask) -> Floats:
    """(n,): how likely each commit is to build, by its distance from the nearest that did not."""
    failed = np.flatnonzero(broken)
    if not len(failed):
        return np.ones(len(broken))
    places = np.arange(len(broken))
    after = np.searchsorted(failed, places)
    right = failed[np.minimum(after, len(failed) - 1)]
    left = failed[np.maximum(after - 1, 0)]
    distance = np.minimum(np.abs(places - left), np.abs(places - right))
    chance: Floats = 1.0 - CONTAGION * 0.5 ** (distance / REACH)
    return chance
