"""Bursts and searches as tests want them."""

from __future__ import annotations

from perftrack.ceiling.protocols import Burst, Phase, SilentProgress
from perftrack.ceiling.readings import Reading
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import Shape
from perftrack.core.model import Reason

SQUARE = Shape(4096, 4096, 4096)

# A whole search in well under a second of real time: few shapes, short bursts.
QUICK = Tuning(
    warmup_min_s=0.1,
    warmup_max_s=0.5,
    max_waves=2,
    wave_pairs=4,
    probe_pairs=0,
    promote_top=2,
    refine_rounds=1,
    refine_seeds=1,
    scout_s=0.01,
    scout_warmup_s=0.03,
    confirm_top=3,
    boost_screen_max=8,
    boost_confirm_top=3,
    soak_s=2.0,
    sustain_s=0.02,
    sustain_warmup_s=0.1,
    steady_s=0.2,
)


def burst(
    rates: list[float] | tuple[float, ...],
    *,
    shape: Shape = SQUARE,
    clock: float | list[float | None] | None = 1980.0,
    power: float | None = 700.0,
    heat: float | None = None,
    reasons: int | None = None,
    lasting: float | None = None,
) -> Burst:
    """A burst whose iterations ran at these flop/s. `lasting`: from the first to the last, gaps included."""
    seconds = tuple(shape.flops / rate for rate in rates)
    clocks: tuple[float | None, ...] = ()
    if clock is not None:
        clocks = tuple(clock) if isinstance(clock, list) else (clock,) * len(seconds)
    return Burst(
        shape=shape,
        seconds=seconds,
        clock_mhz=clocks,
        power_w=() if power is None else (power,) * len(seconds),
        temperature_c=heat,
        event_reasons=reasons,
        ended_at=sum(seconds) if lasting is None else lasting,
    )


def reading(
    shape: Shape,
    rate: float,
    *,
    peak: float | None = None,
    clock: float | None = 1600.0,
    power: float | None = 700.0,
) -> Reading:
    return Reading(shape, rate, rate if peak is None else peak, clock, power, None)


class Listener(SilentProgress):
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.phases: list[Phase] = []
        self.skips: list[tuple[Shape, str]] = []
        self.notes: list[Reason] = []
        self.seen: list[tuple[Phase, Shape]] = []

    def phase(self, phase: Phase, total: int | None) -> None:
        self.phases.append(phase)

    def measured(self, phase: Phase, burst: Burst, flops_per_s: float) -> None:
        self.seen.append((phase, burst.shape))

    def skipped(self, shape: Shape, why: str) -> None:
        self.skips.append((shape, why))

    def note(self, reason: Reason) -> None:
        self.notes.append(reason)
