"""Bandwidth of device memory and of the L2 cache, from timed copies and triads. Pure but for its timer.

Memory: arrays so large that the caches hold next to nothing of them; a repeat's rate is the median of a window of
passes. L2: arrays that stay in it are done in microseconds, most of which is starting a kernel, so that
the rate is the slope of time over bytes across several sizes (a least-squares line), and the start its intercept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol

from perftrack.ceiling.streams import ELEMENT_BYTES, Stream, Timing
from perftrack.core.ceiling import CeilingResult, Definition
from perftrack.core.estimate import estimate
from perftrack.core.model import Evidence, ProcessSamples, Window
from perftrack.errors import DeviceError, MeasurementError

REPEATS = 5
# Sixteen times the cache: what it still holds of the last pass is then a few percent of the next.
CACHE_MULTIPLE, LEAST_ARRAY_BYTES = 16, 1 << 30
MEMORY_SHARE = 0.25  # of the device's memory, for all arrays together
WINDOW_S, WARMUP_S = 0.4, 1.0
# Arrays together, as shares of the L2. Up to three eighths: parts of an L2 in two halves keep a copy in each.
L2_SHARES = (1 / 16, 1 / 8, 3 / 16, 1 / 4, 3 / 8)
L2_CALLS, L2_SAMPLES = 100, 12
_MAX_CALLS = 20_000


class StreamRig(Protocol):
    """Times passes on a device. Raises DeviceError where the device, or its memory, fails."""

    def stream(self, stream: Stream, elements: int, samples: int, calls: int) -> tuple[Timing, Evidence]: ...


@dataclass(frozen=True, slots=True)
class Cache:
    """What is known of the device's memory: sizes in bytes, None where they are not."""

    l2_bytes: int | None
    memory_bytes: int | None


@dataclass(frozen=True, slots=True)
class Bandwidth:
    """Results, and why others are missing."""

    results: tuple[CeilingResult, ...]
    missing: tuple[tuple[Definition, str], ...] = ()


def measure_bandwidth(
    rig: StreamRig, cache: Cache, protocol: Callable[[Definition], str], told: Callable[[CeilingResult], None]
) -> Bandwidth:
    """Copy and triad of both places. `protocol`: key of a definition; `told` hears each result.

    A place that cannot be measured is missing with its reason; DeviceError of a failed device goes through.
    """
    results: list[CeilingResult] = []
    missing: list[tuple[Definition, str]] = []
    for definition, stream in (
        (Definition.COPY_DEVICE, Stream.COPY),
        (Definition.TRIAD_DEVICE, Stream.TRIAD),
        (Definition.COPY_L2, Stream.COPY),
        (Definition.TRIAD_L2, Stream.TRIAD),
    ):
        try:
            if definition in (Definition.COPY_DEVICE, Definition.TRIAD_DEVICE):
                result = _of_memory(rig, cache, definition, stream, protocol(definition))
            else:
                result = _of_l2(rig, cache, definition, stream, protocol(definition))
        except MeasurementError as error:
            missing.append((definition, error.message))
            continue
        results.append(result)
        told(result)
    return Bandwidth(tuple(results), tuple(missing))


def array_elements(stream: Stream, cache: Cache) -> int:
    """Elements of each array for memory: far more than the caches, and no more than a quarter of the memory.

    Raises MeasurementError where those two contradict each other.
    """
    wanted = max(LEAST_ARRAY_BYTES, CACHE_MULTIPLE * (cache.l2_bytes or 0))
    if cache.memory_bytes is not None:
        allowed = int(MEMORY_SHARE * cache.memory_bytes) // stream.arrays
        if allowed < CACHE_MULTIPLE * (cache.l2_bytes or 1):
            raise MeasurementError(f"its memory is less than {CACHE_MULTIPLE} times its cache in each array")
        wanted = min(wanted, allowed)
    return wanted // ELEMENT_BYTES


def _of_memory(
    rig: StreamRig, cache: Cache, definition: Definition, stream: Stream, protocol: str
) -> CeilingResult:
    elements = array_elements(stream, cache)
    first, _ = rig.stream(stream, elements, 3, 1)
    one = max(median(first.seconds), 1e-6)
    rig.stream(stream, elements, _passes(WARMUP_S, one), 1)
    repeats, best, evidence = [], 0.0, []
    for _ in range(REPEATS):
        timing, seen = rig.stream(stream, elements, _passes(WINDOW_S, one), 1)
        repeats.append(timing.bytes_moved / median(timing.seconds))
        best = max(best, timing.bytes_moved / min(timing.seconds))
        evidence.append(seen)
    return _result(definition, protocol, repeats, best, evidence)


def _of_l2(rig: StreamRig, cache: Cache, definition: Definition, stream: Stream, protocol: str) -> CeilingResult:
    if not cache.l2_bytes:
        raise MeasurementError("the size of its L2 is not known")
    sizes = [int(share * cache.l2_bytes) // stream.arrays // ELEMENT_BYTES for share in L2_SHARES]
    repeats, evidence = [], []
    for number in range(REPEATS + 1):
        taken = [rig.stream(stream, size, L2_SAMPLES, L2_CALLS) for size in sizes]
        if number:  # the first round warms up
            repeats.append(slope_rate([t for t, _ in taken]))
            evidence += [e for _, e in taken]
    return _result(definition, protocol, repeats, max(repeats), evidence)


def slope_rate(timings: Sequence[Timing]) -> float:
    """Bytes per second of what each further byte takes: 1 / slope of the least-squares line of time over bytes.

    Raises MeasurementError where more bytes took no longer.
    """
    points = [(float(t.bytes_moved), median(t.seconds)) for t in timings]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    above = sum((x - mean_x) * (y - mean_y) for x, y in points)
    below = sum((x - mean_x) ** 2 for x, _ in points)
    if below <= 0 or above <= 0:
        raise MeasurementError("larger arrays took no longer: starting the kernels is all that was seen")
    return below / above


def _passes(seconds: float, one: float) -> int:
    return max(5, min(_MAX_CALLS, round(seconds / one)))


def _result(
    definition: Definition, protocol: str, repeats: Sequence[float], best: float, evidence: Sequence[Evidence]
) -> CeilingResult:
    windows = tuple(Window((rate,)) for rate in repeats)
    estimated = estimate((ProcessSamples(0, windows),))
    clocks = [c for e in evidence for c in e.clock_mhz]
    powers = [e.power_w for e in evidence if e.power_w is not None]
    heats = [e.temperature_c for e in evidence if e.temperature_c is not None]
    bits = [e.event_reasons for e in evidence if e.event_reasons is not None]
    seen = 0
    for each in bits:
        seen |= each
    if not median(repeats) > 0:
        raise DeviceError(f"{definition} read a rate of nothing")
    return CeilingResult(
        definition=definition,
        protocol=protocol,
        value=median(repeats),
        interval=estimated.interval,
        peak=best,
        repeats=tuple(repeats),
        clock_mhz=median(clocks) if clocks else None,
        power_w=median(powers) if powers else None,
        temperature_c=max(heats) if heats else None,
        event_reasons=seen if bits else None,
        validated=bool(clocks),
    )
