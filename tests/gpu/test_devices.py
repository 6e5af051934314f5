"""The CUDA timer on a real GPU. Run with -s to see what was measured. Sets nothing on the device."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import pytest

from perftrack.core.model import Timer
from perftrack.errors import DeviceError
from perftrack.timing.devices import available, open_device
from perftrack.timing.devices.events import EventDevice

torch: Any = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]


@pytest.fixture
def device() -> Iterator[EventDevice]:
    opened = open_device("cuda")
    assert isinstance(opened, EventDevice)
    yield opened
    opened.close()


def tiny_add() -> Callable[[], object]:
    a = torch.ones(1024, device="cuda")
    return lambda: a.add_(1.0)


def kernel_of(seconds: float) -> Callable[[], object]:
    """Elementwise work of about that length: bound by memory, so that its time is steady."""
    size = 1 << 20
    while True:
        a = torch.ones(size, device="cuda")
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        for _ in range(3):
            a.mul_(1.0)
        torch.cuda._sleep(2_000_000)
        start.record()
        a.mul_(1.0)
        end.record()
        torch.cuda.synchronize()
        if start.elapsed_time(end) * 1e-3 >= seconds or size > 1 << 30:
            return lambda: a.mul_(1.0)
        size *= 2


def show(name: str, **values: float) -> None:
    print(f"\n{name}: " + ", ".join(f"{k} {v:.4g}" for k, v in values.items()))


def test_cuda_is_available() -> None:
    assert "cuda" in available()


def test_the_timer_s_step_and_floor_are_plausible(device: EventDevice) -> None:
    show("timer", resolution_us=device.resolution_s * 1e6, floor_us=device.floor_s * 1e6)
    assert 1e-9 <= device.resolution_s <= 1.1e-6
    assert 0 <= device.floor_s < 10e-6


def test_the_delay_lasts_as_long_as_asked(device: EventDevice) -> None:
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for _ in range(2):
        start.record()
        device._delay.queue(0.002)
        end.record()
        torch.cuda.synchronize()
    show("delay", asked_ms=2.0, got_ms=start.elapsed_time(end))
    assert start.elapsed_time(end) == pytest.approx(2.0, rel=0.3)


def test_launch_latency_of_a_tiny_kernel_is_hidden(device: EventDevice) -> None:
    work = tiny_add()
    device.burst(work, 200)
    hot = device.time_window(work, 40, 32, cold=False)
    hot_late = device.late_share
    cold = device.time_window(work, 40, 1, cold=True)
    assert hot.host_s is not None
    show(
        "tiny add",
        hot_us=median(hot.samples) * 1e6,
        cold_us=median(cold.samples) * 1e6,
        host_us=hot.host_s * 1e6,
        hot_late=hot_late,
        cold_late=device.late_share,
        hot_spread=max(hot.samples) / min(hot.samples),
    )
    assert median(cold.samples) < 10e-6
    assert median(hot.samples) < 0.8 * hot.host_s or median(hot.samples) < 3e-6
    assert hot_late <= 0.1 and device.late_share <= 0.1


def test_cold_is_slower_than_hot_for_data_that_fits_the_cache(device: EventDevice) -> None:
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    a = torch.ones(cache // 4 // 4, device="cuda")  # a quarter of it
    b = torch.empty_like(a)

    def work() -> object:
        return torch.add(a, 1.0, out=b)

    device.burst(work, 200)
    hot = median(device.time_window(work, 50, 1, cold=False).samples)
    cold = median(device.time_window(work, 50, 1, cold=True).samples)
    show("quarter of the cache", hot_us=hot * 1e6, cold_us=cold * 1e6, ratio=cold / hot)
    assert cold >= hot * 0.98


def test_a_long_kernel_reads_the_same_by_events_and_by_the_host_s_clock(device: EventDevice) -> None:
    work = kernel_of(2e-3)
    device.burst(work, 20)
    timed = device.time_window(work, 20, 1, cold=False)
    torch.cuda.synchronize()
    started = time.perf_counter()
    for _ in range(20):
        work()
    torch.cuda.synchronize()
    host = (time.perf_counter() - started) / 20
    show("long kernel", event_ms=median(timed.samples) * 1e3, host_ms=host * 1e3)
    assert median(timed.samples) == pytest.approx(host, rel=0.05)


def test_graph_and_event_timers_agree(device: EventDevice) -> None:
    work = kernel_of(100e-6)
    graphs = open_device("cuda", timer="graph")
    for d in (device, graphs):
        d.burst(work, 200)
    event = median(device.time_window(work, 50, 4, cold=False).samples)
    graph = median(graphs.time_window(work, 50, 4, cold=False).samples)
    graphs.close()
    show("100 µs kernel", event_us=event * 1e6, graph_us=graph * 1e6)
    assert graphs.timer is Timer.GRAPH
    assert graph == pytest.approx(event, rel=0.2)


def test_a_burst_agrees_with_a_window(device: EventDevice) -> None:
    work = kernel_of(50e-6)
    device.burst(work, 200)
    burst = device.burst(work, 400)
    window = median(device.time_window(work, 50, 8, cold=False).samples)
    show("50 µs kernel", burst_us=burst * 1e6, window_us=window * 1e6)
    assert burst == pytest.approx(window, rel=0.15)


def test_work_on_another_stream_is_seen(device: EventDevice) -> None:
    side = torch.cuda.Stream()
    inner = kernel_of(300e-6)

    def elsewhere() -> None:
        with torch.cuda.stream(side):
            inner()

    found = device.check_stream(elsewhere)
    assert found is not None and found.code == "work-outside-timing"
    assert device.check_stream(lambda: None) is not None
    for _ in range(10):
        assert device.check_stream(inner) is None
        assert device.check_stream(tiny_add()) is None


def test_a_callable_that_waits_for_the_device_is_timed_without_delays(device: EventDevice) -> None:
    a = torch.ones(1024, device="cuda")

    def work() -> float:
        return float(a.sum())

    device.time_window(work, 20, 1, cold=False)
    started = time.perf_counter()
    device.time_window(work, 20, 1, cold=False)
    assert time.perf_counter() - started < 0.1


def test_running_out_of_memory_is_a_device_error(device: EventDevice) -> None:
    with pytest.raises(DeviceError, match="out of memory"):
        device.time_window(lambda: torch.empty(1 << 50, dtype=torch.uint8, device="cuda"), 1, 1, cold=False)
