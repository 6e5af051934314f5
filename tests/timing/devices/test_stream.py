"""The check that a callable's work is where the events look."""

from __future__ import annotations

import pytest

from perftrack.core.model import Reason
from perftrack.timing.devices import open_device
from perftrack.timing.devices.events import EventDevice
from tests.timing.fake_torch import FakeGpu, install


@pytest.fixture
def gpu() -> FakeGpu:
    return FakeGpu()


def checked(monkeypatch: pytest.MonkeyPatch, gpu: FakeGpu, work: object) -> Reason | None:
    install(monkeypatch, gpu)
    device = open_device("cuda")
    assert isinstance(device, EventDevice) and callable(work)
    return device.check_stream(work)


@pytest.mark.parametrize("seconds", [1e-6, 3e-6, 100e-6, 3e-3, 0.2])
def test_work_on_the_current_stream_passes(monkeypatch: pytest.MonkeyPatch, gpu: FakeGpu, seconds: float) -> None:
    assert checked(monkeypatch, gpu, lambda: gpu.kernel(seconds)) is None


@pytest.mark.parametrize("seconds", [3e-6, 100e-6, 3e-3, 0.2])
def test_work_on_another_stream_is_seen(monkeypatch: pytest.MonkeyPatch, gpu: FakeGpu, seconds: float) -> None:
    torch = install(monkeypatch, gpu)
    side = torch.cuda.Stream()

    def work() -> None:
        with torch.cuda.stream(side):
            gpu.kernel(seconds)

    found = checked(monkeypatch, gpu, work)
    assert found is not None and found.code == "work-outside-timing"


def test_a_part_of_the_work_on_another_stream_is_seen(monkeypatch: pytest.MonkeyPatch, gpu: FakeGpu) -> None:
    torch = install(monkeypatch, gpu)
    side = torch.cuda.Stream()

    def work() -> None:
        gpu.kernel(50e-6)
        with torch.cuda.stream(side):
            gpu.kernel(300e-6)

    found = checked(monkeypatch, gpu, work)
    assert found is not None and "after the current stream had finished" in found.message


def test_another_stream_that_the_current_one_waits_for_passes(
    monkeypatch: pytest.MonkeyPatch, gpu: FakeGpu
) -> None:
    torch = install(monkeypatch, gpu)
    side = torch.cuda.Stream()

    def work() -> None:
        side.wait_stream(gpu.default)
        with torch.cuda.stream(side):
            gpu.kernel(500e-6)
        gpu.default.wait_stream(side)

    assert checked(monkeypatch, gpu, work) is None


def test_work_that_comes_after_the_return_is_seen(monkeypatch: pytest.MonkeyPatch, gpu: FakeGpu) -> None:
    left: list[int] = []
    slept = gpu.sleep

    def sleep(seconds: float) -> None:
        slept(seconds)
        while left:  # a thread of the callable's gets round to it
            left.pop()
            gpu.run("late", 1e-3)

    gpu.sleep = sleep  # type: ignore[method-assign]

    def work() -> None:
        gpu.kernel(3e-6)
        left.append(1)

    found = checked(monkeypatch, gpu, work)
    assert found is not None and "after the callable had returned" in found.message


def test_one_slow_moment_of_the_host_s_is_no_finding(monkeypatch: pytest.MonkeyPatch, gpu: FakeGpu) -> None:
    slept = gpu.sleep
    synchronize = gpu.synchronize
    slow = [0.0]

    def sleep(seconds: float) -> None:
        slept(seconds)
        slow[0] = 0.003 if slow == [0.0] else slow[0]

    def late() -> None:
        synchronize()
        if slow[0] > 0:
            gpu.now += slow[0]
            slow[0] = -1.0

    gpu.sleep, gpu.synchronize = sleep, late  # type: ignore[method-assign]
    assert checked(monkeypatch, gpu, lambda: gpu.kernel(3e-6)) is None
    assert slow == [-1.0], "there was such a moment"


def test_a_callable_without_device_work_is_seen(monkeypatch: pytest.MonkeyPatch, gpu: FakeGpu) -> None:
    found = checked(monkeypatch, gpu, lambda: None)
    assert found is not None and "no work on the current stream" in found.message
