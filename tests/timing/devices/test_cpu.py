"""The host as a device: real time, loose limits."""

from __future__ import annotations

import gc
import sys
import time
from statistics import median
from types import SimpleNamespace

import pytest

from perftrack.errors import DeviceError
from perftrack.timing.devices import cpu
from perftrack.timing.devices.cpu import CpuDevice, clock_resolution_s
from perftrack.timing.host import last_level_cache_bytes


@pytest.fixture(scope="module")
def device() -> CpuDevice:
    return CpuDevice.open()


def test_samples_are_seconds_per_call(device: CpuDevice) -> None:
    timed = device.time_window(lambda: time.sleep(0.002), 3, 2, cold=False)
    assert len(timed.samples) == 3
    assert all(0.002 <= s < 0.02 for s in timed.samples)
    assert timed.host_s is None


def test_the_loop_costs_little(device: CpuDevice) -> None:
    timed = device.time_window(int, 20, 10_000, cold=False)
    assert median(timed.samples) < 1e-6


def test_a_burst_is_seconds_per_call(device: CpuDevice) -> None:
    assert 0.001 <= device.burst(lambda: time.sleep(0.001), 5) < 0.01


def test_every_call_is_made(device: CpuDevice) -> None:
    calls = 0

    def work() -> None:
        nonlocal calls
        calls += 1

    device.time_window(work, 7, 11, cold=False)
    device.burst(work, 5)
    assert calls == 7 * 11 + 5


def test_the_collector_is_off_in_the_loop_and_on_after_a_failure(device: CpuDevice) -> None:
    def work() -> None:
        assert not gc.isenabled()
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        device.time_window(work, 3, 1, cold=False)
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off(device: CpuDevice) -> None:
    gc.disable()
    try:
        device.burst(int, 3)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_resolution_is_the_smallest_nonzero_step() -> None:
    ticks = iter([0, 0, 100, 100, 140, 300, 300, 341])
    assert clock_resolution_s(lambda: next(ticks), reads=7) == pytest.approx(40e-9)


def test_the_resolution_of_this_machine_is_plausible(device: CpuDevice) -> None:
    assert 1e-9 <= device.resolution_s < 50e-6


def test_the_flush_is_twice_the_last_level_cache(device: CpuDevice) -> None:
    cache = last_level_cache_bytes()
    assert device.flush_bytes == (2 * cache if cache else cpu.UNKNOWN_CACHE_FLUSH_BYTES)


def test_cold_flushes_before_each_sample_outside_of_the_timed_region() -> None:
    device = CpuDevice(1e-7, 32 << 20)
    order: list[str] = []
    flush = device.flush

    def slow_flush() -> None:
        flush()
        time.sleep(0.005)
        order.append("flush")

    device.flush = slow_flush  # type: ignore[method-assign]
    timed = device.time_window(lambda: order.append("call"), 3, 2, cold=True)
    assert order == ["flush", "call", "call"] * 3
    assert max(timed.samples) < 0.002


def test_hot_does_not_flush() -> None:
    device = CpuDevice(1e-7, 1 << 20)
    device.flush = lambda: pytest.fail("flushed")  # type: ignore[method-assign]
    device.time_window(int, 2, 1, cold=False)


def test_a_flush_reads_memory_that_is_really_there() -> None:
    """Pages that were never written share one page of zeros: reading them would flush nothing."""
    device = CpuDevice(1e-7, 1 << 20)
    device.flush()
    assert set(device._flush_buffer()) == {1}


def test_a_flush_reads_the_whole_buffer() -> None:
    class Watched(bytearray):
        reads = 0

        def find(self, *arguments: object) -> int:  # type: ignore[override]
            self.reads += 1
            found = super().find(*arguments)  # type: ignore[arg-type]
            assert found == -1, "it stops at the first find"
            return found

    device = CpuDevice(1e-7, 1 << 16)
    device.flush()
    assert device._buffer is not None
    device._buffer = watched = Watched(device._buffer)
    device.time_window(int, 3, 1, cold=True)
    assert watched.reads == 3


def test_no_memory_for_the_flush_is_an_error_that_names_the_way_out() -> None:
    with pytest.raises(DeviceError, match="flush") as caught:
        CpuDevice(1e-7, 1 << 60).time_window(int, 1, 1, cold=True)
    assert caught.value.hint and "hot" in caught.value.hint


def test_work_left_behind_on_a_gpu_is_seen(device: CpuDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = iter([0.0, 0.005])
    cuda = SimpleNamespace(is_initialized=lambda: True, synchronize=lambda: time.sleep(next(waits)))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))  # type: ignore[arg-type]
    found = device.check_stream(int)
    assert found is not None and "device cuda" in found.message


def test_without_torch_nothing_is_called(device: CpuDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert device.check_stream(lambda: pytest.fail("called")) is None
