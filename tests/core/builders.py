"""Smallest values of the model that a test needs, each with one thing that it is about."""

from __future__ import annotations

from collections.abc import Sequence

from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.model import (
    Cache,
    Case,
    Direction,
    Measurement,
    MeasurementTier,
    ProcessSamples,
    Protocol,
    Reason,
    Status,
    Timer,
    Window,
)

HERE = EnvironmentFingerprint(device_kind="cpu", cpu_model="Test 9000", python_version="3.11.9")
HOST = Protocol(Timer.HOST, Cache.HOT)
VALUE = Protocol(Timer.VALUE, Cache.NONE)


def process(*windows: Sequence[float], index: int = 0, **fields: object) -> ProcessSamples:
    """A process with one window per sequence of samples."""
    return ProcessSamples(index, tuple(Window(tuple(w)) for w in windows), **fields)  # type: ignore[arg-type]


def processes(*values: float) -> tuple[ProcessSamples, ...]:
    """One process per value, each of one window with that one sample."""
    return tuple(process([v], index=i) for i, v in enumerate(values))


def measured(*values: float, **fields: object) -> Measurement:
    """A good measurement whose process values are `values`; any field can be replaced."""
    given: dict[str, object] = {
        "case": Case("work", (("n", 8),)),
        "metric": "time",
        "unit": "s",
        "direction": Direction.LOWER,
        "status": Status.OK,
        "protocol": HOST,
        "tier": MeasurementTier.B,
        "fingerprint": HERE,
        "processes": processes(*values),
    }
    return Measurement(**(given | fields))  # type: ignore[arg-type]


def failed(message: str = "exit status 1") -> Measurement:
    reasons = (Reason("benchmark-failed", message),)
    return measured(status=Status.FAILED, tier=MeasurementTier.C, reasons=reasons)
