"""How many measurements a search may still take: for its progress, and before it begins.

Finding one of many under noise takes the bits that are missing over the bits that a process gives, and then the
evidence that tells the culprit from its neighbours (Burnashev 1976): ln of the odds wanted over the distance of
the two levels in nats. Checked against simulated searches by tests/bench/bisect.py.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perftrack.core.search.belief import GAP_LEAST
from perftrack.core.search.prehistory import processes_to_confirm
from perftrack.core.search.probing import capacity, entropy
from perftrack.core.search.reproduction import LEAST, MOST
from perftrack.core.search.visits import Outcome, Phase
from perftrack.core.stats import Floats

if TYPE_CHECKING:
    from perftrack.core.search.bisection import Search

# Standard deviations by which the ranks of the ends differ, on average, when the rank test lets the search begin,
# and when the difference is established.
START_DEVIATIONS, ESTABLISH_DEVIATIONS = 3.6, 3.95
# What unknown levels, several processes a visit and what cannot be split evenly add.
OVERHEAD = 1.3


@dataclass(frozen=True, slots=True)
class Expected:
    """Processes still to come, on average; `search` has its visits to the ends in it."""

    reproduce: float
    search: float
    confirm: float

    @property
    def measurements(self) -> float:
        return self.reproduce + self.search + self.confirm


def expected(search: Search, gap: float | None = None) -> Expected:
    """What is to come. `gap`: distance of the levels in standard deviations of a process, until one is known."""
    if search.outcome is not Outcome.RUNNING:
        return Expected(0.0, 0.0, 0.0)
    settings, belief, seen = search.settings, search.belief, search.reproduction
    size = belief.gap if gap is None or search.phase is not Phase.REPRODUCE else max(gap, GAP_LEAST)
    reproduce = 0.0
    if search.phase is Phase.REPRODUCE:
        needed = _a_side(size, START_DEVIATIONS)
        reproduce = sum(max(needed - count, 1.0) for count in (seen.good, seen.bad))
    probes = OVERHEAD * _to_search(belief.culprit, search.block.probability, settings.confidence, size)
    at_ends = settings.end_share * probes
    if not seen.established:
        at_ends = max(at_ends, 2.0 * _a_side(size, ESTABLISH_DEVIATIONS) - seen.good - seen.bad - reproduce)
    confirm = 2.0 * processes_to_confirm(search) if search.block.before is not None else 0.0
    return Expected(reproduce, probes + at_ends, confirm)


def likely_probes(search: Search, count: int) -> tuple[str, ...]:
    """The commits that a search is likely to begin with, if each turned out to be slow and if it turned out fast.

    The first is the one that is as likely slow as not; then those of both answers, and so on, each once.
    """
    graph, measurable = search.graph, search.measurable
    waiting, found = deque([search.belief.culprit]), dict[str, None]()
    while waiting and len(found) < count:
        chances = waiting.popleft()
        worth = entropy(graph.slow(chances)) * measurable
        place = int(np.argmax(worth))
        if worth[place] <= 0.0:
            continue
        found[graph.shas[place]] = None
        above = graph.ancestors(place)
        for part in (chances * above, chances * ~above):
            waiting.append(part / part.sum())
    return tuple(found)


def _a_side(gap: float, deviations: float) -> float:
    """Processes a side until the ranks of the ends differ by so many standard deviations."""
    # P(slow > fast) = Φ(gap / √2); the rank sum of n a side moves (P - ½) √(6 n) of its standard deviations.
    share = 0.5 * (1.0 + math.erf(gap / 2.0)) - 0.5
    return min(max((deviations / (share * math.sqrt(6.0))) ** 2, LEAST), MOST)


def _to_search(culprit: Floats, leading: float, confidence: float, gap: float) -> float:
    """Processes at probes until the leading block holds the confidence."""
    spread = -float((culprit * np.log2(np.maximum(culprit, 1e-300))).sum())
    final = float(entropy(np.array([confidence]))[0])
    bits = max(spread - final, 0.0)
    odds = max(_logit(confidence) - max(_logit(leading), 0.0), 0.0)
    return bits / capacity(gap) + odds / (gap**2 / 2.0)


def _logit(probability: float) -> float:
    p = min(max(probability, 1e-12), 1.0 - 1e-12)
    return math.log(p / (1.0 - p))
