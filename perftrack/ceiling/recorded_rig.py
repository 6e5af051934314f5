"""A rig over a recorded grid: a search can be replayed against what a real device did, as often as wanted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from perftrack.ceiling.grid import Grid, Recorded
from perftrack.ceiling.protocols import Burst, KernelTuner, RigFacts, ShapeRefusedError, SiblingWatch
from perftrack.core.ceiling import Shape

T = TypeVar("T")

REST_S = 0.04  # idling for so long, the clock is back at boost


@dataclass(slots=True)
class RecordedRig:
    """Iterations after an idle pause come from the boost burst in its order, as long as that lasts; all others are
    drawn from the hot one. `burst_noise`: standard deviation of what a burst's logarithms share, as fresh
    measurements of the same shape would differ.
    """

    grid: Grid
    seed: int = 0
    burst_noise: float = 0.001
    siblings: SiblingWatch | None = None
    tuner: KernelTuner | None = None
    facts: RigFacts = field(init=False)
    _entries: dict[Shape, Recorded] = field(init=False)
    _rng: np.random.Generator = field(init=False)
    _now: float = 0.0
    _rested: bool = True

    def __post_init__(self) -> None:
        self.facts = replace(self.grid.facts, memory_bytes=None)
        self._entries = {e.shape: e for e in self.grid.entries}
        self._rng = np.random.default_rng(self.seed)

    def now(self) -> float:
        return self._now

    def idle(self, seconds: float) -> None:
        self._now += seconds
        self._rested = self._rested or seconds >= REST_S

    def burst(self, shape: Shape, iterations: int, *, warmup: int = 0, idle_s: float = 0.0) -> Burst:
        entry = self._entries.get(shape)
        if entry is None:
            raise ShapeRefusedError(f"{shape} was not recorded")
        self.idle(idle_s)
        fresh = min(iterations, len(entry.boost.seconds)) if self._rested and not warmup else 0
        drawn = self._rng.integers(len(entry.held.seconds), size=iterations - fresh).tolist()
        started = self._now + warmup * entry.period_s
        self._now = started + iterations * entry.period_s
        self._rested = False
        factor = float(np.exp(self.burst_noise * self._rng.standard_normal()))
        return Burst(
            shape=shape,
            seconds=tuple(s * factor for s in _taken(entry.boost.seconds, entry.held.seconds, fresh, drawn)),
            clock_mhz=_taken(entry.boost.clock_mhz, entry.held.clock_mhz, fresh, drawn),
            power_w=_taken(entry.boost.power_w, entry.held.power_w, fresh, drawn),
            started_at=started,
            ended_at=self._now,
        )


def _taken(boost: tuple[T, ...], held: tuple[T, ...], fresh: int, drawn: list[int]) -> tuple[T, ...]:
    """The first `fresh` of the boost burst, then the hot one's at `drawn`; empty where either was not read."""
    if (fresh and not boost) or (drawn and not held):
        return ()
    return boost[:fresh] + tuple(held[i] for i in drawn)
