"""The models of the pages about the device: what profiles saw of it, and the most that it was measured to do."""

from __future__ import annotations

from dataclasses import dataclass

from perftrack.publish.pages import CommitRef, Frame, LaneRef


@dataclass(frozen=True, slots=True)
class KernelsPage:
    """`cases`: how many have a profile; what they show is in data files."""

    frame: Frame
    cases: int


@dataclass(frozen=True, slots=True)
class CeilingRow:
    """`in_force`: results of the environment are held against it. `trend`: where its history is shown."""

    name: str
    definition: str
    sentence: str
    dtype: str
    value: str
    tier: str
    notes: tuple[str, ...]
    in_force: bool
    measured_at: float
    commit: CommitRef
    trend: str


@dataclass(frozen=True, slots=True)
class CeilingEnvironment:
    lane: LaneRef
    rows: tuple[CeilingRow, ...]


@dataclass(frozen=True, slots=True)
class CeilingsPage:
    frame: Frame
    environments: tuple[CeilingEnvironment, ...]

    @property
    def definitions(self) -> tuple[tuple[str, str], ...]:
        """Name and sentence of each definition that is shown."""
        shown = {row.definition: row.sentence for e in self.environments for row in e.rows}
        return tuple(sorted(shown.items()))
