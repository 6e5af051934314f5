"""Small measurements for tests of the use cases."""

from __future__ import annotations

from dataclasses import replace

from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.model import Case, Measurement
from tests.core.builders import HERE, measured


def environment(cpu: str) -> EnvironmentFingerprint:
    return replace(HERE, cpu_model=cpu)


def measurement(name: str = "x", **fields: object) -> Measurement:
    return measured(1.0, 1.01, 0.99, case=Case(name), value=1.0, **fields)
