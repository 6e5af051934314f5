"""Bandwidth from timed passes: of memory a median, of a cache a slope."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.ceiling.bandwidth import (
    CACHE_MULTIPLE,
    Cache,
    array_elements,
    measure_bandwidth,
    slope_rate,
)
from perftrack.ceiling.model_streams import ModelStreams
from perftrack.ceiling.streams import Stream, Streams, Timing
from perftrack.core.ceiling import CeilingResult, Definition
from perftrack.core.model import Evidence
from perftrack.errors import DeviceError, MeasurementError
from tests.ceiling.fake_rig import FakeTensor
from tests.timing.fake_torch import FakeGpu, make_torch

H200 = Cache(60 << 20, 140 << 30)
SEEN = Evidence((1980.0,), 0, power_w=500.0, temperature_c=40.0)


@dataclass
class Rig:
    """The model's streams, counting what was asked."""

    streams: ModelStreams
    evidence: Evidence = SEEN
    asked: list[tuple[Stream, int]] = field(default_factory=list)

    def stream(self, stream: Stream, elements: int, samples: int, calls: int) -> tuple[Timing, Evidence]:
        self.asked.append((stream, elements))
        return self.streams.time(stream, elements, samples, calls), self.evidence


def measured(rig: Rig, cache: Cache = H200) -> dict[Definition, CeilingResult]:
    found = measure_bandwidth(rig, cache, lambda d: f"v1/{d}", lambda r: None)
    return {r.definition: r for r in found.results}


def test_the_rates_of_a_known_device_are_found() -> None:
    results = measured(Rig(ModelStreams(4.2e12, 1.1e13, 60 << 20)))
    assert results[Definition.COPY_DEVICE].value == pytest.approx(4.2e12, rel=0.01)
    assert results[Definition.TRIAD_DEVICE].value == pytest.approx(4.2e12, rel=0.01)
    assert results[Definition.COPY_L2].value == pytest.approx(1.1e13, rel=0.02)
    assert results[Definition.TRIAD_L2].value == pytest.approx(1.1e13, rel=0.02)


def test_a_result_has_repeats_an_interval_a_peak_and_its_circumstances() -> None:
    result = measured(Rig(ModelStreams(4.2e12, 1.1e13, 60 << 20)))[Definition.COPY_DEVICE]
    assert len(result.repeats) == 5
    assert result.interval is not None and result.interval.contains(result.value)
    assert result.peak is not None and result.peak >= max(result.repeats)
    assert (result.clock_mhz, result.power_w, result.temperature_c) == (1980.0, 500.0, 40.0)
    assert result.validated
    assert result.protocol == "v1/copy-device"


def test_the_first_round_over_a_cache_s_sizes_warms_up() -> None:
    rig = Rig(ModelStreams(4.2e12, 1.1e13, 60 << 20))
    result = measured(rig)[Definition.COPY_L2]
    rounds = sum(8 * elements <= 60 << 20 for stream, elements in rig.asked if stream is Stream.COPY) / 5
    assert (len(result.repeats), rounds) == (5, 6)


def test_without_clocks_it_is_not_validated() -> None:
    results = measured(Rig(ModelStreams(4.2e12, 1.1e13, 60 << 20), Evidence()))
    assert not any(r.validated for r in results.values())


def test_arrays_for_memory_are_far_larger_than_the_cache_and_those_for_the_cache_fit_it() -> None:
    rig = Rig(ModelStreams(4.2e12, 1.1e13, 60 << 20))
    measured(rig)
    sizes = sorted({4 * elements * stream.arrays for stream, elements in rig.asked})
    assert all(s <= 3 / 8 * H200.l2_bytes or s >= 2 * CACHE_MULTIPLE * H200.l2_bytes for s in sizes)


def test_a_device_that_does_not_tell_its_cache_has_no_rate_of_it() -> None:
    found = measure_bandwidth(Rig(ModelStreams(4e12, 1e13, 1)), Cache(None, None), str, lambda r: None)
    assert {r.definition for r in found.results} == {Definition.COPY_DEVICE, Definition.TRIAD_DEVICE}
    assert dict(found.missing)[Definition.COPY_L2] == "the size of its L2 is not known"


def test_little_memory_takes_smaller_arrays_and_too_little_none() -> None:
    assert array_elements(Stream.COPY, Cache(1 << 20, 1 << 30)) * 4 == (1 << 30) // 8
    with pytest.raises(MeasurementError, match="16 times"):
        array_elements(Stream.TRIAD, Cache(60 << 20, 2 << 30))


def test_a_failing_device_is_not_a_missing_result() -> None:
    class Dead(Rig):
        def stream(self, stream: Stream, elements: int, samples: int, calls: int) -> tuple[Timing, Evidence]:
            raise DeviceError("fell off the bus")

    with pytest.raises(DeviceError, match="bus"):
        measured(Dead(ModelStreams(1e12, 1e12, 1)))


@given(st.floats(1e9, 1e14), st.floats(0, 1e-4))
def test_the_start_of_a_kernel_is_not_in_the_slope(rate: float, start: float) -> None:
    sizes = [1 << 18, 1 << 19, 1 << 20, 1 << 21]
    timings = [Timing(Stream.COPY, n, (start + 8 * n / rate,)) for n in sizes]
    assert slope_rate(timings) == pytest.approx(rate, rel=1e-3)


def test_no_slope_is_no_rate() -> None:
    with pytest.raises(MeasurementError, match="took no longer"):
        slope_rate([Timing(Stream.COPY, n, (1e-6,)) for n in (1000, 2000, 3000)])


class Timer:
    """Times by the fake GPU's clock, one call a sample."""

    def __init__(self, gpu: FakeGpu) -> None:
        self.gpu = gpu

    def time_calls(self, work, samples: int, calls: int) -> tuple[float, ...]:  # type: ignore[no-untyped-def]
        taken = []
        for _ in range(samples):
            before = self.gpu.stream.free_at
            work()
            taken.append(self.gpu.stream.free_at - max(before, self.gpu.log[-1][1]))
        return tuple(taken)


def test_of_a_copy_the_faster_kernel_is_timed_and_chosen_once() -> None:
    gpu = FakeGpu()
    torch = make_torch(gpu)

    class Array(FakeTensor):
        def copy_(self, other: FakeTensor) -> None:
            gpu.launch("memcpy", 5e-6)

    torch.randn = lambda count, device: Array(gpu, (count,), "float32")
    torch.abs = lambda b, out: gpu.launch("elementwise", 3e-6)
    torch.add = lambda b, c, alpha, out: gpu.launch("triad", 4e-6)
    streams = Streams(torch, "cuda:0", Timer(gpu))
    assert streams.time(Stream.COPY, 1 << 20, 4, 1).seconds == pytest.approx((3e-6,) * 4)
    tried = len(gpu.log)
    streams.time(Stream.COPY, 1 << 20, 4, 1)
    assert [what for what, _, _ in gpu.log[tried:]] == ["elementwise"] * 4
    assert streams.time(Stream.TRIAD, 1 << 20, 2, 1).bytes_moved == 3 * 4 << 20


@pytest.mark.torch
def test_a_real_torch_copies_and_adds() -> None:
    import time

    torch = pytest.importorskip("torch")

    class Host:
        def time_calls(self, work, samples: int, calls: int) -> tuple[float, ...]:  # type: ignore[no-untyped-def]
            taken = []
            for _ in range(samples):
                started = time.perf_counter()
                for _ in range(calls):
                    work()
                taken.append((time.perf_counter() - started) / calls)
            return tuple(taken)

    streams = Streams(torch, "cpu", Host())
    copied = streams.time(Stream.COPY, 1 << 16, 3, 2)
    a, b, c = streams._arrays
    assert torch.equal(a, b) or torch.equal(a, b.abs())
    streams.time(Stream.TRIAD, 1 << 16, 3, 2)
    torch.testing.assert_close(a, b + 3.0 * c)
    assert len(copied.seconds) == 3 and min(copied.seconds) > 0
