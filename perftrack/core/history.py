"""Measurements over commits: series, points and lanes, as the log and the site show them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.model import (
    Case,
    Direction,
    Interval,
    Measurement,
    MeasurementTier,
    Protocol,
    Reason,
    Status,
)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A stored run without its measurements."""

    id: str
    sha: str
    started_at: float
    duration_s: float
    dirty: bool
    host: str
    label: str
    perftrack_version: str
    limitations: tuple[Reason, ...]
    ok: int
    failed: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement in a series, without its samples."""

    run_id: str
    sha: str
    started_at: float
    dirty: bool
    status: Status
    value: float | None
    interval: Interval | None
    tier: MeasurementTier
    reasons: tuple[Reason, ...]
    limitations: tuple[Reason, ...]
    lane: str
    within_variance: float | None = None  # of ln(value), from the run's own processes
    processes: int = 0
    code_hash: str = ""  # of the benchmark's own code and settings

    @property
    def line(self) -> Line:
        """What a trend may join it with, and history of noise be learnt from: the lane, by the same benchmark."""
        return (self.lane, self.code_hash)


Line = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Series:
    """All points of one metric of one case, over every lane, oldest run first."""

    case: Case
    metric: str
    unit: str
    direction: Direction
    tags: tuple[str, ...]
    source: str
    points: tuple[Point, ...]
    threshold: float | None = None

    @property
    def lanes(self) -> tuple[str, ...]:
        """Lane ids in order of first appearance."""
        return tuple(dict.fromkeys(p.lane for p in self.points if p.lane))

    @property
    def lines(self) -> tuple[Line, ...]:
        """Lanes, each anew where the benchmark's own code or settings changed; in order of first appearance."""
        return tuple(dict.fromkeys(p.line for p in self.points if p.lane))


@dataclass(frozen=True, slots=True)
class Lane:
    """What joins points: one environment key and one protocol."""

    id: str
    fingerprint: EnvironmentFingerprint
    protocol: Protocol


def lane_id(fingerprint: EnvironmentFingerprint | None, protocol: Protocol) -> str:
    """12 hex digits of the environment key and the protocol; empty where there is no environment."""
    if fingerprint is None:
        return ""
    return hashlib.sha256(f"{fingerprint.key_id}/{protocol.key}".encode()).hexdigest()[:12]


def lane_of(measurement: Measurement) -> str:
    return lane_id(measurement.fingerprint, measurement.protocol)


def line_of(measurement: Measurement) -> Line:
    """See Point.line."""
    return (lane_of(measurement), measurement.code_hash)


def reading_order(case: Case, metric: str, unit: str) -> tuple[object, ...]:
    """Sort key of series: numbers by size and not by digits; a case's time before its other metrics."""
    params = tuple(
        (name, 0, value, "") if isinstance(value, int | float) else (name, 1, 0, str(value))
        for name, value in sorted(case.params)
    )
    return (case.benchmark, params, metric != "time", metric, unit)
