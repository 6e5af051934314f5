"""The environment's identity: a registry of fields, of which the key fields must match exactly.

Standard library only: worker processes import this. The dataclass *is* the registry: capture, diff, storage and
display read role, label and reason from its fields. Three kinds of emptiness are kept apart. `ABSENT` (None): it
does not exist here. `UNKNOWN`: it exists, or may, and could not be read. Zero is a value.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import lru_cache, partial
from typing import Any, Final, cast

from perftrack.core.sameness import Same
from perftrack.errors import InvalidValueError


class Unknown(Enum):
    """A value that could not be read. Equal only to itself, and it caps the tier at B."""

    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown.UNKNOWN

FieldValue = str | int | float | bool | None | Unknown


class Role(StrEnum):
    KEY = "key"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """One row of the registry."""

    name: str
    role: Role
    label: str
    why: str
    unit: str = ""

    def show(self, value: FieldValue) -> str:
        """The value for people: `absent`, `unknown`, or the value with its unit."""
        if value is None:
            return "absent"
        if isinstance(value, Unknown):
            return "unknown"
        if isinstance(value, bool):
            return "on" if value else "off"
        text = f"{value:g}" if isinstance(value, float) else str(value)
        return f"{text} {self.unit}".strip()


def _field(role: Role, label: str, why: str, unit: str = "") -> Any:
    return dataclasses.field(default=None, metadata={"role": role, "label": label, "why": why, "unit": unit})


_key, _context = partial(_field, Role.KEY), partial(_field, Role.CONTEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentFingerprint:
    """Toolchain and device that a measurement was taken on.

    `matches` True means: every key field of the two is equal, so their numbers may be compared.
    False means at least one differs; `differences` names each.
    """

    device_kind: str | None = _key("device kind", "cpu, cuda, rocm, …: what ran the work")
    # Device
    gpu_name: FieldValue = _key("GPU", "another product is another machine")
    compute_cap: FieldValue = _key("compute capability", "selects the machine code that runs")
    arch_family: FieldValue = _key("architecture", "name of the compute capability's family")
    sm_count: FieldValue = _key("SM count", "parts of one name are sold with different counts")
    gpu_memory_gib: FieldValue = _key("GPU memory class", "in whole GiB: free memory jitters", "GiB")
    mig_profile: FieldValue = _key("MIG profile", "a slice has fewer SMs and less bandwidth")
    power_limit_w: FieldValue = _key("power limit", "sets the sustained clock of saturated kernels", "W")
    clock_lock: FieldValue = _key("clock lock", "locked and floating clocks are different machines")
    ecc: FieldValue = _key("ECC", "costs bandwidth on parts with inline ECC")
    # Toolchain
    driver_version: FieldValue = _key("driver", "ships the JIT compiler and the scheduler")
    cuda_version: FieldValue = _key("CUDA/ROCm runtime", "ships the libraries that launch the work")
    torch_version: FieldValue = _key("torch", "chooses the kernels")
    triton_version: FieldValue = _key("triton", "compiles the kernels")
    cudnn_version: FieldValue = _key("cuDNN", "chooses convolution and attention kernels")
    cublas_version: FieldValue = _key("cuBLAS", "chooses GEMM kernels")
    # Switches that change which kernel runs
    tf32_matmul: FieldValue = _key("TF32 matmul", "float32 products on tensor cores or not")
    tf32_override: FieldValue = _key("NVIDIA_TF32_OVERRIDE", "overrides the framework's choice")
    reduced_precision_reduction: FieldValue = _key("reduced-precision reduction", "other split-K paths")
    deterministic: FieldValue = _key("deterministic algorithms", "excludes the faster kernels")
    launch_blocking: FieldValue = _key("CUDA_LAUNCH_BLOCKING", "serialises every launch")
    tunableop: FieldValue = _key("PYTORCH_TUNABLEOP_ENABLED", "replaces the GEMM heuristic")
    # Host, for work that runs on it
    cpu_model: FieldValue = _key("CPU", "another product is another machine; for CPU work")
    cpu_cores: FieldValue = _key("cores in use", "affinity mask of the worker; for CPU work")
    cpu_governor: FieldValue = _key("governor class", "performance or scaling; for CPU work")
    machine: FieldValue = _key("machine", "instruction set")
    python_version: FieldValue = _key("Python", "interprets CPU benchmarks and launches GPU ones")
    numpy_version: FieldValue = _key("NumPy", "does the work of many CPU benchmarks")
    # Context
    gpu_uuid: FieldValue = _context("GPU UUID", "which card of its kind")
    vbios: FieldValue = _context("VBIOS", "sets fan and power tables")
    pcie_gen: FieldValue = _context("PCIe generation", "host copies only", "")
    persistence: FieldValue = _context("persistence mode", "without it the driver unloads between processes")
    gpu_host_cpu: FieldValue = _context("host CPU", "launch overhead of GPU work")
    host: FieldValue = _context("host", "where it ran")
    os: FieldValue = _context("operating system", "kernel and distribution")
    container: FieldValue = _context("container", "image digest where the runtime tells it")
    smt: FieldValue = _context("SMT", "siblings share a core")
    turbo: FieldValue = _context("turbo", "CPU clocks above base depend on heat and neighbours")
    environment: FieldValue = _context("environment", "allow-listed variables that are set")
    policy: FieldValue = _key("fingerprint policy", "fields that the configuration moved to key or context")

    @classmethod
    def fields(cls) -> tuple[FieldInfo, ...]:
        """The registry, in display order."""
        return _REGISTRY

    def value(self, name: str) -> FieldValue:
        return cast("FieldValue", getattr(self, name))

    def role(self, info: FieldInfo) -> Role:
        """Role of a field under this fingerprint's own policy."""
        return _parse_policy(self.policy).get(info.name, info.role)

    @property
    def key_id(self) -> str:
        """16 hex digits over the key fields that are there: a field added later changes no stored id."""
        return _key_id(Same(self))  # to Python 1 and True are equal, and so are fingerprints with them

    @property
    def id(self) -> str:
        """16 hex digits over all fields, context included."""
        return _digest({i.name: self.value(i.name) for i in _REGISTRY})

    @property
    def unknown_key_fields(self) -> tuple[str, ...]:
        return tuple(i.name for i in _REGISTRY if self.role(i) is Role.KEY and self.value(i.name) is UNKNOWN)

    def matches(self, other: EnvironmentFingerprint) -> bool:
        """True: every key field is equal. False: at least one is not, see `differences`."""
        return self.key_id == other.key_id

    def to_dict(self) -> dict[str, object]:
        """JSON-ready; fields that are absent are left out, an unknown one is {"unknown": true}."""
        return {i.name: encode_value(self.value(i.name)) for i in _REGISTRY if self.value(i.name) is not None}

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> EnvironmentFingerprint:
        """Inverse of `to_dict`. Raises InvalidValueError for what no `to_dict` of this version wrote."""
        if extra := sorted(set(data) - {i.name for i in _REGISTRY}):
            raise InvalidValueError(f"unknown fingerprint field(s): {', '.join(extra)}")
        values: dict[str, Any] = {name: decode_value(value) for name, value in data.items()}
        if not isinstance(values.get("device_kind"), str | None):
            raise InvalidValueError(f"not a device kind: {values['device_kind']!r}")
        _parse_policy(values.get("policy"))
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Difference:
    """One field in which two environments differ."""

    field: FieldInfo
    baseline: FieldValue
    candidate: FieldValue
    refuses: bool  # a key field: the two may not be compared

    def __str__(self) -> str:
        return f"{self.field.label}: {self.field.show(self.baseline)} → {self.field.show(self.candidate)}"


def differences(baseline: EnvironmentFingerprint, candidate: EnvironmentFingerprint) -> tuple[Difference, ...]:
    """Fields whose values differ, key fields first. A field is key if either side's policy says so."""
    found = []
    for info in _REGISTRY:
        a, b = baseline.value(info.name), candidate.value(info.name)
        if _canonical(a) != _canonical(b):
            found.append(Difference(info, a, b, Role.KEY in (baseline.role(info), candidate.role(info))))
    return tuple(sorted(found, key=lambda d: not d.refuses))


def make_policy(*, key: Iterable[str] = (), context: Iterable[str] = ()) -> str | None:
    """Canonical text of the fields that the configuration moves; None where it moves none.

    Raises InvalidValueError for a name that is no field, or that is asked to be both.
    """
    key, context = set(key), set(context)
    known = {i.name: i for i in _REGISTRY if i.name != "policy"}
    if bad := sorted((key | context) - set(known)):
        raise InvalidValueError(f"no fingerprint field named {', '.join(bad)}", "perftrack env lists them")
    if both := sorted(key & context):
        raise InvalidValueError(f"fingerprint field(s) both key and context: {', '.join(both)}")
    wanted = [(Role.KEY, n) for n in sorted(key)] + [(Role.CONTEXT, n) for n in sorted(context)]
    return " ".join(f"{role}:{n}" for role, n in wanted if known[n].role is not role) or None


def _parse_policy(policy: FieldValue) -> dict[str, Role]:
    items = policy.split() if isinstance(policy, str) else []
    try:
        return {name: Role(role) for role, _, name in (item.partition(":") for item in items)}
    except ValueError as error:
        raise InvalidValueError(f"not a fingerprint policy: {policy!r}") from error


def encode_value(value: FieldValue) -> object:
    """A JSON value that keeps unknown, absent and zero apart."""
    return {"unknown": True} if isinstance(value, Unknown) else value


def decode_value(value: object) -> FieldValue:
    """Inverse of `encode_value`; refuses what is no scalar."""
    if value == {"unknown": True}:
        return UNKNOWN
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise InvalidValueError(f"not a fingerprint value: {value!r}")


def _canonical(value: FieldValue) -> str:
    """Text that is equal where values are: 700 and 700.0 are one number, 1 and True are not."""
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    return json.dumps(encode_value(number))


def _digest(values: Mapping[str, FieldValue]) -> str:
    lines = (f"{name}={_canonical(value)}" for name, value in sorted(values.items()) if value is not None)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


@lru_cache(maxsize=256)
def _key_id(own: Same[EnvironmentFingerprint]) -> str:
    return _digest({i.name: own.of.value(i.name) for i in _REGISTRY if own.of.role(i) is Role.KEY})


_REGISTRY: tuple[FieldInfo, ...] = tuple(
    FieldInfo(f.name, f.metadata["role"], f.metadata["label"], f.metadata["why"], f.metadata["unit"])
    for f in dataclasses.fields(EnvironmentFingerprint)
)
