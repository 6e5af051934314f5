"""The fingerprint of where work runs: which fields apply to a device, and where each is read.

Fields that do not apply stay None; those that apply and could not be read are UNKNOWN, which caps the tier.
Work on the CPU is filed under the versions that are installed, not those that its process has imported so far:
cases share processes in random order, and one that imports NumPy must not change the environment of the next.
"""

from __future__ import annotations

import os
import platform
import shlex
import socket
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from perftrack.core.fingerprint import UNKNOWN, EnvironmentFingerprint, FieldValue
from perftrack.errors import DeviceError
from perftrack.timing import host
from perftrack.timing.clocklock import read_record, state_directory
from perftrack.timing.devices import available, resolve_kind
from perftrack.timing.devices.cuda import import_torch
from perftrack.timing.devices.replay import open_playback
from perftrack.timing.gauge import Gauge
from perftrack.timing.telemetry import open_gauge
from perftrack.timing.toolchain import (
    TRITON_PACKAGES,
    arch_family,
    installed_version,
    python_version,
    with_toolchain,
    with_torch_device,
)

__all__ = ["ENVIRONMENT_VARIABLES", "arch_family", "capture", "capture_fingerprint"]

# Only these are ever stored: an environment holds secrets.
ENVIRONMENT_VARIABLES = (
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_CACHE_DISABLE",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_DEVICE_ORDER",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MODULE_LOADING",
    "CUDA_VISIBLE_DEVICES",
    "GOMP_CPU_AFFINITY",
    "HABANA_VISIBLE_MODULES",
    "HIP_VISIBLE_DEVICES",
    "KMP_AFFINITY",
    "LD_PRELOAD",
    "MALLOC_ARENA_MAX",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NVIDIA_TF32_OVERRIDE",
    "OMP_NUM_THREADS",
    "OMP_PROC_BIND",
    "OPENBLAS_NUM_THREADS",
    "PT_HPU_LAZY_MODE",
    "PYTHONHASHSEED",
    "PYTHONMALLOC",
    "PYTHONOPTIMIZE",
    "PYTHON_GIL",
    "PYTHON_JIT",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_TUNABLEOP_ENABLED",
    "ROCR_VISIBLE_DEVICES",
    "TORCHINDUCTOR_MAX_AUTOTUNE",
    "TORCH_BLAS_PREFER_CUBLASLT",
    "TRITON_INTERPRET",
    "ZE_AFFINITY_MASK",
)
_LONGEST_VALUE = 200
_GPU_KINDS = ("cuda", "rocm", "xpu", "hpu", "mps")
# What telemetry could tell; UNKNOWN until it does.
_FROM_TELEMETRY = {
    "cuda": ("power_limit_w", "ecc", "driver_version"),
    "rocm": ("power_limit_w", "driver_version"),
    "hpu": ("power_limit_w", "driver_version"),
}
_CLOCK_STEP_MHZ = 15


def capture(
    kind: str, index: int = 0, *, policy: str | None = None, locked: bool = False
) -> EnvironmentFingerprint:
    """The fingerprint of work on a device as `open_device` names it.

    policy: fields moved between key and context, as `make_policy` writes them. locked: the clocks were
    locked and verified. Raises DeviceError where the device's own library is not installed.
    """
    kind = resolve_kind(kind)
    if kind == "replay":
        return replace(open_playback().recording.fingerprint, policy=policy)
    base = EnvironmentFingerprint(
        device_kind=kind,
        machine=platform.machine(),
        python_version=python_version(),
        host=socket.gethostname(),
        os=host.operating_system(),
        container=host.container(),
        smt=host.smt(),
        turbo=host.turbo(),
        environment=_environment(os.environ),
        policy=policy,
    )
    if kind in _GPU_KINDS:
        return _with_gpu(base, kind, index, locked=locked)
    return replace(
        base,
        cpu_model=host.cpu_model(),
        cpu_cores=host.cores_in_use(),
        cpu_governor=host.governor_class(),
        torch_version=installed_version("torch"),
        triton_version=installed_version(*TRITON_PACKAGES),
        numpy_version=installed_version("numpy"),
    )


def capture_fingerprint(device_index: int = 0) -> EnvironmentFingerprint:
    """The environment of work on this machine's GPU, or on its CPU where torch sees none.

    Imports torch where it is installed and the machine has a GPU's driver. `matches` of two fingerprints
    says whether numbers taken in them may be compared.
    """
    kinds = available()
    kind = next((k for k in ("cuda", "rocm") if k in kinds), "cpu")
    return capture(kind, device_index if kind != "cpu" else 0)


def _with_gpu(base: EnvironmentFingerprint, kind: str, index: int, *, locked: bool) -> EnvironmentFingerprint:
    torch: Any = import_torch(kind)
    unknown: dict[str, Any] = dict.fromkeys(_FROM_TELEMETRY.get(kind, ()), UNKNOWN)
    named = replace(base, gpu_host_cpu=host.cpu_model(), gpu_name=UNKNOWN, **unknown)
    result = with_toolchain(with_torch_device(named, torch, kind, index), torch, kind)
    if kind == "mps":
        result = replace(result, gpu_name=host.cpu_model())  # one chip
    try:
        gauge = open_gauge(kind, index)
    except DeviceError:
        return replace(result, clock_lock=_clock_lock(None, locked=locked))
    try:
        return replace(gauge.describe(result), clock_lock=_clock_lock(gauge, locked=locked))
    finally:
        gauge.close()


def _clock_lock(gauge: Gauge | None, *, locked: bool) -> FieldValue:
    """`floating`, or the clock that it is locked to: two locks to different clocks are two environments."""
    if not locked:
        return "floating"
    if gauge is None:
        return UNKNOWN
    record = read_record(gauge.card_id, state_directory())
    target = float(record.target_mhz) if record is not None and record.held else gauge.set_point_mhz()
    if target is None:
        clock = gauge.clock_mhz()
        target = None if clock is None else _CLOCK_STEP_MHZ * round(clock / _CLOCK_STEP_MHZ)
    return UNKNOWN if target is None else f"locked {target:g} MHz"


def _environment(environ: Mapping[str, str]) -> FieldValue:
    """`NAME=value …` of the allow-listed variables that are set; None where none is."""
    shown = [
        f"{name}={shlex.quote(environ[name][:_LONGEST_VALUE])}"
        for name in ENVIRONMENT_VARIABLES
        if name in environ
    ]
    return " ".join(shown) or None
