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
