"""Where a search stands: what the next visit is for, and whether there is to be one."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from perftrack.core.search.confirmation import confirmed_values
from perftrack.core.search.nonmonotone import ALPHA
from perftrack.core.search.prehistory import processes_to_confirm, was_slow_before
from perftrack.core.search.recheck import to_check
from perftrack.core.search.reckoning import TRIES
from perftrack.core.search.reproduction import Standing
from perftrack.core.search.visits import FailureKind, Outcome, Phase

if TYPE_CHECKING:
    from perftrack.core.search.bisection import Search

END_TRIES = 3  # failures of an end in a row


def phase_of(search: Search) -> Phase:
    """What the next visit is for, if there is one."""
    if search.reproduction.standing is Standing.OPEN:
        return Phase.REPRODUCE
    if search.block.probability < search.settings.confidence:
        return Phase.SEARCH
    if not search.reproduction.established:
        return Phase.ENDS
    return Phase.CHECK if place_to_check(search) is not None else Phase.CONFIRM


def outcome_of(search: Search) -> Outcome:
    """How it stands. A budget that is spent ends whatever was going on."""
    if _end_failed(search):
        return Outcome.END_FAILED
    seen, block = search.reproduction, search.block
    if seen.standing is Standing.ABSENT:
        return Outcome.NOT_REPRODUCED
    if seen.searching and search.belief.free_log_odds > -math.log(ALPHA):
        return Outcome.NON_MONOTONE
    phase, left = phase_of(search), search.spent.left(search.settings)
    spent_all = left < 1.0
    # Half a confirmation tells nothing.
    confirmed = phase is Phase.CONFIRM and (left < 2 * search.settings.confirm or _confirmed(search))
    if confirmed or (spent_all and phase is Phase.CHECK):
        base = search.graph.base
        at_base = base is not None and block.commits == (base,)
        return Outcome.BASE if at_base or was_slow_before(search) else Outcome.FOUND
    return Outcome.BUDGET if spent_all else Outcome.RUNNING


def place_to_check(search: Search) -> int | None:
    """Place of a commit between the leading block and BAD at which to look whether it is slow there too."""
    places = search.graph.places
    visited = (side.commit for v in search.visits if v.phase is Phase.CHECK for side in v.sides)
    checked = Counter(places[sha] for sha in visited if sha in places)
    first = places[search.block.commits[0]]
    return to_check(search.graph, first, search.belief, search.measurable, checked, search.settings.checks)


def _confirmed(search: Search) -> bool:
    """Whether confirming is done, or cannot be."""
    block, need = search.block, processes_to_confirm(search)
    if not need or block.before is None or block.after is None:
        return True
    if min(map(len, confirmed_values(search.visits, block.before, block.after))) >= need:
        return True
    pair = {block.before, block.after}
    own = [v for v in search.visits if v.phase is Phase.CONFIRM and {s.commit for s in v.sides} == pair]
    return sum(any(s.failure for s in v.sides) for v in own) >= TRIES


def _end_failed(search: Search) -> bool:
    for end in (search.graph.good, search.graph.bad):
        sides = [side for v in search.visits for side in v.sides if side.commit == end]
        failures = [side.failure for side in sides if side.failure]
        if failures and len(failures) == len(sides) and any(f.kind is FailureKind.BUILD for f in failures):
            return True
        if len(sides) >= END_TRIES and all(side.failure for side in sides[-END_TRIES:]):
            return True
    return False
