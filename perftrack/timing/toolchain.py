"""Versions and switches of the software that runs GPU work, read from the modules of this process."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import sysconfig
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from perftrack.core.fingerprint import UNKNOWN, EnvironmentFingerprint, FieldValue
from perftrack.timing.amd import amd_family

TRITON_PACKAGES = ("triton", "pytorch-triton", "pytorch-triton-rocm", "pytorch-triton-xpu", "triton-windows")
_CUBLAS_PACKAGES = ("nvidia-cublas", "nvidia-cublas-cu13", "nvidia-cublas-cu12", "nvidia-cublas-cu11")
_ARCHITECTURES = {
    (7, 0): "Volta",
    (7, 2): "Volta",
    (7, 5): "Turing",
    (8, 0): "Ampere",
    (8, 6): "Ampere",
    (8, 7): "Ampere",
    (8, 8): "Ampere",
    (8, 9): "Ada",
    (9, 0): "Hopper",
    (10, 0): "Blackwell",
    (10, 1): "Blackwell",
    (10, 3): "Blackwell",
    (11, 0): "Blackwell",
    (12, 0): "Blackwell",
    (12, 1): "Blackwell",
}


def arch_family(compute_cap: str | None) -> str | None:
    """Family of an NVIDIA compute capability such as "9.0".

    `unknown-smXY` for one that is not in the table, None for what is no capability.
    """
    match = re.fullmatch(r"\s*(\d+)\.(\d+)\s*", compute_cap or "")
    if match is None:
        return None
    major, minor = int(match[1]), int(match[2])
    return _ARCHITECTURES.get((major, minor), f"unknown-sm{major}{minor}")


def python_version() -> str:
    """`3.12.3`; builds without the GIL end in `t`, other interpreters than CPython say so."""
    threads = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    version = platform.python_version() + threads
    name = platform.python_implementation()
    return version if name == "CPython" else f"{name} {version}"


def installed_version(*packages: str) -> str | None:
    """Version of the first of these that is installed for this interpreter; nothing of them is imported to ask."""
    from importlib import metadata  # a tenth of what starting a worker takes, and not every one asks

    for package in packages:
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return None


def with_torch_device(
    fingerprint: EnvironmentFingerprint, torch: Any, kind: str, index: int
) -> EnvironmentFingerprint:
    """Name, capability, multiprocessors and memory of the device that torch numbers `index`."""
    if kind in ("cuda", "rocm"):
        properties = torch.cuda.get_device_properties(index)
        name, memory = str(properties.name), _gib(properties.total_memory)
        if kind == "rocm":
            target = str(getattr(properties, "gcnArchName", "")).partition(":")[0]
            capability, family = target or UNKNOWN, amd_family(target) or UNKNOWN
        else:
            capability = f"{properties.major}.{properties.minor}"
            family = arch_family(capability) or UNKNOWN
        return replace(
            fingerprint,
            gpu_name=name,
            compute_cap=capability,
            arch_family=family,
            sm_count=int(properties.multi_processor_count),
            gpu_memory_gib=memory,
            mig_profile=name.rpartition(" MIG ")[2] if " MIG " in name else fingerprint.mig_profile,
        )
    if kind == "xpu":
        properties = torch.xpu.get_device_properties(index)
        units = getattr(properties, "max_compute_units", None)
        return replace(
            fingerprint,
            gpu_name=str(properties.name),
            sm_count=UNKNOWN if units is None else int(units),
            gpu_memory_gib=_gib(properties.total_memory),
        )
    return fingerprint


def with_toolchain(
    fingerprint: EnvironmentFingerprint, torch: Any, kind: str, environ: Mapping[str, str] = os.environ
) -> EnvironmentFingerprint:
    """Versions, and the switches that change which kernel runs."""
    nvidia = kind == "cuda"
    return replace(
        fingerprint,
        torch_version=str(torch.__version__),
        triton_version=installed_version(*TRITON_PACKAGES),
        cuda_version=torch.version.hip if kind == "rocm" else torch.version.cuda if nvidia else None,
        cudnn_version=_cudnn(torch) if kind in ("cuda", "rocm") else None,
        cublas_version=_cublas() if nvidia else None,
        tf32_matmul=_tf32(torch) if nvidia else None,
        tf32_override=environ.get("NVIDIA_TF32_OVERRIDE") if nvidia else None,
        reduced_precision_reduction=_reduced_precision(torch) if kind in ("cuda", "rocm") else None,
        deterministic=bool(torch.are_deterministic_algorithms_enabled()),
        launch_blocking=_switch(environ, "CUDA_LAUNCH_BLOCKING") if kind in ("cuda", "rocm") else None,
        tunableop=_tunableop(torch, environ) if kind in ("cuda", "rocm") else None,
    )


def _gib(size: int) -> int:
    return round(int(size) / 2**30)


def _switch(environ: Mapping[str, str], name: str) -> bool:
    """Unset and 0 are the same environment."""
    return environ.get(name, "0") not in ("", "0")


def _cudnn(torch: Any) -> FieldValue:
    cudnn = torch.backends.cudnn
    if not cudnn.is_available():
        return None
    version = cudnn.version()
    if not isinstance(version, int):
        return UNKNOWN
    if torch.version.hip is not None:
        return str(version)
    step = 10_000 if version >= 90_000 else 1_000
    return f"{version // step}.{version % step // 100}.{version % 100}"


def _cublas() -> FieldValue:
    """Version of the library that this process has loaded, asked of the library itself; else the package's."""
    for path in _mapped("libcublas.so"):
        if (version := _ask_cublas(path)) is not None:
            return version
    return installed_version(*_CUBLAS_PACKAGES) or UNKNOWN


def _mapped(name: str) -> tuple[str, ...]:
    try:
        maps = Path("/proc/self/maps").read_text()
    except OSError:
        return ()
    paths = {line.rpartition(" ")[2] for line in maps.splitlines()}
    return tuple(sorted(p for p in paths if p.startswith("/") and name in Path(p).name))


def _ask_cublas(path: str) -> str | None:
    parts = []
    try:
        library = ctypes.CDLL(path)
        for which in range(3):  # major, minor, patch level
            value = ctypes.c_int()
            if library.cublasGetProperty(which, ctypes.byref(value)) != 0:
                return None
            parts.append(str(value.value))
    except (OSError, AttributeError):
        return None
    return ".".join(parts)


def _tf32(torch: Any) -> FieldValue:
    matmul = torch.backends.cuda.matmul
    with warnings.catch_warnings():
        # Newer versions warn about the older name, and refuse it once the newer one was used.
        warnings.simplefilter("ignore")
        try:
            return bool(matmul.allow_tf32)
        except (AttributeError, RuntimeError):
            precision = getattr(matmul, "fp32_precision", None)
    return UNKNOWN if precision is None else precision == "tf32"


def _reduced_precision(torch: Any) -> FieldValue:
    matmul = torch.backends.cuda.matmul
    shown = []
    for kind in ("fp16", "bf16"):
        value = getattr(matmul, f"allow_{kind}_reduced_precision_reduction", None)
        if value is None:
            return UNKNOWN
        # Newer versions add whether split-K is allowed to the answer.
        allowed = value[0] if isinstance(value, tuple) else value
        shown.append(f"{kind} {'on' if allowed else 'off'}")
    return ", ".join(shown)


def _tunableop(torch: Any, environ: Mapping[str, str]) -> bool:
    tunable = getattr(torch.cuda, "tunable", None)
    if tunable is not None:
        return bool(tunable.is_enabled())
    return _switch(environ, "PYTORCH_TUNABLEOP_ENABLED")
