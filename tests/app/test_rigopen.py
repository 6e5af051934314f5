"""Opening a rig: every backend through its fake, and what is refused with a reason."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from perftrack.app.rigopen import find_devices, open_readings, open_torch
from perftrack.ceiling.streams import Stream
from perftrack.core.ceiling import DataType, Shape
from perftrack.errors import DeviceError
from tests.ceiling.fake_rig import FakeTensor, Products, matrix_torch
from tests.timing import fake_nvml, fake_torch
from tests.timing.fake_nvml import FakeCard, FakeNvml, NotSupported
from tests.timing.fake_torch import FakeGpu
from tests.timing.test_vendors import amdsmi, pyhlml

SHAPE = Shape(1024, 1024, 1024)


class Nvml(FakeNvml):
    def nvmlDeviceGetMaxClockInfo(self, card: FakeCard, which: int) -> int:
        return 1980

    def nvmlDeviceGetNvLinkState(self, card: FakeCard, link: int) -> int:
        raise NotSupported


def machine(monkeypatch: pytest.MonkeyPatch, kind: str, nvml: FakeNvml | None = None) -> tuple[Any, Products]:
    """A host whose torch, card library and clock are fakes."""
    gpu = FakeGpu()
    hip = "6.4" if kind == "rocm" else None
    fake_torch.install(monkeypatch, gpu, hip=hip)
    products = Products(gpu)
    torch = matrix_torch(gpu, products, hip=hip)
    torch.backends.mps = SimpleNamespace(is_available=lambda: kind == "mps")
    plain = torch.mm
    torch.mm = lambda a, b, out: plain(a, b, out=out) if isinstance(a, FakeTensor) else gpu.launch("delay", 50e-6)
    torch.abs = lambda b, out: gpu.launch("elementwise", 4e-6)
    torch.add = lambda b, c, alpha, out: gpu.launch("triad", 5e-6)
    monkeypatch.setitem(sys.modules, "torch", torch)
    if kind == "cuda":
        fake_nvml.install(monkeypatch, nvml or Nvml())
    if kind == "rocm":
        amdsmi(monkeypatch, "0000:1b:00.0")
    if kind == "hpu":
        fake_torch.install_habana(monkeypatch, gpu, lambda: None)
        pyhlml(monkeypatch)
    return torch, products


@pytest.mark.parametrize(
    ("kind", "library", "separates", "units"),
    [
        ("cuda", "nvml", True, 132),
        ("rocm", "amdsmi", False, 132),
        ("hpu", "hlml", False, None),
        ("xpu", "", False, None),
        ("mps", "", False, None),
    ],
)
def test_every_backend_opens_with_what_is_known_of_it(
    monkeypatch: pytest.MonkeyPatch, kind: str, library: str, separates: bool, units: int | None
) -> None:
    machine(monkeypatch, kind)
    opened = open_torch(kind, 0, DataType.BFLOAT16)
    facts = opened.rig.facts
    assert (facts.telemetry, facts.power_separates, facts.unit_count) == (library, separates, units)
    assert (facts.tile_hint is not None) is (units is not None)
    assert facts.geometry_checked is (kind == "cuda")
    burst = opened.rig.burst(SHAPE, 4)
    assert len(burst.seconds) == 4 and min(burst.seconds) > 0
    assert bool(burst.clock_mhz) is bool(library)
    timing, _ = opened.stream(Stream.TRIAD, 1 << 20, 3, 10)
    assert timing.seconds == pytest.approx((5e-6,) * 3, rel=0.05)
    assert opened.fingerprint.device_kind == kind
    opened.close()


def test_a_card_s_numbers_are_in_the_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    torch, _ = machine(monkeypatch, "cuda")
    torch.cuda.mem_get_info = lambda index: (100 << 30, 140 << 30)
    facts = open_torch("cuda", 0, DataType.BFLOAT16).rig.facts
    assert (facts.product, facts.l2_bytes, facts.memory_bytes) == ("NVIDIA H200", 62_914_560, 100 << 30)
    assert (facts.max_clock_mhz, facts.power_limit_w) == (1980.0, 700.0)


def test_tf32_is_on_before_the_environment_is_captured(monkeypatch: pytest.MonkeyPatch) -> None:
    torch, _ = machine(monkeypatch, "cuda")
    matmul = torch.backends.cuda.matmul
    torch.set_float32_matmul_precision = lambda value: setattr(matmul, "allow_tf32", value == "high")
    assert open_torch("cuda", 0, DataType.TF32).fingerprint.tf32_matmul is True
    assert open_torch("cuda", 0, DataType.FLOAT32).fingerprint.tf32_matmul is False


@pytest.mark.parametrize("kind", ["cuda", "rocm", "hpu"])
def test_readings_that_should_be_there_and_are_not_refuse_a_ceiling(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    machine(monkeypatch, kind)
    for module in ("pynvml", "amdsmi", "pyhlml"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DeviceError, match="validated by clock and power, which can't be read") as caught:
        open_torch(kind, 0, DataType.BFLOAT16)
    assert "--telemetry off" in (caught.value.hint or "")
    opened = open_torch(kind, 0, DataType.BFLOAT16, telemetry=False)
    assert opened.rig.facts.telemetry == ""
    assert opened.telemetry.why_none == "telemetry was switched off"


def test_a_library_that_reads_no_clock_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    nvml = Nvml()
    machine(monkeypatch, "cuda", nvml)
    nvml.fails["nvmlDeviceGetClockInfo"] = NotSupported()
    with pytest.raises(DeviceError, match="nvml reads no clock"):
        open_readings("cuda", 0)
    nvml.fails["nvmlDeviceGetPowerUsage"] = NotSupported()
    with pytest.raises(DeviceError, match="no clock and no power"):
        open_readings("cuda", 0)


def test_a_type_that_the_card_lacks_is_refused_before_it_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    _, products = machine(monkeypatch, "cuda")
    with pytest.raises(DeviceError, match=r"does not multiply nvfp4: it has compute capability 9\.0"):
        open_torch("cuda", 0, DataType.NVFP4)
    assert products.calls == []


def test_a_type_that_only_trying_refuses_is_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    _, products = machine(monkeypatch, "cuda")

    def fail(m: int, n: int, k: int) -> None:
        raise RuntimeError("CUBLAS_STATUS_NOT_SUPPORTED")

    products.fail = fail
    with pytest.raises(DeviceError, match=r"does not multiply float16: .*CUBLAS_STATUS_NOT_SUPPORTED"):
        open_torch("cuda", 0, DataType.FLOAT16)


def test_tunable_kernels_are_handed_to_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    torch, products = machine(monkeypatch, "rocm")
    states: list[bool] = []
    torch.cuda.tunable = SimpleNamespace(is_enabled=lambda: True, tuning_enable=states.append)
    opened = open_torch("rocm", 0, DataType.BFLOAT16)
    assert opened.rig.tuner is not None and opened.notes == ()
    ran = len(products.calls)
    opened.rig.tuner.tune(SHAPE)
    assert states == [True, False]
    assert len(products.calls) == ran + 1


def test_an_amd_card_without_tuned_kernels_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, "rocm")
    assert [n.code for n in open_torch("rocm", 0, DataType.BFLOAT16).notes] == ["tunableop-off"]
    machine(monkeypatch, "cuda")
    assert open_torch("cuda", 0, DataType.BFLOAT16).notes == ()


@pytest.mark.parametrize("kind", ["cuda", "rocm", "xpu", "hpu", "mps"])
def test_devices_are_counted(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    machine(monkeypatch, kind)
    assert find_devices(kind) == (kind, 1)
    assert find_devices("replay") == ("replay", 1)


def test_an_amd_build_of_torch_is_rocm_whatever_it_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, "rocm")
    assert find_devices("cuda") == ("rocm", 1)
    assert find_devices("auto")[0] == "rocm"


def test_hosts_without_accelerator_are_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("perftrack.app.rigopen.available", lambda: ("cpu",))
    with pytest.raises(DeviceError, match="no accelerator here"):
        find_devices("auto")
    with pytest.raises(DeviceError, match="not of CPUs"):
        find_devices("cpu")
