"""The models of runs: their results, how far each can be trusted, and the samples behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from perftrack.publish.pages import CommitRef, EnvironmentSection, Frame, LaneRef
from perftrack.publish.trend import Notes


@dataclass(frozen=True, slots=True)
class Distribution:
    """Samples of one measurement, thinned: offset + step × integer.

    `samples` has, per process, the sorted samples as differences between neighbours, at most 25 of them with
    both extremes kept. `windows` has the window medians per process in the order they were taken, in tenths of
    a step.
    """

    offset: float
    step: float
    samples: tuple[tuple[int, ...], ...]
    windows: tuple[tuple[int, ...], ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One measurement of a run. `note` is a position in the page's notes, `lane` in the run index.

    `share`: of the ceiling `share_of`, None where none is known.

    `page` (a position in the page's links, -1 for none) with `key` leads to its series.
    """

    case: str
    metric: str
    unit: str
    status: str
    value: float | None
    lo: float | None
    hi: float | None
    tier: str
    lane: int
    share: float | None
    share_of: str
    protocol: str
    note: int
    output: str
    page: int
    key: str
    samples: Distribution | None


@dataclass(frozen=True, slots=True)
class TierCause:
    tier: str
    reason: str
    cases: int
    example: str


@dataclass(frozen=True, slots=True)
class RunRef:
    """Another run of the same commit."""

    path: str
    started_at: float
    host: str
    label: str


@dataclass(frozen=True, slots=True)
class RunPage:
    frame: Frame
    commit: CommitRef
    author: str
    author_time: int
    run_id: str
    started_at: float
    duration: str
    host: str
    label: str
    version: str
    dirty: bool
    settings: tuple[tuple[str, str], ...]
    limitations: tuple[str, ...]
    counts: Mapping[str, int]
    tiers: Mapping[str, int]
    causes: tuple[TierCause, ...]
    notes: tuple[Notes, ...]
    links: tuple[str, ...]
    rows: tuple[ResultRow, ...]
    environments: tuple[EnvironmentSection, ...]
    older: CommitRef | None
    newer: CommitRef | None
    siblings: tuple[RunRef, ...]


@dataclass(frozen=True, slots=True)
class RunLine:
    path: str
    commit: CommitRef
    author: str
    author_time: int
    started_at: float
    host: str
    label: str
    dirty: bool
    ok: int
    failed: int
    skipped: int
    lanes: tuple[LaneRef, ...]


@dataclass(frozen=True, slots=True)
class RunsPage:
    frame: Frame
    lines: tuple[RunLine, ...]
