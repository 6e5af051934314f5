"""Measures one case in this process: set-up, device, telemetry and protocol. Standard library only."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from perftrack.core.model import (
    Cache,
    Direction,
    ProcessSamples,
    Protocol,
    Status,
    Timer,
    Window,
)
from perftrack.core.plan import Plan
from perftrack.errors import MeasurementError, PerftrackError
from perftrack.suite.command import CommandSpec, run_command, run_json
from perftrack.suite.declaration import Declaration
from perftrack.suite.messages import CaseResult, MetricSamples, Problem, Reply, RunCase
from perftrack.suite.setup import Work, amount, prepared
from perftrack.timing.devices import open_device
from perftrack.timing.devices.base import Device, Telemetry
from perftrack.timing.environment import capture
from perftrack.timing.session import collect, warm_up
from perftrack.timing.telemetry import open_telemetry


def environment_of(kind: str, policy: str) -> Reply:
    """The fingerprint of a device's environment here, or why there is none."""
    try:
        device = open_device(kind)
        telemetry = open_telemetry(device.kind, device.index)
        environment = capture(device.kind, device.index, policy=policy or None, locked=telemetry.locked())
        return Reply(fingerprint=environment.to_dict())
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
        samples = collect(
            run_command(spec, root), device, telemetry, plan, fixed_inner=1, index=request.process_index
        )
    finally:
        device.close()
    metric = _timed("time", samples, Timer.HOST, Cache.NONE)
    return CaseResult(Status.OK, metrics=(metric,), fingerprint=environment.to_dict())


def measure_metric(declaration: Declaration, request: RunCase) -> CaseResult:
    value = declaration.function(**dict(request.params))
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e300 < value < 1e300:
        raise MeasurementError(f"{declaration.name} returned {value!r}, not a finite number")
    environment = capture("cpu", 0, policy=request.policy or None)
    metric = _valued("value", declaration.unit, declaration.direction, float(value), request.process_index)
    return CaseResult(Status.OK, metrics=(metric,), fingerprint=environment.to_dict())


def measure_benchmark(declaration: Declaration, request: RunCase, source: str) -> CaseResult:
    with prepared(declaration, request.params, source) as (work, baseline):
        device = open_device(request.device or declaration.device, timer=declaration.timer)
        telemetry = open_telemetry(device.kind, device.index)
        try:
            if select := getattr(device, "select", None):
                select(declaration.name, request.params, request.process_index)
            metrics = _measure(work, baseline, device, telemetry, declaration, request)
            environment = capture(
                device.kind, device.index, policy=request.policy or None, locked=telemetry.locked()
            )
            return CaseResult(
                Status.OK,
                metrics=metrics,
                fingerprint=environment.to_dict(),
                locked=telemetry.locked(),
                exclusivity=telemetry.exclusivity(),
                no_evidence_why=telemetry.why_none,
                flops=amount(declaration.flops, request.params),
                bytes_moved=amount(declaration.bytes_moved, request.params),
            )
        finally:
            telemetry.close()
            device.close()


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
    if baseline is None:
        samples = collect(work, device, telemetry, plan, cold=cold, index=request.process_index)
        return (_timed("time", samples, device.timer, cache),)
    return _beside(work, baseline, device, telemetry, plan, cold, request)


def _beside(
    work: Work,
    baseline: Work,
    device: Device,
    telemetry: Telemetry,
    plan: Plan,
    cold: bool,
    request: RunCase,
) -> tuple[MetricSamples, ...]:
    """Benchmark and baseline in alternating windows, each pair in an order drawn from the seed."""
    rng = random.Random(request.seed)
    warm_up(baseline, device, plan)
    single = replace(plan, windows=1)
    again = replace(single, warmup_calls=1, warmup_cap_s=0.0)
    sides: tuple[list[ProcessSamples], list[ProcessSamples]] = ([], [])
    works = (work, baseline)
    for pair in range(plan.windows):
        for side in rng.sample((0, 1), 2):
            this = single if pair == 0 else again
            sides[side].append(
                collect(works[side], device, telemetry, this, cold=cold, index=request.process_index)
            )
    mine, theirs = (_joined(side) for side in sides)
    ratios = [_middle(b.samples) / _middle(w.samples) for w, b in zip(mine.windows, theirs.windows, strict=True)]
    ratio = ProcessSamples(request.process_index, tuple(Window((r,)) for r in ratios))
    cache = Cache.COLD if cold else Cache.HOT
    return (
        _timed("time", mine, device.timer, cache),
        _timed("baseline_time", theirs, device.timer, cache),
        MetricSamples("speedup", "×", Direction.HIGHER, Protocol(device.timer, cache), ratio),
    )


def _joined(parts: list[ProcessSamples]) -> ProcessSamples:
    first = parts[0]
    return ProcessSamples(
        first.index,
        tuple(w for p in parts for w in p.windows),
        first.inner_reps,
        first.warmup_calls,
        first.warmup_s,
        first.resolution_s,
        tuple(dict.fromkeys(n for p in parts[:1] for n in p.notes)),
    )


def _middle(samples: tuple[float, ...]) -> float:
    ordered = sorted(samples)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else 0.5 * (ordered[half - 1] + ordered[half])


def _timed(name: str, samples: ProcessSamples, timer: Timer, cache: Cache) -> MetricSamples:
    return MetricSamples(name, "s", Direction.LOWER, Protocol(timer, cache), samples)


def _valued(name: str, unit: str, direction: Direction, value: float, index: int) -> MetricSamples:
    process = ProcessSamples(index, (Window((value,)),))
    return MetricSamples(name, unit, direction, Protocol(Timer.VALUE, Cache.NONE), process)
