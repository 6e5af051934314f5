"""Which visit comes next in a search that is still running."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from perftrack.core.search.dag import Mask
from perftrack.core.search.phase import place_to_check
from perftrack.core.search.prehistory import processes_to_confirm
from perftrack.core.search.probing import choose
from perftrack.core.search.recheck import processes_to_tell
from perftrack.core.search.reproduction import LEAST
from perftrack.core.search.visits import FailureKind, Phase, Probe

if TYPE_CHECKING:
    from perftrack.core.search.bisection import Search


def next_probe(search: Search) -> Probe:
    """The visit that the search's phase asks for, within what its budget still allows."""
    phase = search.phase
    if phase is Phase.REPRODUCE:
        found = _reproduce(search)
    elif phase is Phase.ENDS:
        found = _both_ends(search, 1, 1)
    elif phase is Phase.CHECK:
        place = place_to_check(search)
        assert place is not None
        processes = processes_to_tell(search.belief.gap, search.settings.batch_most)
        found = _probe(
            search, phase, search.graph.shas[place], processes, None, 0, float(search.belief.slow[place])
        )
    elif phase is Phase.CONFIRM:
        block, left = search.block, search.spent.left(search.settings)
        assert block.after is not None
        need = int(min(processes_to_confirm(search), left // 2))
        found = _probe(search, phase, block.after, need, block.before, need)
    else:
        found = _search(search)
    return _within(search, found)


def _reproduce(search: Search) -> Probe:
    """Rounds of both ends: as many as the first look needs, then one a look.

    Where time is what may be spent, one of each first: until then nobody knows how many it allows.
    """
    seen = search.reproduction
    if search.settings.seconds is not None and not search.spent.process_seconds:
        return _both_ends(search, 1, 1)
    bad, good = (max(LEAST - count, 1) for count in (seen.bad, seen.good))
    return _both_ends(search, bad, good)


def _both_ends(search: Search, bad: int, good: int) -> Probe:
    return _probe(search, search.phase, search.graph.bad, bad, search.graph.good, good)


def _search(search: Search) -> Probe:
    settings, graph = search.settings, search.graph
    chosen = choose(
        search.belief.slow,
        search.measurable,
        _built(search),
        search.belief.gap,
        build_cost=search.spent.build_cost(settings),
        broken=_broken(search),
        overhead=settings.end_share,
        most=settings.batch_most,
        least=settings.batch_least,
    )
    if chosen is None:  # what is left to know is no more than rounding
        return _both_ends(search, 1, 1)
    end, count = _due(search, chosen.processes)
    slow = float(search.belief.slow[chosen.place])
    return _probe(search, Phase.SEARCH, graph.shas[chosen.place], chosen.processes, end, count, slow)


def _due(search: Search, processes: int) -> tuple[str | None, int]:
    """The end to visit beside so many processes of a probe, and how often: where fewer readings are."""
    share = search.settings.end_share
    ends = (search.graph.good, search.graph.bad)
    away = at_ends = 0
    for visit in search.visits:
        if visit.phase in {Phase.SEARCH, Phase.ENDS}:
            for side in visit.sides:
                if side.commit in ends:
                    at_ends += len(side.values)
                else:
                    away += len(side.values)
    count = math.floor(share * (away + processes) - at_ends + 1e-9)
    if count < 1:
        return None, 0
    return (ends[0] if search.reproduction.good <= search.reproduction.bad else ends[1]), min(count, processes)


def _probe(
    search: Search,
    phase: Phase,
    commit: str,
    processes: int,
    beside: str | None,
    beside_processes: int,
    slow: float | None = None,
) -> Probe:
    turns = [commit] * processes + [beside] * beside_processes if beside is not None else [commit] * processes
    rng = np.random.default_rng((search.seed, len(search.visits)))
    order = tuple(turns[int(n)] for n in rng.permutation(len(turns)))
    return Probe(phase, commit, processes, beside, beside_processes if beside is not None else 0, order, slow)


def _within(search: Search, probe: Probe) -> Probe:
    """The probe, shortened to what is left of the budget: both ends alike, else the end first."""
    left = search.spent.left(search.settings)
    if probe.processes + probe.beside_processes <= left:
        return probe
    if probe.phase in {Phase.REPRODUCE, Phase.ENDS}:
        beside = int(left) // 2
        processes = int(left) - beside
    else:
        processes = min(probe.processes, int(left))
        beside = min(probe.beside_processes, int(left) - processes)
    end = probe.beside if beside else None
    return _probe(search, probe.phase, probe.commit, processes, end, beside, probe.slow)


def _built(search: Search) -> Mask:
    """(n,): commits of which a build is at hand, because they were measured."""
    return _places(search, [s.commit for v in search.visits for s in v.sides if s.values])


def _broken(search: Search) -> Mask:
    builds = FailureKind.BUILD
    return _places(
        search, [s.commit for v in search.visits for s in v.sides if s.failure and s.failure.kind is builds]
    )


def _places(search: Search, shas: Sequence[str]) -> Mask:
    mask = np.zeros(len(search.graph), dtype=bool)
    mask[[search.graph.places[sha] for sha in shas if sha in search.graph.places]] = True
    return mask
