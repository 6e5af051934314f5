"""Event timing on a GPU in virtual time: every number below is exact up to the timer's step."""

from __future__ import annotations

import gc
from statistics import median

import pytest

from perftrack.core.model import Timer
from perftrack.errors import DeviceError
from perftrack.timing.devices import open_device
from perftrack.timing.devices.cuda import FLUSH_FACTOR
from perftrack.timing.devices.events import MAX_DELAY_S, QUEUE_LIMIT, EventDevice
from tests.timing.fake_torch import FakeGpu, Properties, install

TICK = 32e-9


def opened(monkeypatch: pytest.MonkeyPatch, gpu: FakeGpu, **kwargs: str) -> EventDevice:
    install(monkeypatch, gpu)
    device = open_device("cuda", **kwargs)
    assert isinstance(device, EventDevice)
    gpu.log.clear()
    return device


def test_launch_latency_of_a_short_kernel_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu(launch_s=6e-6)
    device = opened(monkeypatch, gpu)
    timed = device.time_window(lambda: gpu.kernel(2e-6), 50, 16, cold=False)
    assert timed.samples == pytest.approx([2e-6] * 50, abs=TICK)
    assert device.late_share == 0


def test_a_single_call_of_a_short_kernel_is_hidden_too(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    device = opened(monkeypatch, gpu)
    timed = device.time_window(lambda: gpu.kernel(2e-6), 20, 1, cold=True)
    assert timed.samples == pytest.approx([2e-6] * 20, abs=2 * TICK)


def test_the_host_s_time_per_call_is_reported_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu(launch_s=6e-6)
    timed = opened(monkeypatch, gpu).time_window(lambda: gpu.kernel(2e-6), 20, 16, cold=False)
    assert timed.host_s == pytest.approx(6e-6, rel=0.01)


def test_a_full_launch_queue_does_not_look_like_a_slow_host(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu(queue=16)
    timed = opened(monkeypatch, gpu).time_window(lambda: gpu.kernel(1e-3), 40, 1, cold=False)
    assert timed.host_s is not None and timed.host_s < 1e-4


def test_the_first_sample_of_a_long_kernel_holds_no_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu(launch_s=50e-6)
    timed = opened(monkeypatch, gpu).time_window(lambda: gpu.kernel(400e-6), 5, 1, cold=False)
    assert timed.samples[0] == pytest.approx(400e-6, abs=2 * TICK)


def test_cold_and_hot_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    device = opened(monkeypatch, gpu)

    def work() -> None:
        gpu.kernel(10e-6, 25e-6)

    hot = device.time_window(work, 10, 1, cold=False)
    cold = device.time_window(work, 10, 1, cold=True)
    assert median(hot.samples) == pytest.approx(10e-6, abs=2 * TICK)
    assert cold.samples == pytest.approx([25e-6] * 10, abs=2 * TICK)


def test_the_flush_is_twice_the_cache_and_right_before_each_timed_call(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    opened(monkeypatch, gpu).time_window(lambda: gpu.kernel(10e-6), 10, 1, cold=True)
    ran = [what for what, _, _ in gpu.log]
    flush = f"zero {FLUSH_FACTOR * Properties().L2_cache_size}"
    assert ran.count(flush) >= 10
    assert all(ran[i + 1] == "kernel" for i, what in enumerate(ran) if what == flush)


def test_the_flush_is_outside_of_the_timed_region(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu(bytes_per_s=1e11)  # a flush takes over a millisecond
    timed = opened(monkeypatch, gpu).time_window(lambda: gpu.kernel(10e-6), 10, 1, cold=True)
    assert max(timed.samples) < 11e-6


def test_a_delay_comes_before_the_flush_so_that_the_cache_is_as_flushed(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    opened(monkeypatch, gpu).time_window(lambda: gpu.kernel(2e-6), 3, 1, cold=True)
    ran = [what for what, _, _ in gpu.log][-9:]
    assert [w.partition(" ")[0] for w in ran] == ["delay", "zero", "kernel"] * 3


def test_windows_wait_before_the_launch_queue_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    most = 0

    def work() -> None:
        nonlocal most
        gpu.kernel(2e-6)
        most = max(most, sum(end > gpu.now for end in gpu.pending))

    timed = opened(monkeypatch, gpu).time_window(work, 200, 64, cold=False)
    assert most <= QUEUE_LIMIT
    assert max(timed.samples) == pytest.approx(2e-6, abs=TICK)


def test_samples_that_a_slow_moment_of_the_host_spoilt_are_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    device = opened(monkeypatch, gpu)
    calls = 0

    def work() -> None:
        nonlocal calls
        calls += 1
        if calls in (100, 300):
            gpu.now += 2e-3  # the host was interrupted
        gpu.kernel(3e-6)

    timed = device.time_window(work, 40, 10, cold=False)
    assert len(timed.samples) == 40
    assert max(timed.samples) == pytest.approx(3e-6, abs=TICK)


def test_a_host_that_is_slow_after_each_wait_is_hidden_too(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    device = opened(monkeypatch, gpu)
    synchronize = gpu.synchronize
    waited = [True]

    def wait() -> None:
        synchronize()
        waited[0] = True

    def work() -> None:
        if waited[0]:
            gpu.now += 1e-3  # its code has left the processor's caches
        waited[0] = False
        gpu.kernel(3e-6)

    object.__setattr__(device._backend, "synchronize", wait)
    timed = device.time_window(work, 40, 1, cold=False)
    assert device.late_share == 0
    assert max(timed.samples) == pytest.approx(3e-6, abs=2 * TICK)


def test_what_can_t_be_hidden_is_reported_as_late(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu(launch_s=2 * MAX_DELAY_S)  # launching takes longer than the longest delay
    device = opened(monkeypatch, gpu)
    timed = device.time_window(lambda: gpu.kernel(3e-6), 5, 2, cold=False)
    assert len(timed.samples) == 5
    assert device.late_share == 1


def test_a_callable_that_waits_for_the_device_is_not_delayed_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    device = opened(monkeypatch, gpu)

    def work() -> None:
        gpu.kernel(30e-6)
        gpu.synchronize()

    device.time_window(work, 20, 1, cold=False)
    before = gpu.now
    timed = device.time_window(work, 20, 1, cold=False)
    assert gpu.now - before < 0.005
    waiting = gpu.launch_s + gpu.sync_s + gpu.event_s  # its own waiting is part of what it does
    assert median(timed.samples) == pytest.approx(30e-6 + waiting, rel=0.01)


def test_a_first_call_that_compiles_does_not_spoil_later_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    device = opened(monkeypatch, gpu)
    calls = 0

    def work() -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            gpu.now += 3.0
        gpu.kernel(2e-6)

    assert device.burst(work, 1) > 0
    assert device.burst(work, 200) == pytest.approx(2e-6, abs=TICK)
    assert device.time_window(work, 20, 10, cold=False).samples == pytest.approx([2e-6] * 20, abs=TICK)


def test_a_burst_is_amortised_and_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu(launch_s=9e-6)
    assert opened(monkeypatch, gpu).burst(lambda: gpu.kernel(3e-6), 1000) == pytest.approx(3e-6, rel=0.01)


def test_events_exist_before_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    device = opened(monkeypatch, gpu)
    records: list[int] = []

    def work() -> None:
        records.append(gpu.records)
        gpu.kernel(10e-6)

    device.time_window(work, 30, 2, cold=False)
    assert len(set(records[-60:])) == 1


def test_the_collector_is_off_in_the_window_and_as_before_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    device = opened(monkeypatch, gpu)
    states: list[bool] = []

    def work() -> None:
        states.append(gc.isenabled())
        gpu.kernel(10e-6)

    device.time_window(work, 5, 1, cold=False)
    assert not any(states[-5:])
    assert gc.isenabled()


def test_two_callables_in_turn_are_each_paced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    device = opened(monkeypatch, gpu)
    calls = {"a": 0, "b": 0}

    def side(name: str) -> None:
        calls[name] += 1
        gpu.kernel(2e-6)

    sides = {name: (lambda name=name: side(name)) for name in calls}
    for _ in range(2):
        for work in sides.values():
            device.time_window(work, 5, 1, cold=False)
    calls.update(a=0, b=0)
    for work in sides.values():
        device.time_window(work, 5, 1, cold=False)
    assert calls == {"a": 5, "b": 5}


def test_waiting_is_used_to_look_while_the_work_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    device = opened(monkeypatch, gpu)
    busy: list[bool] = []
    device.on_wait = lambda: busy.append(gpu.stream.free_at > gpu.now)
    device.time_window(lambda: gpu.kernel(1e-3), 50, 1, cold=False)
    assert len(busy) >= 10
    assert all(busy)


def test_a_clock_that_rose_since_the_device_was_opened_is_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    """A delay is counted in cycles: at five times the clock it is a fifth as long."""
    gpu = FakeGpu(clock_hz=345e6)
    device = opened(monkeypatch, gpu)
    gpu.clock_hz = 1980e6
    calls = 0

    def work() -> None:
        nonlocal calls
        calls += 1
        gpu.kernel(2e-6)

    device.time_window(work, 20, 10, cold=False)
    calls = 0
    assert device.time_window(work, 20, 10, cold=False).samples == pytest.approx([2e-6] * 20, abs=TICK)
    assert calls == 200, "no sample had to be taken again"


def test_a_clock_that_rises_while_the_device_is_opened_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu(clock_hz=345e6)
    install(monkeypatch, gpu)
    spin = gpu.launch

    def launch(what: str, duration: float, *, cost: float | None = None) -> None:
        spin(what, duration, cost=cost)
        if gpu.stream.free_at > 1.03:  # 30 ms of work later
            gpu.clock_hz = 1980e6

    gpu.launch = launch  # type: ignore[method-assign]
    device = open_device("cuda")
    assert isinstance(device, EventDevice)
    assert device._delay.units_per_s == pytest.approx(1980e6, rel=0.05)


def test_what_the_timer_reads_around_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu(event_s=1e-6)
    device = opened(monkeypatch, gpu)
    assert 0 <= device.floor_s < 0.1e-6, "the host's own time between two records is not part of it"


def test_the_timer_s_step_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened(monkeypatch, FakeGpu(tick_s=0.5e-6)).resolution_s == pytest.approx(0.5e-6)
    assert opened(monkeypatch, FakeGpu(tick_s=32e-9)).resolution_s == pytest.approx(32e-9)


def test_a_device_is_measured_once_per_process(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    first = opened(monkeypatch, gpu)
    second = open_device("cuda", timer="graph")
    assert gpu.log == []
    assert second.resolution_s == first.resolution_s


def test_a_failed_device_is_an_error_and_never_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    device = opened(monkeypatch, gpu)

    def work() -> None:
        gpu.kernel(10e-6)
        gpu.failed = "an illegal memory access was encountered"

    with pytest.raises(DeviceError, match=r"cuda:0 failed: CUDA error: an illegal memory access"):
        device.time_window(work, 5, 1, cold=False)
    with pytest.raises(DeviceError):
        device.synchronize()


def test_what_the_callable_raises_goes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def work() -> None:
        raise RuntimeError("my own mistake")

    with pytest.raises(RuntimeError, match="my own mistake") as caught:
        opened(monkeypatch, FakeGpu()).time_window(work, 5, 1, cold=False)
    assert not isinstance(caught.value, DeviceError)
    assert gc.isenabled()


def test_graph_replays_hold_no_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu(launch_s=20e-6)
    device = opened(monkeypatch, gpu, timer="graph")
    timed = device.time_window(lambda: gpu.kernel(2e-6), 20, 50, cold=False)
    assert device.timer is Timer.GRAPH
    assert timed.samples == pytest.approx([2e-6] * 20, abs=TICK)
    assert timed.host_s == pytest.approx(20e-6 / 50, rel=0.01)


def test_a_graph_is_captured_once_per_callable(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    device = opened(monkeypatch, gpu, timer="graph")
    calls = 0

    def work() -> None:
        nonlocal calls
        calls += 1
        gpu.kernel(2e-6)

    device.time_window(work, 3, 8, cold=False)
    captured = calls
    device.time_window(work, 3, 8, cold=False)
    assert calls == captured


def test_what_can_t_be_captured_is_refused_with_the_other_timer_s_name(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    device = opened(monkeypatch, gpu, timer="graph")

    def work() -> None:
        if gpu.capturing is not None:
            raise RuntimeError("operation not permitted when stream is capturing")
        gpu.kernel(2e-6)

    with pytest.raises(DeviceError, match="not permitted when stream is capturing") as caught:
        device.time_window(work, 3, 8, cold=False)
    assert caught.value.hint and '"event"' in caught.value.hint
