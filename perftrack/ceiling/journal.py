"""Everything a search has seen so far: enough, at any moment, to say what is best. Nothing is ever removed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from perftrack.ceiling.achievable import FASTEST, Achieved, achieved
from perftrack.ceiling.protocols import Burst, IdleSibling, Phase, RigFacts
from perftrack.ceiling.readings import Reading, highest_clock
from perftrack.ceiling.sustained import Gates, Repeated, SteadyWindow, gates, repeated
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import Shape, Skipped


@dataclass(frozen=True, slots=True)
class Locked:
    """A winner measured once more, by itself. `flaw`: the gate that it did not pass this time."""

    result: Repeated
    flaw: str | None


@dataclass(slots=True)
class Journal:
    """Filled by the search as it goes. Every entry is complete when it is added, so that an interrupt is safe.

    scouts: one burst per shape. screens, boosts: bursts after idling, of the screen and of the confirmation.
    replicates: the winner's bursts at boost, one group per independent repeat. repeats: saturated readings
    per shape. soak: the last bursts of heating the device. locked: winners' final repeats. cut: parts that
    time ran out for. automatic: the shapes were the search's own choice.
    """

    scouts: dict[Shape, tuple[Burst, Reading]] = field(default_factory=dict)
    screens: dict[Shape, list[Burst]] = field(default_factory=dict)
    boosts: dict[Shape, list[Burst]] = field(default_factory=dict)
    replicates: list[tuple[Burst, ...]] = field(default_factory=list)
    repeats: dict[Shape, list[Reading]] = field(default_factory=dict)
    soak: tuple[Reading, ...] = ()
    locked: list[Locked] = field(default_factory=list)
    steady: list[SteadyWindow] = field(default_factory=list)
    skipped: dict[Shape, Skipped] = field(default_factory=dict)
    cut: list[Phase] = field(default_factory=list)
    siblings: tuple[IdleSibling, ...] = ()
    tuned: int = 0
    bursts: int = 0
    measured: set[Shape] = field(default_factory=set)
    top_clock_mhz: float | None = None
    automatic: bool = False
    warmed: bool = True
    soaked: bool = True

    def saw(self, burst: Burst) -> None:
        """Count a burst, and keep the highest clock of the run."""
        self.bursts += 1
        self.measured.add(burst.shape)
        clock = highest_clock([burst])
        if clock is not None:
            self.top_clock_mhz = max(self.top_clock_mhz or clock, clock)

    def readings(self) -> dict[Shape, Reading]:
        return {shape: reading for shape, (_, reading) in self.scouts.items()}

    def confirmed(self, tuning: Tuning) -> list[Repeated]:
        """Shapes with at least one saturated repeat, each by its latest `confirm_reps`.

        Shapes that were measured again are compared by what they read then, side by side, and not by
        earlier repeats on a device that may have been cooler.
        """
        return [repeated(readings[-tuning.confirm_reps :]) for readings in self.repeats.values() if readings]

    def gates(self, tuning: Tuning, facts: RigFacts) -> Gates:
        return gates(self.confirmed(tuning), tuning, facts, repeated(self.soak) if self.soak else None)

    def achieved(self, bursts: dict[Shape, list[Burst]], tuning: Tuning, *, need: int = FASTEST) -> list[Achieved]:
        """Each shape's rate at boost clock, judged by the highest clock seen until now."""
        top, ratio = self.top_clock_mhz, tuning.boost_clock_ratio
        return [achieved(b, top, ratio, need=need) for b in bursts.values() if b]

    def replicated(self, tuning: Tuning) -> list[Achieved]:
        """The winner's independent repeats."""
        return [achieved(group, self.top_clock_mhz, tuning.boost_clock_ratio) for group in self.replicates]

    def steady_of(self, shape: Shape) -> list[SteadyWindow]:
        return [w for w in self.steady if w.shape == shape]


def unseen(shapes: Iterable[Shape], journal: Journal) -> Iterator[Shape]:
    """Those that were neither scouted nor refused."""
    return (s for s in shapes if s not in journal.scouts and s not in journal.skipped)


def final(locked: Sequence[Locked]) -> Locked | None:
    """The first that passed every gate, else the fastest; None where there is none."""
    passed = [entry for entry in locked if entry.flaw is None]
    return passed[0] if passed else max(locked, key=lambda e: e.result.value, default=None)
