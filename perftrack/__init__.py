"""perftrack tracks the performance of a Git project's benchmarks, GPU kernels first.

A benchmark file needs `benchmark`, `metric` and `skip`; a notebook needs `measure` and `compare`.
Nothing heavy is imported until it is used.
"""

from __future__ import annotations

from perftrack._version import __version__

TYPE_CHECKING = False  # as in typing, whose import would take longer than all of this
if TYPE_CHECKING:
    from perftrack.core.fingerprint import EnvironmentFingerprint
    from perftrack.core.model import MeasurementTier
    from perftrack.core.stats import bootstrap_ci, cv_percent, percentile, ratio_ci
    from perftrack.core.tiers import assign_tier
    from perftrack.errors import ClockLockError, PerftrackError
    from perftrack.suite.declaration import benchmark, metric, skip
    from perftrack.timing.clocks import LockedClockPolicy, UnlockedClockPolicy
    from perftrack.timing.compare import compare
    from perftrack.timing.environment import arch_family, capture_fingerprint
    from perftrack.timing.measure import measure
    from perftrack.timing.results import ComparisonResult, TimingResult
    from perftrack.timing.sampler import ClockSampler

_WHERE = {
    "EnvironmentFingerprint": "perftrack.core.fingerprint",
    "MeasurementTier": "perftrack.core.model",
    "bootstrap_ci": "perftrack.core.stats",
    "cv_percent": "perftrack.core.stats",
    "percentile": "perftrack.core.stats",
    "ratio_ci": "perftrack.core.stats",
    "assign_tier": "perftrack.core.tiers",
    "ClockLockError": "perftrack.errors",
    "PerftrackError": "perftrack.errors",
    "benchmark": "perftrack.suite.declaration",
    "metric": "perftrack.suite.declaration",
    "skip": "perftrack.suite.declaration",
    "LockedClockPolicy": "perftrack.timing.clocks",
    "UnlockedClockPolicy": "perftrack.timing.clocks",
    "compare": "perftrack.timing.compare",
    "arch_family": "perftrack.timing.environment",
    "capture_fingerprint": "perftrack.timing.environment",
    "measure": "perftrack.timing.measure",
    "ComparisonResult": "perftrack.timing.results",
    "TimingResult": "perftrack.timing.results",
    "ClockSampler": "perftrack.timing.sampler",
}

__all__ = [
    "ClockLockError",
    "ClockSampler",
    "ComparisonResult",
    "EnvironmentFingerprint",
    "LockedClockPolicy",
    "MeasurementTier",
    "PerftrackError",
    "TimingResult",
    "UnlockedClockPolicy",
    "__version__",
    "arch_family",
    "assign_tier",
    "benchmark",
    "bootstrap_ci",
    "capture_fingerprint",
    "compare",
    "cv_percent",
    "measure",
    "metric",
    "percentile",
    "ratio_ci",
    "skip",
]


def __getattr__(name: str) -> object:
    where = _WHERE.get(name)
    if where is None:
        raise AttributeError(f"module 'perftrack' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(where), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
