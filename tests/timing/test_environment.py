"""Which fields a device's fingerprint has, and what each becomes when it can't be read."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

from perftrack.core.fingerprint import UNKNOWN, EnvironmentFingerprint
from perftrack.errors import DeviceError
from perftrack.timing import environment, toolchain
from perftrack.timing.environment import ENVIRONMENT_VARIABLES, capture, capture_fingerprint
from tests.timing import fake_nvml, fake_torch
from tests.timing.fake_nvml import FakeNvml, NVMLError

GPU_FIELDS = (
    "gpu_name", "compute_cap", "arch_family", "sm_count", "gpu_memory_gib", "mig_profile", "power_limit_w",
    "clock_lock", "ecc", "driver_version", "cuda_version", "cudnn_version", "cublas_version", "tf32_matmul",
    "reduced_precision_reduction", "launch_blocking", "tunableop", "gpu_uuid", "gpu_host_cpu",
)  # fmt: skip


@pytest.fixture
def nvml(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeNvml:
    """A GPU machine: torch and NVML agree on one H200."""
    fake_torch.install(monkeypatch, fake_torch.FakeGpu())
    nvml = FakeNvml()
    fake_nvml.install(monkeypatch, nvml)
    monkeypatch.setattr(toolchain, "_mapped", lambda name: ())
    monkeypatch.setattr(toolchain, "installed_version", lambda *packages: "1.0")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return nvml


def test_work_on_the_cpu_has_no_gpu_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    shown = capture("cpu")
    assert {name: shown.value(name) for name in GPU_FIELDS} == dict.fromkeys(GPU_FIELDS)
    assert shown.device_kind == "cpu"
    assert shown.cpu_cores == len(os.sched_getaffinity(0))
    assert shown.unknown_key_fields == ()


def test_versions_of_cpu_work_do_not_depend_on_what_its_process_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    with_it = capture("cpu")
    monkeypatch.delitem(sys.modules, "numpy", raising=False)
    assert capture("cpu") == with_it
    assert with_it.numpy_version == importlib.metadata.version("numpy")


def test_the_same_environment_twice_may_be_compared() -> None:
    assert capture("cpu").matches(capture("cpu"))


def test_work_on_a_gpu_knows_every_key_field(nvml: FakeNvml) -> None:
    shown = capture("cuda")
    assert shown.unknown_key_fields == ()
    assert (shown.gpu_name, shown.power_limit_w, shown.clock_lock) == ("NVIDIA H200", 700, "floating")
    assert nvml.shutdowns == 1


def test_work_on_a_gpu_keeps_the_host_s_cpu_as_context(nvml: FakeNvml) -> None:
    shown = capture("cuda")
    assert (shown.cpu_model, shown.cpu_cores, shown.cpu_governor, shown.numpy_version) == (None, None, None, None)
    assert shown.gpu_host_cpu is not None


def test_what_nvml_would_tell_is_unknown_without_it(nvml: FakeNvml, monkeypatch: pytest.MonkeyPatch) -> None:
    nvml.fails["nvmlInit"] = NVMLError("Driver Not Loaded")
    assert set(capture("cuda").unknown_key_fields) == {"power_limit_w", "ecc", "driver_version"}


def test_a_rocm_gpu_without_amdsmi_says_what_it_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_torch.install(monkeypatch, fake_torch.FakeGpu(), hip="6.4")
    monkeypatch.setitem(sys.modules, "amdsmi", None)
    shown = capture("cuda")
    assert shown.device_kind == "rocm"
    assert set(shown.unknown_key_fields) == {"power_limit_w", "driver_version"}


def test_a_lock_s_clock_is_part_of_the_key(nvml: FakeNvml) -> None:
    nvml.cards[0].sm_mhz = 1500
    low = capture("cuda", locked=True)
    nvml.cards[0].sm_mhz = 1800
    high = capture("cuda", locked=True)
    assert (low.clock_lock, high.clock_lock) == ("locked 1500 MHz", "locked 1800 MHz")
    assert not low.matches(high) and not low.matches(capture("cuda"))


def test_a_locked_clock_that_reads_a_little_off_is_the_same_lock(nvml: FakeNvml) -> None:
    nvml.cards[0].sm_mhz = 1503
    assert capture("cuda", locked=True).clock_lock == "locked 1500 MHz"


def test_a_lock_that_can_t_be_read_is_unknown(nvml: FakeNvml) -> None:
    nvml.fails["nvmlInit"] = NVMLError("Driver Not Loaded")
    assert capture("cuda", locked=True).clock_lock is UNKNOWN


def test_the_fingerprint_s_policy_is_kept() -> None:
    assert capture("cpu", policy="context:python_version").policy == "context:python_version"


def test_only_listed_variables_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ENVIRONMENT_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert capture("cpu").environment is None
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    monkeypatch.setenv("LD_PRELOAD", "a b" + "x" * 1000)
    shown = str(capture("cpu").environment)
    assert "hunter2" not in str(capture("cpu").to_dict())
    assert shown.startswith("LD_PRELOAD='a bx") and shown.endswith("OMP_NUM_THREADS=4")
    assert len(shown) < 300


def test_no_listed_variable_looks_like_a_secret() -> None:
    assert not [n for n in ENVIRONMENT_VARIABLES if any(w in n for w in ("KEY", "TOKEN", "SECRET", "PASS"))]


def test_the_public_function_takes_the_gpu_where_there_is_one(nvml: FakeNvml) -> None:
    assert capture_fingerprint().device_kind == "cuda"


def test_and_the_cpu_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "available", lambda: ("cpu",))
    assert capture_fingerprint(0).device_kind == "cpu"


def test_a_gpu_fingerprint_without_torch_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(DeviceError, match="needs torch"):
        capture("cuda")


def test_a_fingerprint_survives_its_own_json(nvml: FakeNvml) -> None:
    nvml.fails["nvmlDeviceGetEccMode"] = NVMLError("Unknown Error")
    shown = capture("cuda")
    assert shown.ecc is UNKNOWN
    assert EnvironmentFingerprint.from_dict(shown.to_dict()) == shown


def test_memory_to_the_byte_is_not_in_the_key(nvml: FakeNvml, monkeypatch: pytest.MonkeyPatch) -> None:
    first = capture("cuda")
    torch = sys.modules["torch"]
    monkeypatch.setattr(
        torch.cuda,
        "get_device_properties",
        lambda index: fake_torch.Properties(total_memory=150_109_880_320 - 4096),
    )
    assert capture("cuda").matches(first)


def test_two_fresh_processes_have_one_key() -> None:
    code = "from perftrack.timing.environment import capture; print(capture('cpu').key_id)"
    ids = {
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
        for _ in range(2)
    }
    assert len(ids) == 1
