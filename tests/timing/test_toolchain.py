"""Versions and switches, read from a torch that is a fake."""

from __future__ import annotations

import sys
import warnings
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.fingerprint import UNKNOWN, EnvironmentFingerprint
from perftrack.timing import toolchain
from perftrack.timing.toolchain import (
    arch_family,
    installed_version,
    python_version,
    with_toolchain,
    with_torch_device,
)
from tests.timing.fake_torch import FakeGpu, Properties, make_torch


@pytest.mark.parametrize(
    ("capability", "family"),
    [
        ("7.0", "Volta"),
        ("7.5", "Turing"),
        ("8.0", "Ampere"),
        ("8.6", "Ampere"),
        ("8.9", "Ada"),
        ("9.0", "Hopper"),
        ("10.0", "Blackwell"),
        ("10.3", "Blackwell"),
        ("12.0", "Blackwell"),
        ("12.1", "Blackwell"),
        ("99.1", "unknown-sm991"),
        ("6.1", "unknown-sm61"),
        (None, None),
        ("", None),
        ("9", None),
        ("9.0.1", None),
        ("nine.zero", None),
        ("-9.0", None),
    ],
)
def test_families(capability: str | None, family: str | None) -> None:
    assert arch_family(capability) == family


@given(st.one_of(st.none(), st.text(max_size=12)))
def test_any_text_is_a_family_or_none(text: str | None) -> None:
    family = arch_family(text)
    assert family is None or family


def test_python_s_version_is_whole() -> None:
    assert python_version().rstrip("t").endswith(".".join(map(str, sys.version_info[:3])))


def test_an_installed_version_is_that_of_the_first_package_there_is() -> None:
    assert installed_version("no-such-package") is None
    assert installed_version("no-such-package", "pytest") == pytest.__version__


def test_asking_for_a_version_imports_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "jinja2", raising=False)
    assert installed_version("jinja2") is not None
    assert "jinja2" not in sys.modules


@pytest.fixture
def torch() -> Any:
    return make_torch(FakeGpu())


def toolchain_of(torch: Any, kind: str = "cuda", **environ: str) -> EnvironmentFingerprint:
    return with_toolchain(EnvironmentFingerprint(device_kind=kind), torch, kind, environ)


def test_versions(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "_mapped", lambda name: ())
    monkeypatch.setattr(
        toolchain,
        "installed_version",
        lambda *packages: {"triton": "3.6.0", "nvidia-cublas": "13.1.0.3"}[packages[0]],
    )
    shown = toolchain_of(torch)
    assert (shown.torch_version, shown.cuda_version, shown.cudnn_version) == ("2.11.0+cu130", "13.0", "9.10.2")
    assert (shown.triton_version, shown.cublas_version) == ("3.6.0", "13.1.0.3")


def test_older_cudnn_counts_in_thousands(torch: Any) -> None:
    torch.backends.cudnn.version = lambda: 8902
    assert toolchain_of(torch).cudnn_version == "8.9.2"


def test_a_cublas_that_can_t_be_asked_is_unknown(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "installed_version", lambda *packages: None)
    monkeypatch.setattr(toolchain, "_mapped", lambda name: ("/no/such/libcublas.so.13",))
    assert toolchain_of(torch).cublas_version is UNKNOWN


def test_mapped_libraries_are_those_of_this_process() -> None:
    assert any("libc" in path for path in toolchain._mapped("libc"))
    assert toolchain._mapped("libcublas.so") == ()


def test_a_library_without_cublas_s_call_is_not_asked() -> None:
    (path, *_) = toolchain._mapped("libc.so")
    assert toolchain._ask_cublas(path) is None


def test_switches_and_math_flags(torch: Any) -> None:
    plain = toolchain_of(torch)
    assert (plain.tf32_matmul, plain.tf32_override, plain.deterministic) == (False, None, False)
    assert plain.reduced_precision_reduction == "fp16 on, bf16 on"
    assert (plain.launch_blocking, plain.tunableop) == (False, False)
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = (False, True)
    torch.are_deterministic_algorithms_enabled = lambda: True
    switched = toolchain_of(
        torch, NVIDIA_TF32_OVERRIDE="0", CUDA_LAUNCH_BLOCKING="1", PYTORCH_TUNABLEOP_ENABLED="1"
    )
    assert (switched.tf32_matmul, switched.tf32_override, switched.deterministic) == (True, "0", True)
    assert switched.reduced_precision_reduction == "fp16 on, bf16 off"
    assert (switched.launch_blocking, switched.tunableop) == (True, True)


@pytest.mark.parametrize("value", ["", "0"])
def test_off_and_unset_are_one_environment(torch: Any, value: str) -> None:
    assert toolchain_of(torch, CUDA_LAUNCH_BLOCKING=value).key_id == toolchain_of(torch).key_id


def test_tunableop_is_asked_of_torch_where_it_can_be(torch: Any) -> None:
    torch.cuda.tunable = SimpleNamespace(is_enabled=lambda: True)
    assert toolchain_of(torch).tunableop is True


def test_the_newer_tf32_setting_where_the_older_is_refused_or_warns(torch: Any) -> None:
    class Matmul:
        fp32_precision = "tf32"

        @property
        def allow_tf32(self) -> bool:
            warnings.warn("use the new API", UserWarning, stacklevel=1)
            raise RuntimeError("mix of the legacy and new APIs")

    torch.backends.cuda.matmul = Matmul()
    assert toolchain._tf32(torch) is True


def test_rocm_has_no_cuda_fields() -> None:
    torch = make_torch(FakeGpu(), hip="6.4.1")
    shown = toolchain_of(torch, "rocm")
    assert (shown.cuda_version, shown.cublas_version, shown.tf32_matmul) == ("6.4.1", None, None)
    device = with_torch_device(EnvironmentFingerprint(), torch, "rocm", 0)
    assert (device.compute_cap, device.arch_family) == ("gfx942", "CDNA 3")


def test_the_device(torch: Any) -> None:
    shown = with_torch_device(EnvironmentFingerprint(), torch, "cuda", 0)
    assert (shown.gpu_name, shown.compute_cap, shown.arch_family) == ("NVIDIA H200", "9.0", "Hopper")
    assert (shown.sm_count, shown.gpu_memory_gib, shown.mig_profile) == (132, 140, None)


def test_a_slice_s_profile_is_in_its_name(torch: Any) -> None:
    torch.cuda.get_device_properties = lambda index: Properties(name="NVIDIA H200 MIG 2g.35gb")
    assert with_torch_device(EnvironmentFingerprint(), torch, "cuda", 0).mig_profile == "2g.35gb"


def test_an_xpu(torch: Any) -> None:
    shown = with_torch_device(EnvironmentFingerprint(), torch, "xpu", 0)
    assert (shown.sm_count, shown.gpu_memory_gib) == (512, 140)
