"""A made-up history in memory: GPU and CPU lanes, a driver upgrade, failures, one regression, one improvement.

Every number is drawn from a seeded generator, so the history is the same in every process. Runs are
made when they are asked for: a history of 500 commits does not hold 500 × 100 measurements.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from perftrack.core.changes.appraisal import WatchedLane
from perftrack.core.changes.chronicle import Chapter
from perftrack.core.changes.crept import Release
from perftrack.core.changes.silence import Reporter, SilenceKind, SilenceRules
from perftrack.core.discoveries import control_false_discoveries
from perftrack.core.estimate import estimate
from perftrack.core.fingerprint import UNKNOWN, EnvironmentFingerprint
from perftrack.core.history import Lane, Point, RunSummary, Series, lane_id
from perftrack.core.judgement import Judgement
from perftrack.core.launches.launch import Profile
from perftrack.core.model import (
    Cache,
    Case,
    Commit,
    Direction,
    Evidence,
    Interval,
    Measurement,
    MeasurementTier,
    Params,
    ProcessSamples,
    Protocol,
    Reason,
    Run,
    Status,
    Timer,
    Window,
)
from perftrack.core.noise import LaneNoise
from perftrack.core.pointtable import PointTable, RunDetail, table_of
from perftrack.core.reasons import reason
from perftrack.core.share import Ceilings, Work
from perftrack.core.verdict import judge
from perftrack.publish.gather import Acceptances, Epochs, Project
from perftrack.store.rows import within_variance

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>'
END_SCRIPT = "</script><!--<script>"
HOSTILE = (SCRIPT, IMAGE, END_SCRIPT)

START = 1_767_225_600  # 2026-01-01 00:00 UTC
_HOUR = 3600

OLD_DRIVER = EnvironmentFingerprint(
    device_kind="cuda",
    gpu_name="NVIDIA H200",
    compute_cap="9.0",
    arch_family="Hopper",
    sm_count=132,
    gpu_memory_gib=141,
    power_limit_w=700.0,
    clock_lock="off",
    ecc=True,
    driver_version="550.54.15",
    cuda_version="12.8",
    torch_version="2.8.0",
    triton_version="3.4.0",
    cudnn_version="9.10.2",
    cublas_version="12.8.4",
    tf32_matmul=False,
    mig_profile=UNKNOWN,
    machine="x86_64",
    python_version="3.11.9",
    gpu_uuid="GPU-7c1f",
    host="bench-01",
    os="Linux 6.8, Ubuntu 24.04",
    persistence=True,
)
NEW_DRIVER = replace(OLD_DRIVER, driver_version="570.86.10", cuda_version="12.9")
CPU = EnvironmentFingerprint(
    device_kind="cpu",
    cpu_model="AMD EPYC 9654 96-Core Processor",
    cpu_cores=8,
    cpu_governor="performance",
    machine="x86_64",
    python_version="3.11.9",
    numpy_version="2.3.1",
    host="bench-01",
    os="Linux 6.8, Ubuntu 24.04",
    smt=True,
)
EVENT = Protocol(Timer.EVENT, Cache.COLD)
HOST = Protocol(Timer.HOST, Cache.HOT)


@dataclass(frozen=True, slots=True)
class Shape:
    """How one series behaves. `steps` multiplies the level from a commit on; `fails` are commits that fail."""

    benchmark: str
    params: Params
    level: float
    noise: float = 0.004
    metric: str = "time"
    unit: str = "s"
    direction: Direction = Direction.LOWER
    gpu: bool = True
    tags: tuple[str, ...] = ()
    steps: Mapping[int, float] = field(default_factory=dict)
    fails: tuple[int, ...] = ()
    bimodal: bool = False
    unstable: tuple[int, ...] = ()
    since: int = 0


def default_shapes(commits: int) -> tuple[Shape, ...]:
    """The dozen series of the usual history, with a regression and an improvement at its last commit."""
    last = commits - 1
    gemm, norm = ("gemm",), ("norm", "memory-bound")
    return (
        Shape("matmul", (("n", 1024), ("dtype", "bf16")), 9.3e-6, tags=gemm, steps={12: 0.93}, unstable=(30, 31)),
        Shape("matmul", (("n", 4096), ("dtype", "bf16")), 2.31e-4, 0.006, tags=gemm, steps={last: 1.118}),
        Shape("matmul", (("n", 8192), ("dtype", "bf16")), 1.71e-3, 0.02, tags=gemm, bimodal=True),
        Shape("softmax", (("rows", 4096), ("cols", 4096)), 2.9e-5, tags=norm, steps={20: 1.06, 33: 0.94}),
        Shape("layer_norm", (("rows", 4096), ("cols", 4096)), 3.4e-5, 0.012, tags=norm, steps={last: 0.81}),
        Shape(
            "attention",
            (("heads", 16), ("seq", 2048), ("causal", True)),
            4.1e-4,
            tags=("attention",),
            fails=(17, 18, last),
        ),
        Shape(
            "attention", (("heads", 16), ("seq", 8192), ("causal", True)), 6.2e-3, tags=("attention",), since=15
        ),
        Shape(
            "copy",
            (("gib", 1),),
            4.05e12,
            0.001,
            "bandwidth",
            "byte/s",
            Direction.HIGHER,
            tags=("memory-bound",),
            steps={last: 0.955},
        ),
        Shape("tokenise", (("text", "short"),), 8.4e-4, 0.009, gpu=False, tags=("cpu",), steps={8: 1.3, 25: 0.7}),
        Shape(
            "wheel_size",
            (),
            1_482_112.0,
            0.0,
            "wheel_size",
            "B",
            gpu=False,
            tags=("cpu",),
            steps={10: 1.02, 28: 1.004},
        ),
        Shape(SCRIPT, (("name", IMAGE),), 3.3e-3, gpu=False, tags=("hostile", IMAGE)),
        Shape(END_SCRIPT, (("url", "javascript:alert(1)"),), 5.1e-2, gpu=False, tags=("hostile",)),
    )


class SyntheticHistory:
    """A `HistorySource` that makes everything up. The same arguments give the same history."""

    def __init__(
        self,
        commits: int = 40,
        shapes: Sequence[Shape] | None = None,
        *,
        upgrade: int | None = 24,
        remote_url: str | None = "git@github.com:example/kernels.git",
        name: str = "kernels",
        processes: int = 3,
    ) -> None:
        self.shapes = tuple(default_shapes(commits) if shapes is None else shapes)
        self.count = commits
        self.upgrade = commits if upgrade is None else upgrade
        self.processes = processes
        self._project = Project(name, remote_url, self._started(commits - 1) if commits else None)
        self._commits = tuple(_commit(i) for i in range(commits))
        self._ids = {f"{i:03d}{'ab' * 8}{i:x}"[:20].rjust(20, "0"): i for i in range(commits)}
        self._runs = list(self._ids)
        self._series: list[Series] | None = None

    def _started(self, at: int) -> float:
        return float(START + at * 9 * _HOUR + 1800)

    def project(self) -> Project:
        return self._project

    def commits(self) -> Sequence[Commit]:
        return self._commits

    def lost(self) -> frozenset[str]:
        return frozenset()

    def ceilings(self) -> Ceilings:
        return Ceilings()

    def declared_work(self) -> dict[tuple[str, str], Work]:
        return {}

    def lanes(self) -> Sequence[Lane]:
        used = {p.lane for s in self.series() for p in s.points}
        made = [(OLD_DRIVER, EVENT), (NEW_DRIVER, EVENT), (CPU, HOST)]
        return [Lane(lane_id(f, p), f, p) for f, p in made if lane_id(f, p) in used]

    def runs(self) -> Sequence[RunSummary]:
        found = []
        for run_id, at in self._ids.items():
            shapes = [s for s in self.shapes if s.since <= at]
            failed = sum(at in s.fails for s in shapes)
            found.append(
                RunSummary(
                    id=run_id,
                    sha=self._commits[at].sha,
                    started_at=self._started(at),
                    duration_s=212.0 + at,
                    dirty=at == 6,
                    host="bench-01",
                    label="nightly" if at % 7 == 0 else "",
                    perftrack_version="0.1.0",
                    limitations=self._run_limitations(at),
                    ok=len(shapes) - failed,
                    failed=failed,
                    skipped=0,
                )
            )
        return found

    def _run_limitations(self, at: int) -> tuple[Reason, ...]:
        return (reason("clocks-unlocked"), *((reason("dirty"),) if at == 6 else ()))

    def run(self, run_id: str) -> Run:
        at = self._ids[run_id]
        measurements = tuple(self.measurement(s, at) for s in self.shapes if s.since <= at)
        return Run(
            sha=self._commits[at].sha,
            started_at=self._started(at),
            duration_s=212.0 + at,
            seed=at,
            dirty=at == 6,
            measurements=measurements,
            limitations=self._run_limitations(at),
            perftrack_version="0.1.0",
            host="bench-01",
            settings={"processes": self.processes, "windows": 3, "python": "3.11"},
        )

    def measurement(self, shape: Shape, at: int) -> Measurement:
        fingerprint = (NEW_DRIVER if at >= self.upgrade else OLD_DRIVER) if shape.gpu else CPU
        protocol = (
            Protocol(Timer.VALUE, Cache.NONE) if shape.metric == "wheel_size" else EVENT if shape.gpu else HOST
        )
        if shape.metric == "wheel_size":
            protocol = HOST
        failed = at in shape.fails
        unstable = at in shape.unstable
        tier = (
            MeasurementTier.C
            if unstable
            else MeasurementTier.A
            if shape.benchmark == "copy"
            else MeasurementTier.B
        )
        hidden = reason("exclusivity-unknown", detail="process ids are hidden, as in a container")
        reasons: tuple[Reason, ...] = (reason("clocks-floating"), hidden)
        if tier is MeasurementTier.A:
            reasons = (reason("clocks-locked", range_mhz=0.0),)
        if unstable:
            reasons = (reason("clock-unstable", cv_pct=7.3, limit_pct=5.0),)
        if failed:
            reasons = (
                reason(
                    "benchmark-failed", detail="RuntimeError: CUDA error: an illegal memory access was encountered"
                ),
            )
        made = Measurement(
            case=Case(shape.benchmark, shape.params),
            metric=shape.metric,
            unit=shape.unit,
            direction=shape.direction,
            status=Status.FAILED if failed else Status.OK,
            protocol=protocol,
            tier=MeasurementTier.C if failed else tier,
            fingerprint=fingerprint,
            reasons=reasons,
            limitations=(reason("clocks-unlocked"),) if shape.gpu else (reason("host-timer"), reason("cache-hot")),
            tags=shape.tags,
            source=f"benchmarks/bench_{'gpu' if shape.gpu else 'cpu'}.py:{20 + len(shape.benchmark)}",
            output=f"Traceback (most recent call last):\n  …\nRuntimeError: CUDA error {SCRIPT}" if failed else "",
        )
        if failed:
            return made
        processes = self._samples(shape, at)
        estimated = estimate(processes)
        return replace(made, value=estimated.value, interval=estimated.interval, processes=processes)

    def _samples(self, shape: Shape, at: int) -> tuple[ProcessSamples, ...]:
        rng = np.random.default_rng([at, len(shape.benchmark), int(shape.level * 1e9) % 2**31])
        level = shape.level * math.prod(f for start, f in shape.steps.items() if at >= start)
        if shape.gpu and at >= self.upgrade:
            level *= 0.97
        found = []
        for index in range(self.processes):
            own = level * math.exp(rng.normal(0, shape.noise))
            windows = []
            for _ in range(3):
                samples = own * np.exp(rng.normal(0, shape.noise / 2, 12))
                if shape.bimodal:
                    samples = samples * np.where(rng.random(12) < 0.35, 1.045, 1.0)
                windows.append(
                    Window(tuple(float(f"{s:.7g}") for s in samples), Evidence(clock_mhz=(1755.0, 1740.0)))
                )
            found.append(ProcessSamples(index, tuple(windows), inner_reps=10, resolution_s=1e-9))
        return tuple(found)

    def points(self) -> PointTable:
        return table_of(self.series())

    def details(self) -> Mapping[str, RunDetail]:
        return {run_id: detail_of(self.run(run_id)) for run_id in self._ids}

    def line(self) -> Sequence[str]:
        return [c.sha for c in self._commits]

    def epochs(self) -> Epochs | None:
        return None

    def acceptances(self) -> Acceptances | None:
        return None

    def series(self) -> Sequence[Series]:
        if self._series is None:
            self._series = self._make_series()
        return self._series

    def _make_series(self) -> list[Series]:
        found = []
        for shape in self.shapes:
            case = Case(shape.benchmark, shape.params)
            points = tuple(self._point(shape, at) for at in range(shape.since, self.count))
            source = f"benchmarks/bench_{'gpu' if shape.gpu else 'cpu'}.py:{20 + len(shape.benchmark)}"
            found.append(Series(case, shape.metric, shape.unit, shape.direction, shape.tags, source, points))
        return found

    def _point(self, shape: Shape, at: int) -> Point:
        m = self.measurement(shape, at)
        assert m.fingerprint is not None
        return Point(
            run_id=self._runs[at],
            sha=self._commits[at].sha,
            started_at=self._started(at),
            dirty=at == 6,
            status=m.status,
            value=m.value,
            interval=m.interval,
            tier=m.tier,
            reasons=m.reasons,
            limitations=m.limitations,
            lane=lane_id(m.fingerprint, m.protocol),
            within_variance=within_variance(m),
            processes=len(m.processes),
        )

    def threshold(self) -> float:
        return 0.02

    def chapters(self, watched: Sequence[WatchedLane]) -> Sequence[Chapter]:
        return ()

    def release(self) -> Release | None:
        return None

    def reporters(self) -> Sequence[Reporter]:
        if not self.runs():
            return []
        newest = max((r.started_at for r in self.runs()), default=0.0)
        return [Reporter(SilenceKind.HOST, "bench-01", len(self.runs()), newest)]

    def silence(self) -> SilenceRules:
        return SilenceRules(14.0, 3)

    def store_version(self) -> int:
        return 4

    def profiles(self) -> Sequence[Profile]:
        return ()

    def judgements(self) -> Sequence[Judgement]:
        if self.count < 2:
            return ()
        last = self.count - 1
        pairs = [
            judge(
                self.measurement(s, last - 1) if s.since < last else None,
                self.measurement(s, last),
                noise=_NOISE,
            )
            for s in self.shapes
        ]
        return control_false_discoveries(pairs)


def detail_of(run: Run) -> RunDetail:
    """What a store would tell of a run beside its summary."""
    lanes: dict[EnvironmentFingerprint, dict[str, None]] = {}
    for m in run.measurements:
        if m.fingerprint is not None:
            lanes.setdefault(m.fingerprint, {})[lane_id(m.fingerprint, m.protocol)] = None
    return RunDetail(
        settings=run.settings,
        environments=tuple((f, tuple(sorted(own))) for f, own in lanes.items()),
        outputs={(m.case, m.metric): m.output for m in run.measurements if m.output},
        sampled=any(m.processes for m in run.measurements),
    )


class FlatHistory(SyntheticHistory):
    """A long history that costs little to make, for measuring how long a build takes."""

    def measurement(self, shape: Shape, at: int) -> Measurement:
        value = shape.level * (1 + 0.01 * math.sin(at * 1.7 + shape.level * 1e6))
        shift = at % 7 / 1000
        processes = tuple(
            ProcessSamples(
                i,
                tuple(
                    Window(tuple(value * (1 + shift + _SPREAD[i + j + k]) for k in range(12))) for j in range(3)
                ),
            )
            for i in range(self.processes)
        )
        return Measurement(
            case=Case(shape.benchmark, shape.params),
            metric=shape.metric,
            unit=shape.unit,
            direction=shape.direction,
            status=Status.OK,
            protocol=EVENT,
            tier=MeasurementTier.B,
            fingerprint=NEW_DRIVER if at >= self.upgrade else OLD_DRIVER,
            value=value,
            interval=Interval(value * 0.995, value * 1.005),
            reasons=_FLOATING,
            processes=processes,
            tags=shape.tags,
        )

    def _point(self, shape: Shape, at: int) -> Point:
        value = shape.level * (1 + 0.01 * math.sin(at * 1.7 + shape.level * 1e6))
        fingerprint = NEW_DRIVER if at >= self.upgrade else OLD_DRIVER
        return Point(
            self._runs[at],
            self._commits[at].sha,
            self._started(at),
            False,
            Status.OK,
            value,
            Interval(value * 0.995, value * 1.005),
            MeasurementTier.B,
            (reason("clocks-floating"),),
            (),
            _LANES[fingerprint.driver_version],
        )


_NOISE = LaneNoise(0.002, 30)
_FLOATING = (reason("clocks-floating"),)
_SPREAD = tuple(1e-3 * math.sin(i * 2.3) for i in range(32))
_LANES = {f.driver_version: lane_id(f, EVENT) for f in (OLD_DRIVER, NEW_DRIVER)}


def flat_shapes(count: int) -> tuple[Shape, ...]:
    """`count` series over a fifth as many benchmarks."""
    return tuple(
        Shape(f"bench_{i // 5:03d}", (("n", 2 ** (i % 5)),), 1e-5 * (1 + i), tags=("flat",)) for i in range(count)
    )


_SUBJECTS = (
    "Fuse the epilogue into the GEMM main loop",
    "Tokenise ASCII runs without the regex",
    "Read cos/sin tables through the texture path",
    "Update the CI image",
    "Split-K for tall and skinny products",
    "Fix an off-by-one in the causal mask",
    "Widen stores to 128 bits where the row is aligned",
    "Merge branch 'softmax-online'",
    "Document the launch parameters",
    "Use cp.async for the second stage",
)


def _commit(at: int) -> Commit:
    subject = _SUBJECTS[at % len(_SUBJECTS)]
    if at % 13 == 5:
        subject = f"{HOSTILE[at % 3]} in a subject"
    moment = START + at * 9 * _HOUR - (at % 3) * _HOUR
    sha = f"{(at * 2654435761 + 97) % 2**32:08x}{at:032x}"
    return Commit(sha, (), ("Ada Lang", "Grace Ohm", 'Mallory "<b>"')[at % 3], moment, moment + 600, subject)
