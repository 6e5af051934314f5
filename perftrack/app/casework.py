"""Measures one case in this process: set-up, device, telemetry and protocol. Standard library only."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from perftrack.core.ceiling import DataType
from perftrack.core.ceilingcase import dtype_of
from perftrack.core.command import CommandSpec
from perftrack.core.company import CardUse
from perftrack.core.limit import KnownLimit
from perftrack.core.model import (
    Cache,
    Case,
    Direction,
    ProcessSamples,
    Protocol,
    Status,
    Timer,
    Window,
)
from perftrack.core.plan import Plan
from perftrack.core.quantity import finite
from perftrack.core.tiers import joined
from perftrack.errors import InvalidValueError, MeasurementError, PerftrackError
from perftrack.suite.command import run_command, run_json
from perftrack.suite.declared import Declaration
from perftrack.suite.messages import CaseResult, MetricSamples, Problem, Reply, RunCase
from perftrack.suite.setup import Work, amount, prepared
from perftrack.timing.devices import open_device
from perftrack.timing.devices.base import Device, Selecting, Telemetry
from perftrack.timing.environment import capture
from perftrack.timing.limits import check_limits, limits_of
from perftrack.timing.session import Session, check_placement, cold_over_hot, collect, prepare
from perftrack.timing.telemetry import open_telemetry, watch


def environment_of(kind: str, policy: str) -> Reply:
    """The fingerprint of a device's environment here, or why there is none."""
    try:
        device = open_device(kind)
        telemetry = open_telemetry(device.kind, device.index)
        environment = capture(device.kind, device.index, policy=policy or None, locked=telemetry.locked())
        return Reply(fingerprint=environment.to_dict())
    except PerftrackError as error:
        return Reply(failure=Problem(kind, error.message, error.hint or ""))


def checkup_of(kind: str, uses: Sequence[CardUse] = ()) -> Reply:
    """What checks of the measuring environment find here, for a device's kind."""
    from perftrack.timing.checkup import check_up  # no worker that measures needs it

    try:
        return Reply(checkup=check_up(kind, coordinator=os.getppid(), uses=uses))
    except PerftrackError as error:
        return Reply(failure=Problem(kind, error.message, error.hint or ""))


def measure_command(spec: CommandSpec, root: Path, request: RunCase) -> CaseResult:
    """A configured command: its wall time, or the numbers it prints."""
    environment = capture("cpu", 0, policy=request.policy or None)
    if spec.metric != "time":
        values = run_json(spec, root)
        metrics = tuple(_valued(v.name, v.unit, v.direction, v.value, request.process_index) for v in values)
        return CaseResult(Status.OK, metrics=metrics, fingerprint=environment.to_dict())
    device = open_device("cpu")
    try:
        plan = replace(request.plan, warmup_calls=1, warmup_cap_s=0.0)
        telemetry = open_telemetry("cpu", 0)
        session = prepare(run_command(spec, root), device, plan, fixed_inner=1)
        samples = collect(session, telemetry, plan, request.process_index)
    finally:
        device.close()
    metric = _timed("time", samples, Timer.HOST, Cache.NONE)
    return CaseResult(Status.OK, metrics=(metric,), fingerprint=environment.to_dict())


def measure_metric(declaration: Declaration, request: RunCase) -> CaseResult:
    value = declaration.function(**dict(request.params))
    try:
        number = finite(value)
    except InvalidValueError as error:
        hint = "Return one number; of an array or tensor, float(x)."
        raise MeasurementError(f"{declaration.name} returned no measurement: {error.message}", hint) from error
    environment = capture("cpu", 0, policy=request.policy or None)
    timer = Timer.EXACT if declaration.exact else Timer.VALUE
    metric = _valued("value", declaration.unit, declaration.direction, number, request.process_index, timer)
    return CaseResult(Status.OK, metrics=(metric,), fingerprint=environment.to_dict())


def measure_benchmark(
    declaration: Declaration, request: RunCase, source: str, uses: Sequence[CardUse] = ()
) -> CaseResult:
    """`uses`: what cards were used for before the run."""
    with prepared(declaration, request.params, source) as (work, baseline):
        device = open_device(request.device or declaration.device, timer=declaration.timer)
        telemetry = open_telemetry(device.kind, device.index, coordinator=os.getppid(), uses=uses)
        watch(telemetry, device)
        try:
            metrics = _measure(work, baseline, device, telemetry, declaration, request)
            ratio = cold_over_hot(work, device) if request.cache_ratio else None
            flops = amount(declaration.flops, request.params, option="flops")
            moved = amount(declaration.bytes_moved, request.params, option="bytes")
            environment = capture(
                device.kind, device.index, policy=request.policy or None, locked=telemetry.locked()
            )
            dtype = dtype_of(request.params, declaration.tags)
            _check_limits(metrics[0], device, flops, moved, request.limits, environment.key_id, dtype)
            occupancy = telemetry.occupancy()
            return CaseResult(
                Status.OK,
                metrics=metrics,
                fingerprint=environment.to_dict(),
                locked=telemetry.locked(),
                exclusivity=occupancy.exclusivity,
                company=occupancy.detail,
                no_evidence_why=telemetry.why_none,
                flops=flops,
                bytes_moved=moved,
                cold_over_hot=ratio,
            )
        finally:
            telemetry.close()
            device.close()


def _check_limits(
    timed: MetricSamples,
    device: Device,
    flops: float | None,
    moved: float | None,
    stored: Sequence[KnownLimit],
    key: str,
    dtype: DataType | None,
) -> None:
    """Raises MeasurementError for a time in which the device cannot have done what is declared."""
    if flops is None and moved is None:
        return
    seconds = median(median(w.samples) for w in timed.process.windows)
    cold = timed.protocol.cache is Cache.COLD
    limits = limits_of(
        device.kind,
        device.index,
        stored,
        key,
        dtype=None if dtype is None else dtype.value,
        needs_flops=flops is not None,
        needs_bytes=moved is not None and cold,
    )
    check_limits(seconds, flops, moved, limits, cold=cold)


def _measure(
    work: Work,
    baseline: Work | None,
    device: Device,
    telemetry: Telemetry,
    declaration: Declaration,
    request: RunCase,
) -> tuple[MetricSamples, ...]:
    # A device has its own cache state by default: GPU kernels are used on data that other kernels evicted.
    cold = (declaration.cache or ("hot" if device.kind in ("cpu", "replay") else "cold")) == "cold"
    cache = Cache.COLD if cold else Cache.HOT
    plan = request.plan
    if declaration.warmup is not None:
        plan = replace(plan, warmup_calls=declaration.warmup)
    _select(device, request, "time")
    for each in (work, baseline):
        if each is not None:
            check_placement(device, each)
    session = prepare(work, device, plan, cold=cold)
    if baseline is None:
        samples = collect(session, telemetry, plan, request.process_index)
        return (_timed("time", samples, device.timer, cache),)
    _select(device, request, "baseline_time")
    return _beside(session, prepare(baseline, device, plan, cold=cold), telemetry, plan, request)


def _beside(
    session: Session, baseline: Session, telemetry: Telemetry, plan: Plan, request: RunCase
) -> tuple[MetricSamples, ...]:
    """Benchmark and baseline in alternating windows, each pair in an order drawn from the seed."""
    rng = random.Random(request.seed)
    device, sides = session.device, ((session, "time"), (baseline, "baseline_time"))
    for _ in range(plan.windows):
        for side, metric in rng.sample(sides, 2):
            _select(device, request, metric)
            side.take_window(telemetry)
    ratios = [
        median(b.samples) / median(w.samples) for w, b in zip(session.windows, baseline.windows, strict=True)
    ]
    evidence = [joined(w.evidence, b.evidence) for w, b in zip(session.windows, baseline.windows, strict=True)]
    windows = tuple(Window((r,), e) for r, e in zip(ratios, evidence, strict=True))
    ratio = ProcessSamples(request.process_index, windows)
    cache = Cache.COLD if session.cold else Cache.HOT
    return (
        _timed("time", session.finish(request.process_index), device.timer, cache),
        _timed("baseline_time", baseline.finish(request.process_index), device.timer, cache),
        MetricSamples("speedup", "×", Direction.HIGHER, Protocol(device.timer, cache), ratio),
    )


def _select(device: Device, request: RunCase, metric: str) -> None:
    """Tell a device that plays back recorded samples which ones are next."""
    if isinstance(device, Selecting):
        device.select(Case(request.benchmark, request.params).id, metric, request.process_index)


def _timed(name: str, samples: ProcessSamples, timer: Timer, cache: Cache) -> MetricSamples:
    return MetricSamples(name, "s", Direction.LOWER, Protocol(timer, cache), samples)


def _valued(
    name: str, unit: str, direction: Direction, value: float, index: int, timer: Timer = Timer.VALUE
) -> MetricSamples:
    process = ProcessSamples(index, (Window((value,)),))
    return MetricSamples(name, unit, direction, Protocol(timer, Cache.NONE), process)
