"""The maximum achievable rate: what bursts at boost clock say of a shape, and which shape wins.

The headline is the median of a shape's five fastest iterations, of those whose own window's clock was at least
`boost_clock_ratio` times the highest clock seen. One fast iteration may be a glitch of the timer; five are not,
and the median of them does not grow with the number of iterations as the peak does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from perftrack.ceiling.protocols import Burst
from perftrack.ceiling.readings import any_reason, iterations, middle
from perftrack.core.ceiling import Shape

FASTEST = 5


@dataclass(frozen=True, slots=True)
class Achieved:
    """`value`: flop/s by the definition; `peak`: of the fastest iteration that counts.

    `boost`: at least five iterations ran at the boost clock, and `value` is from those; otherwise it is from
    all iterations and not shown to be a boost burst. Clock and power: medians of the iterations behind `value`.
    """

    shape: Shape
    value: float
    peak: float
    boost: bool
    clock_mhz: float | None = None
    power_w: float | None = None
    temperature_c: float | None = None
    event_reasons: int | None = None


def achieved(
    bursts: Sequence[Burst], top_clock_mhz: float | None, ratio: float, *, need: int = FASTEST
) -> Achieved:
    """One shape's bursts together. `top_clock_mhz`: the highest clock seen in the run, None if none was read.

    need: iterations at boost clock that make it a boost burst; fewer than five only to rank shapes by, since
    one burst of a long product may have but one before the clock drops.
    """
    shape = bursts[0].shape
    everything = [i for b in bursts for i in iterations(b)]
    fast = [
        i
        for i in everything
        if top_clock_mhz is not None and i.clock_mhz is not None and i.clock_mhz >= ratio * top_clock_mhz
    ]
    boost = len(fast) >= need
    five = sorted(fast if boost else everything, key=lambda i: i.rate, reverse=True)[:FASTEST]
    return Achieved(
        shape=shape,
        value=median(i.rate for i in five),
        peak=five[0].rate,
        boost=boost,
        clock_mhz=middle(i.clock_mhz for i in five),
        power_w=middle(i.power_w for i in five),
        temperature_c=middle(b.temperature_c for b in bursts),
        event_reasons=any_reason(b.event_reasons for b in bursts),
    )


def ranked(results: Iterable[Achieved]) -> tuple[Achieved, ...]:
    """Best first; any that is shown to be a boost burst before all that are not."""
    return tuple(sorted(results, key=lambda a: (a.boost, a.value), reverse=True))
