"""What `measure` and `compare` return. Neither can be collapsed into a bare number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from perftrack.core.model import MeasurementTier, ProcessSamples, Protocol, Reason
from perftrack.errors import InvalidValueError


@dataclass(frozen=True, slots=True)
class TimingResult:
    """A timing with its interval and its tier; milliseconds, as the `_ms` names say.

    samples_ms: every sample, windows one after the other; `process` keeps the windows apart.
    ci95_lo_ms, ci95_hi_ms: 95 % interval for the median that the next window in this process will read,
    from the variance between windows. It does not cover a fresh process: `perftrack record` measures
    that, and `limitations` says it here. within_window_lo_ms, _hi_ms: the bootstrap interval of the
    pooled samples' median, for comparison with tools that report it; it covers far less than 95 %.
    What has a default is None or empty only in a result that was put together by hand.

    Has no __float__, __int__ or __index__ on purpose. Raises InvalidValueError (a ValueError) for fewer than two
    samples.
    """

    samples_ms: Sequence[float] = field(repr=False)
    median_ms: float
    p10_ms: float
    p90_ms: float
    ci95_lo_ms: float
    ci95_hi_ms: float
    n: int
    tier: MeasurementTier
    warmup: int
    inner_reps: int = 1
    throttle_fired: bool = False
    clock_cv_pct: float | None = None
    clock_range_mhz: float | None = None
    within_window_lo_ms: float | None = None
    within_window_hi_ms: float | None = None
    protocol: Protocol | None = None
    process: ProcessSamples | None = field(default=None, repr=False)
    reasons: tuple[Reason, ...] = ()
    limitations: tuple[Reason, ...] = ()

    def __post_init__(self) -> None:
        if len(self.samples_ms) < 2:
            raise InvalidValueError(f"a timing result needs at least 2 samples, got {len(self.samples_ms)}")
        object.__setattr__(self, "samples_ms", tuple(self.samples_ms))

    @property
    def is_performance_valid(self) -> bool:
        """False: tier C, no verdict may rest on this. True: no such evidence was seen."""
        return self.tier is not MeasurementTier.C


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """A candidate against a baseline that was timed beside it, in alternation; never a stored baseline.

    speedup = baseline / candidate, above 1 the candidate is faster; its 95 % interval is from the paired
    log-ratios of the rounds. slot_effect: how much slower, as a log-ratio, the side that ran second in a
    round was; it cancels from the speedup because each side is second equally often. seed: of the rounds' orders.
    limitations: of the comparison; each side has its own.
    """

    candidate: TimingResult
    baseline: TimingResult
    speedup: float
    speedup_ci_lo: float
    speedup_ci_hi: float
    rounds: int = 0
    seed: int | None = None
    slot_effect: float | None = None
    limitations: tuple[Reason, ...] = ()

    @property
    def tier(self) -> MeasurementTier:
        """The worse of the two sides'."""
        return max(self.candidate.tier, self.baseline.tier, key=lambda t: t.rank)

    @property
    def is_performance_valid(self) -> bool:
        """False: a side is tier C. True: no such evidence was seen."""
        return self.tier is not MeasurementTier.C

    @property
    def effect(self) -> float:
        """d = ln(candidate / baseline): positive is slower."""
        return -math.log(self.speedup)
