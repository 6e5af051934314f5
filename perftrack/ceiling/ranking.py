"""From scouts to shortlists: which shapes to look around, to screen, and to confirm. Pure; best first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TypeVar

from perftrack.ceiling.geometry import Layouts, Pair
from perftrack.ceiling.readings import Reading, known
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import Shape

T = TypeVar("T")
Scouts = Mapping[Shape, Reading]


def by_sustained(scouts: Scouts, tuning: Tuning) -> tuple[Shape, ...]:
    """By rate, discounted for shapes that drew less power than saturated ones do: those were boosting."""
    full = max(known([r.power_w for r in scouts.values()]), default=None)

    def score(reading: Reading) -> float:
        if full is None or reading.power_w is None:
            return reading.rate
        return reading.rate * min(1.0, reading.power_w / (tuning.saturated_power_ratio * full))

    return _ordered(scouts, score)


def by_peak(scouts: Scouts) -> tuple[Shape, ...]:
    """By the fastest iteration."""
    return _ordered(scouts, lambda r: r.peak)


def by_clock(scouts: Scouts) -> tuple[Shape, ...]:
    """By work per clock cycle: what a shape held back by the power limit would do at boost clock.

    By the fastest iteration where clocks were not read.
    """
    if any(r.clock_mhz is None for r in scouts.values()):
        return by_peak(scouts)
    return _ordered(scouts, lambda r: r.rate / (r.clock_mhz or 1.0))


def by_boost(scouts: Scouts) -> tuple[Shape, ...]:
    """Leaders by peak and by work per cycle in turn: neither foretells a burst after idling for sure."""
    return merged(by_clock(scouts), by_peak(scouts))


def boost_pairs(scouts: Scouts, tuning: Tuning) -> tuple[Pair, ...]:
    """The outputs that lead at boost clock, `promote_top` of them.

    A longer K always looks better there, so outputs are compared at equal K; three in four places are for the
    K that most outputs were seen at.
    """
    seen = Counter(s.k for s in scouts)
    per_k = [_pairs(by_boost({s: r for s, r in scouts.items() if s.k == k})) for k, _ in seen.most_common()]
    most = per_k[0][: math.ceil(0.75 * tuning.promote_top)] if per_k else ()
    return tuple(dict.fromkeys((*most, *merged(*per_k))))[: tuning.promote_top]


def sustained_pairs(scouts: Scouts, tuning: Tuning) -> tuple[Pair, ...]:
    """The outputs that lead saturated, `promote_top` of them: by discounted and by plain rate in turn.

    One that is fast but not saturated at this K may be both at a longer one.
    """
    plain = _ordered(scouts, lambda r: r.rate)
    return merged(_pairs(by_sustained(scouts, tuning)), _pairs(plain))[: tuning.promote_top]


def seeds(scouts: Scouts, wave_pairs: Collection[Pair], tuning: Tuning) -> tuple[Shape, ...]:
    """Shapes to look around: leaders of either regime, half of them among outputs that fill waves."""
    count = tuning.refine_seeds
    orders = by_sustained(scouts, tuning), by_boost(scouts)
    return merged(*(_reserved(order, wave_pairs, count, count // 2) for order in orders))


def boost_pool(
    scouts: Scouts, layouts: Sequence[Layouts], tuning: Tuning, *, long: Sequence[Shape] = ()
) -> tuple[Shape, ...]:
    """Shapes to screen at boost clock: the raw leaders, `long`, then for every wave layout its best few K.

    A scout on a hot, saturated device foretells a burst after idling badly, so no layout is left out before
    it was seen in that regime; those with the best scouts come first, up to `boost_screen_max`. long: those that
    no scout speaks for, see candidates.long_shapes.
    """
    order = by_boost(scouts)
    raw = order[: tuning.boost_raw]
    pairs = {p for layout in layouts for p in layout.pairs}
    per_pair: dict[Pair, list[Shape]] = {}
    for shape in order:
        pair = shape.m, shape.n
        if pair in pairs and len(per_pair.setdefault(pair, [])) < tuning.boost_wave_k:
            per_pair[pair].append(shape)
    first_k_first = [s for row in zip_longest(*per_pair.values()) for s in row if s is not None]
    return tuple(dict.fromkeys((*raw, *long, *first_k_first)))[: tuning.boost_screen_max]


def sustained_shortlist(scouts: Scouts, layouts: Sequence[Layouts], tuning: Tuning) -> tuple[Shape, ...]:
    """Shapes to confirm saturated: low-wave squares and the fattest shapes always, then leaders.

    The squares of few waves win on many cards but read low in a short scout; a shape that is large in every
    dimension surely saturates, and so pins the saturated clock that others are judged by. Neither is ever
    dropped: leaders get `confirm_top` places beside them, half of those for outputs that fill waves.
    """
    forced = dict.fromkeys((*_low_wave_squares(scouts, layouts, tuning), *_fattest(scouts, tuning)))
    waves = {p for layout in layouts for p in layout.pairs}
    order = [s for s in by_sustained(scouts, tuning) if s not in forced]
    return (*forced, *_reserved(order, waves, tuning.confirm_top, tuning.confirm_top // 2))


def merged(*orders: Sequence[T]) -> tuple[T, ...]:
    """Round robin over best-first lists, every item once, so that each list keeps its leaders in front."""
    rows = zip_longest(*((tuple(order)) for order in orders))
    return tuple(dict.fromkeys(item for row in rows for item in row if item is not None))


def _low_wave_squares(scouts: Scouts, layouts: Sequence[Layouts], tuning: Tuning) -> Iterable[Shape]:
    for layout in layouts:
        if layout.waves > tuning.confirm_low_waves:
            continue
        square = layout.square
        for pair in dict.fromkeys((square, (square[1], square[0]))):
            mine = {s: r for s, r in scouts.items() if (s.m, s.n) == pair}
            yield from _ordered(mine, lambda r: r.rate)[:1]


def _fattest(scouts: Scouts, tuning: Tuning) -> Sequence[Shape]:
    return sorted(scouts, key=lambda s: (min(s.m, s.n, s.k), s.volume), reverse=True)[: tuning.confirm_fat]


def _reserved(order: Sequence[Shape], pairs: Collection[Pair], count: int, kept: int) -> tuple[Shape, ...]:
    """The first `count`, of which `kept` places go to the first with these outputs, wherever they stand."""
    first = [s for s in order if (s.m, s.n) in pairs][:kept]
    others = [s for s in order if s not in first]
    return tuple((*first, *others)[:count])


def _pairs(order: Iterable[Shape]) -> tuple[Pair, ...]:
    return tuple(dict.fromkeys((s.m, s.n) for s in order))


def _ordered(scouts: Scouts, score: Callable[[Reading], float]) -> tuple[Shape, ...]:
    return tuple(sorted(scouts, key=lambda s: score(scouts[s]), reverse=True))
