"""The models of the pages about what became of the project: its changes, and what stopped reporting."""

from __future__ import annotations

from dataclasses import dataclass

from perftrack.publish.pages import CommitRef, CreepLine, Frame


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """All events, and in its address one of them; what they are is in a data file."""

    frame: Frame
    events: int
    creeps: tuple[CreepLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Quiet:
    """Something that stopped reporting. `last`: a commit, of a case; `last_at`: unix seconds, of what has runs."""

    kind: str
    name: str
    device: str
    last_at: float | None
    last: CommitRef | None
    missing: int


@dataclass(frozen=True, slots=True)
class Reporting:
    """A machine or device that made runs, with how many, and when the last one began."""

    kind: str
    name: str
    runs: int
    last_at: float


@dataclass(frozen=True, slots=True)
class StatusPage:
    frame: Frame
    silences: tuple[Quiet, ...]
    reporters: tuple[Reporting, ...]
    facts: tuple[tuple[str, str], ...]
    silence_days: float
