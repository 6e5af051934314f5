"""The values that every layer passes around. Standard library only: worker processes import this.

Base units: s, byte, Hz, W, J, flop. Anything else carries a suffix in its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from perftrack.core.fingerprint import EnvironmentFingerprint

Scalar = str | int | float | bool | None
Params = tuple[tuple[str, Scalar], ...]


class Direction(StrEnum):
    """Which way is better."""

    LOWER = "lower"
    HIGHER = "higher"


class Status(StrEnum):
    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"


class Timer(StrEnum):
    """What read the time. Part of the protocol: timers are never compared with one another."""

    HOST = "host"
    EVENT = "event"
    GRAPH = "graph"
    REPLAY = "replay"
    VALUE = "value"  # a custom metric: the benchmark returned the number itself
    EXACT = "exact"  # the same, declared to be a count or a size that does not vary

    @property
    def is_clock(self) -> bool:
        """Whether time was read at all."""
        return self not in (Timer.VALUE, Timer.EXACT)


class Cache(StrEnum):
    """State of the last-level cache before each timed call."""

    HOT = "hot"
    COLD = "cold"
    NONE = "none"  # does not apply: commands and custom metrics


class MeasurementTier(StrEnum):
    """How far a result can be trusted.

    A: clocks locked and verified. B: clocks floating, their variance is in the interval.
    C: no performance verdict is valid.
    """

    A = "A"
    B = "B"
    C = "C"

    @property
    def rank(self) -> int:
        """0 for A, 2 for C: a larger rank is worse."""
        return "ABC".index(self.value)


@dataclass(frozen=True, slots=True)
class Reason:
    """A code that programs test and a sentence that people read."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval, in the unit of what it belongs to."""

    lo: float
    hi: float

    def contains(self, value: float) -> bool:
        return self.lo <= value <= self.hi


@dataclass(frozen=True, slots=True)
class Protocol:
    """How the time was taken. Two measurements whose protocols differ are in different lanes."""

    timer: Timer
    cache: Cache
    version: int = 1

    @property
    def key(self) -> str:
        return f"v{self.version}/{self.timer.value}/{self.cache.value}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Telemetry that brackets one window. None means that nothing was read, never zero."""

    clock_mhz: tuple[float, ...] = ()
    event_reasons: int | None = None  # OR of NVML clocks-event-reason bits seen
    throttle_s: float | None = None  # growth of the thermal and hardware violation counters
    power_w: float | None = None
    energy_j: float | None = None
    temperature_c: float | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive samples without pause. `samples`: (n,) seconds, each the mean of `inner_reps` calls."""

    samples: tuple[float, ...]
    evidence: Evidence = Evidence()
    host_s: float | None = None  # host time per call while queueing, for the launch-bound check


@dataclass(frozen=True, slots=True)
class ProcessSamples:
    """What one fresh worker process measured of one metric of one case."""

    index: int
    windows: tuple[Window, ...]
    inner_reps: int = 1
    warmup_calls: int = 0
    warmup_s: float = 0.0
    resolution_s: float = 0.0  # smallest step of the timer, per sample
    notes: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit as history shows it. Times are unix seconds."""

    sha: str
    parents: tuple[str, ...]
    author: str
    author_time: int
    commit_time: int
    subject: str


@dataclass(frozen=True, slots=True)
class Case:
    """One parameter combination of a benchmark."""

    benchmark: str
    params: Params = ()

    @property
    def id(self) -> str:
        """`name` or `name[key=value,…]`, sorted so that the order of parameters is no identity."""
        if not self.params:
            return self.benchmark
        inner = ",".join(f"{k}={format_scalar(v)}" for k, v in sorted(self.params))
        return f"{self.benchmark}[{inner}]"


def format_scalar(value: Scalar) -> str:
    """How a parameter reads in a case's id: floats shortest round-trip, strings as they are."""
    if isinstance(value, float):
        return repr(value)
    return str(value)


@dataclass(frozen=True, slots=True)
class Measurement:
    """All samples of one metric of one case in one run, with what may be concluded from them.

    `value`, `interval` and the samples are in `unit` (seconds for `time`). A failed or skipped
    case has no value; `output` then holds the end of what it printed, or why it was skipped.
    `interval` is the 95 % interval for what a fresh process will read next (see
    core.estimate); None where nothing could be estimated.
    """

    case: Case
    metric: str
    unit: str
    direction: Direction
    status: Status
    protocol: Protocol
    tier: MeasurementTier
    fingerprint: EnvironmentFingerprint | None
    value: float | None = None
    interval: Interval | None = None
    reasons: tuple[Reason, ...] = ()
    limitations: tuple[Reason, ...] = ()
    processes: tuple[ProcessSamples, ...] = ()
    threshold: float | None = None
    flops: float | None = None
    bytes_moved: float | None = None
    tags: tuple[str, ...] = ()
    source: str = ""  # file:line of the benchmark
    code_hash: str = ""  # of the benchmark's own source and settings
    output: str = ""

    @property
    def process_values(self) -> tuple[float, ...]:
        """(p,) one number per process: the median of its window medians."""
        from perftrack.core.stats import process_value

        return tuple(process_value(p) for p in self.processes)


@dataclass(frozen=True, slots=True)
class Run:
    """One `record` of one commit in one environment. `id` is the hash of everything else in it."""

    sha: str
    started_at: float  # unix seconds
    duration_s: float
    seed: int
    dirty: bool
    measurements: tuple[Measurement, ...]
    limitations: tuple[Reason, ...] = ()
    perftrack_version: str = ""
    host: str = ""
    label: str = ""
    settings: Mapping[str, Scalar] = field(default_factory=dict)

    @property
    def id(self) -> str:
        from perftrack.core.identity import run_id

        return run_id(self)
