"""Opening devices: kinds and timers, and every backend through a fake of its torch."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from perftrack.core.model import Timer
from perftrack.errors import DeviceError, InvalidValueError
from perftrack.timing import devices
from perftrack.timing.devices import KINDS, available, open_device, resolve_kind
from perftrack.timing.devices.cpu import CpuDevice
from perftrack.timing.devices.synchronised import SynchronisedDevice
from tests.timing.fake_torch import FakeGpu, FakeStream, Properties, install, install_habana


def accelerator(monkeypatch: pytest.MonkeyPatch, gpu: FakeGpu, kind: str) -> Any:
    torch = install(monkeypatch, gpu, hip="6.4" if kind == "rocm" else None)
    torch.backends.mps = SimpleNamespace(is_available=lambda: kind == "mps")
    if kind == "hpu":
        install_habana(monkeypatch, gpu, lambda: None)
    return torch


@pytest.mark.parametrize("kind", ["cuda", "rocm", "xpu", "hpu", "mps"])
def test_every_accelerator_reads_the_device_s_time(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    gpu = FakeGpu()
    accelerator(monkeypatch, gpu, kind)
    device = open_device(kind)
    timed = device.time_window(lambda: gpu.kernel(40e-6, 90e-6), 10, 1, cold=True)
    assert (device.kind, device.timer) == (kind, Timer.EVENT)
    assert timed.samples == pytest.approx([90e-6] * 10, abs=1e-7)
    assert device.burst(lambda: gpu.kernel(40e-6), 100) == pytest.approx(40e-6, rel=0.01)
    device.synchronize()
    device.close()


@pytest.mark.parametrize("kind", ["cuda", "rocm", "xpu", "hpu", "mps"])
def test_a_short_kernel_s_launch_is_hidden_on_every_accelerator(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    gpu = FakeGpu()
    accelerator(monkeypatch, gpu, kind)
    timed = open_device(kind).time_window(lambda: gpu.kernel(2e-6), 10, 20, cold=False)
    assert timed.samples == pytest.approx([2e-6] * 10, rel=0.05)


@pytest.mark.parametrize("kind", ["xpu", "hpu", "mps"])
def test_the_host_s_clock_waits_for_the_device(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    gpu = FakeGpu()
    accelerator(monkeypatch, gpu, kind)
    device = open_device(kind, timer="host")
    assert isinstance(device, SynchronisedDevice)
    timed = device.time_window(lambda: gpu.kernel(1e-3, 2e-3), 5, 1, cold=True)
    assert timed.samples == pytest.approx([2e-3 + gpu.launch_s + gpu.sync_s] * 5)
    assert device.burst(lambda: gpu.kernel(1e-3), 10) == pytest.approx(1e-3, rel=0.02)
    assert device.resolution_s >= gpu.sync_s


def test_a_host_timed_device_that_failed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    accelerator(monkeypatch, gpu, "xpu")
    device = open_device("xpu", timer="host")
    gpu.failed = "lost"
    with pytest.raises(DeviceError, match="xpu:0 failed"):
        device.time_window(lambda: gpu.kernel(1e-3), 2, 1, cold=False)


def test_mps_without_events_falls_back_to_the_host_s_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    torch = accelerator(monkeypatch, gpu, "mps")
    del torch.mps.Event
    assert open_device("mps").timer is Timer.HOST
    with pytest.raises(DeviceError, match="no events"):
        open_device("mps", timer="event")


def test_lazy_hpu_graphs_are_closed_after_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    install(monkeypatch, gpu)
    waiting: list[float] = []

    def mark_step() -> None:
        if waiting:
            gpu.kernel(waiting.pop())
            assert not waiting, "two calls were merged"

    install_habana(monkeypatch, gpu, mark_step)
    monkeypatch.delenv("PT_HPU_LAZY_MODE", raising=False)
    timed = open_device("hpu").time_window(lambda: waiting.append(50e-6), 5, 4, cold=False)
    assert timed.samples == pytest.approx([50e-6] * 5, rel=0.02)


def test_rocm_flushes_the_memory_side_cache_too(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    accelerator(monkeypatch, gpu, "rocm")
    device = open_device("rocm")
    gpu.log.clear()
    device.time_window(lambda: gpu.kernel(40e-6), 1, 1, cold=True)
    assert f"zero {512 << 20}" in [what for what, _, _ in gpu.log]


def test_cuda_on_a_hip_build_is_rocm(monkeypatch: pytest.MonkeyPatch) -> None:
    accelerator(monkeypatch, FakeGpu(), "rocm")
    assert open_device("cuda").kind == "rocm"
    assert resolve_kind("cuda") == resolve_kind("auto") == "rocm"


def test_rocm_on_a_cuda_build_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, FakeGpu())
    with pytest.raises(DeviceError, match="not built for ROCm"):
        open_device("rocm")


@pytest.mark.parametrize("kind", ["cuda", "xpu", "hpu", "mps"])
def test_an_index_beyond_the_devices_is_refused(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    accelerator(monkeypatch, FakeGpu(), kind)
    with pytest.raises(DeviceError, match=f"no device {kind}:7"):
        open_device(kind, 7)


def test_no_device_is_an_error_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = install(monkeypatch, FakeGpu())
    torch.cuda.is_available = lambda: False
    with pytest.raises(DeviceError, match="no cuda device") as caught:
        open_device("cuda")
    assert caught.value.hint and "CUDA_VISIBLE_DEVICES" in caught.value.hint


def test_a_device_that_fails_while_it_is_opened_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, FakeGpu(failed="out of memory"))
    with pytest.raises(DeviceError, match="out of memory"):
        open_device("cuda")


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed")
def test_without_torch_the_error_says_what_to_install() -> None:
    with pytest.raises(DeviceError, match="needs torch") as caught:
        open_device("cuda")
    assert caught.value.hint and "Install torch" in caught.value.hint


def test_auto_is_the_gpu_that_torch_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, FakeGpu())
    assert open_device().kind == "cuda"


def test_auto_is_the_cpu_where_torch_is_not_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert isinstance(open_device(), CpuDevice)


def test_auto_is_the_cpu_where_torch_sees_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, FakeGpu()).cuda.is_available = lambda: False
    assert open_device("auto").kind == "cpu"


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(InvalidValueError, match="'gpu'") as caught:
        open_device("gpu")
    assert caught.value.hint and all(kind in caught.value.hint for kind in KINDS)


@pytest.mark.parametrize(
    ("kind", "timer"), [("cpu", "event"), ("cuda", "host"), ("xpu", "graph"), ("cpu", "sundial")]
)
def test_a_timer_that_the_device_lacks_is_refused(monkeypatch: pytest.MonkeyPatch, kind: str, timer: str) -> None:
    install(monkeypatch, FakeGpu())
    with pytest.raises(InvalidValueError, match=f"no timer '{timer}'"):
        open_device(kind, timer=timer)


def test_there_is_one_host() -> None:
    with pytest.raises(DeviceError, match="cpu:1"):
        open_device("cpu", 1)


def test_available_lists_what_torch_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, FakeGpu())
    monkeypatch.setenv("PERFTRACK_REPLAY", "recording.json")
    assert available() == ("cpu", "cuda", "xpu", "replay")


def test_available_is_the_cpu_where_there_is_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "_torch_if_useful", lambda: None)
    monkeypatch.delenv("PERFTRACK_REPLAY", raising=False)
    assert available() == ("cpu",)


def test_work_on_the_cpu_imports_nothing_heavy() -> None:
    code = """
import sys
from perftrack.timing.devices import available, open_device
from perftrack.timing.environment import capture
from perftrack.timing.telemetry import open_telemetry
device = open_device()
device.time_window(int, 3, 2, cold=False)
open_telemetry(device.kind, device.index).occupancy()
capture(device.kind)
heavy = {"torch", "numpy", "scipy", "duckdb", "click", "rich", "msgspec", "altair", "git", "pynvml"}
bad = heavy & set(sys.modules)
assert not bad, bad
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_device_is_made_current(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = install(monkeypatch, FakeGpu())
    chosen: list[int] = []
    torch.cuda.device_count = lambda: 3
    torch.cuda.set_device = chosen.append
    assert open_device("cuda", 2).index == 2
    assert chosen == [2]


def test_a_cache_of_unknown_size_is_flushed_amply(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu()
    torch = install(monkeypatch, gpu)
    torch.cuda.get_device_properties = lambda index: Properties(L2_cache_size=0)
    open_device("cuda").time_window(lambda: gpu.kernel(40e-6), 1, 1, cold=True)
    assert f"zero {256 << 20}" in [what for what, _, _ in gpu.log]


def test_the_fake_s_streams_run_side_by_side() -> None:
    gpu = FakeGpu()
    other = FakeStream(gpu)
    gpu.kernel(1e-3)
    gpu.stream = other
    gpu.kernel(1e-3)
    (_, a, _), (_, b, _) = gpu.log
    assert b - a == pytest.approx(gpu.launch_s)
