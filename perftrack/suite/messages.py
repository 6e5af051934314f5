"""What coordinator and worker say to one another, one JSON document a line. Standard library only.

The worker encodes with `encode`; the coordinator decodes into these types and refuses what does not fit.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from enum import StrEnum
from json import dumps  # bound now: a benchmark may patch json

from perftrack.core.checkup import Checkup
from perftrack.core.limit import KnownLimit
from perftrack.core.model import Direction, Params, ProcessSamples, Protocol, Status
from perftrack.core.plan import Plan
from perftrack.core.tiers import Exclusivity


class Kind(StrEnum):
    BENCHMARK = "benchmark"
    METRIC = "metric"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a benchmark or its file; the others still run. `where` is file:line."""

    where: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Declared:
    """A benchmark as declared, with its cases; enough to plan a run without importing it."""

    name: str
    kind: Kind
    source: str  # file:line, the file relative to the benchmark folder's parent
    cases: tuple[Params, ...] = ((),)
    unit: str = "s"
    direction: Direction = Direction.LOWER
    device: str = "auto"
    timeout_s: float | None = None
    threshold: float | None = None
    warmup: int | None = None
    cache: str | None = None
    timer: str = "auto"
    tags: tuple[str, ...] = ()
    has_baseline: bool = False
    code_hash: str = ""
    file: str = ""
    aliases: tuple[str, ...] = ()
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Catalogue:
    declared: tuple[Declared, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class RunCase:
    """Measure one case. `device` overrides the declaration where it is not empty; `cache_ratio` asks for the
    cold/hot ratio too, which takes a few more samples; a result beyond one of `limits` is refused."""

    benchmark: str
    params: Params
    plan: Plan
    process_index: int
    seed: int
    device: str = ""
    policy: str = ""
    cache_ratio: bool = False
    limits: tuple[KnownLimit, ...] = ()


class RigAction(StrEnum):
    """What a worker is asked to do with the rig that finds ceilings. OPEN comes before all but DEVICES."""

    DEVICES = "list devices"
    OPEN = "open"
    BURST = "run a burst"
    IDLE = "idle"
    STREAM = "time passes over arrays"
    WATCH = "watch siblings"
    WATCHED = "tell of siblings"
    PAUSE_TUNING = "pause tuning"
    TUNE = "tune a shape"
    CIRCUMSTANCES = "tell its circumstances"


class FailureOf(StrEnum):
    """What a failure of a rig is about; it stands in `Problem.where`."""

    SHAPE = "shape"  # this one shape does not run
    DEVICE = "device"
    REQUEST = "request"


@dataclass(frozen=True, slots=True)
class RigRequest:
    """One thing asked of a rig; what an action does not need keeps its default."""

    action: RigAction
    kind: str = ""
    index: int = 0
    dtype: str = ""
    telemetry: bool = True
    policy: str = ""
    m: int = 0
    n: int = 0
    k: int = 0
    iterations: int = 0
    warmup: int = 0
    idle_s: float = 0.0
    stream: str = ""
    elements: int = 0
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """One line to the worker: exactly one is set; none means: exit. `environment`, `checkup`: a device's kind.

    profile: set the case up, warm it up and call it once between marks that a profiler sees; nothing is timed.
    """

    discover: bool = False
    run: RunCase | None = None
    profile: RunCase | None = None
    environment: str = ""
    checkup: str = ""
    policy: str = ""
    rig: RigRequest | None = None


@dataclass(frozen=True, slots=True)
class MetricSamples:
    metric: str
    unit: str
    direction: Direction
    protocol: Protocol
    process: ProcessSamples


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What one process measured of one case, or why it did not. `message` is the failure or skip."""

    status: Status
    message: str = ""
    metrics: tuple[MetricSamples, ...] = ()
    fingerprint: dict[str, object] = field(default_factory=dict)
    locked: bool = False
    exclusivity: Exclusivity = Exclusivity.UNKNOWN
    company: str = ""  # what `exclusivity` was judged from
    no_evidence_why: str = ""
    flops: float | None = None
    bytes_moved: float | None = None
    cold_over_hot: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """One line from the worker: exactly one of the fields is set."""

    ready: int | None = None  # pid
    catalogue: Catalogue | None = None
    result: CaseResult | None = None
    fingerprint: dict[str, object] | None = None
    checkup: Checkup | None = None
    rig: dict[str, object] | None = None
    failure: Problem | None = None  # the request could not be served


def encode(message: Request | Reply) -> bytes:
    """One line of JSON. Non-finite numbers are refused with ValueError: they never travel as numbers."""
    return dumps(dataclasses.asdict(message), allow_nan=False).encode() + b"\n"
