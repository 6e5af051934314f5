"""pynvml on cards that exist in memory, or in a file so that they outlive the process that locked them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

GPU_A = "GPU-b1d9e0c2-1111-2222-3333-444455556666"
GPU_B = "GPU-b1d9ffff-aaaa-bbbb-cccc-ddddeeeeffff"
MIG_1 = "MIG-0c0c0c0c-1111-2222-3333-444455556666"
MIG_2 = "MIG-1d1d1d1d-1111-2222-3333-444455556666"


class NVMLError(Exception):
    pass


class NotSupported(NVMLError):
    def __str__(self) -> str:
        return "Not Supported"


class NoPermission(NVMLError):
    def __str__(self) -> str:
        return "Insufficient Permissions"


class NotFound(NVMLError):
    def __str__(self) -> str:
        return "Not Found"


@dataclass
class Slice:
    uuid: str
    gpu_instance: int
    compute_instance: int = 0
    profile: str = "1g.18gb"
    processes: list[int] = field(default_factory=list)
    used_bytes: int = 0


@dataclass
class FakeCard:
    uuid: str = GPU_A
    name: str = "NVIDIA H200"
    pci: tuple[int, int, int] = (0, 0x1B, 0)
    sm_mhz: int = 1980
    floating_mhz: int = 1980
    reasons: int = 0
    power_mw: int = 650_000
    limit_mw: int = 700_000
    limit_range: tuple[int, int] = (200_000, 700_000)
    energy_mj: int = 1_000_000
    thermal_ns: int = 0
    capped_ns: int = 0
    temperature: int = 45
    default_limit_mw: int = 700_000
    enforced_mw: int = 700_000
    margin_c: int = 40
    slowdown_c: int = 90
    ecc: bool = True
    ecc_pending: bool = True
    ecc_errors: int = 0
    mig_pending: bool = False
    persistence: bool = True
    application_mhz: int = 1980
    used_bytes: int = 0
    reserved_bytes: int = 615 << 20
    busy: int = 0
    processes: list[int] = field(default_factory=list)
    graphics: list[int] = field(default_factory=list)
    slices: list[Slice] = field(default_factory=list)


class FakeNvml:
    """The calls that perftrack makes. `fails` maps a call's name to what it raises.

    `lies`: clock locks that report success and do nothing. `file`: keeps the clock and limit of the first
    card across processes.
    """

    NVMLError = NVMLError
    NVMLError_NotSupported = NotSupported
    nvmlMemory_v2 = 0x2000028

    def __init__(self, *cards: FakeCard, file: Path | None = None) -> None:
        self.cards = list(cards) or [FakeCard()]
        self.fails: dict[str, Exception] = {}
        self.missing: set[str] = set()
        self.lies: set[str] = set()
        self.calls: list[str] = []
        self.shutdowns = 0
        self._file = file
        if file is not None and file.exists():
            for name, value in json.loads(file.read_text()).items():
                setattr(self.cards[0], name, value)

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("nvml"):
            return object.__getattribute__(self, name)
        if name in self.missing:
            raise AttributeError(name)
        call = object.__getattribute__(self, name)
        if not callable(call):
            return call
        return lambda *arguments: self._called(name, call, arguments)

    def _called(self, name: str, call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        self.calls.append(name)
        if name in self.fails:
            raise self.fails[name]
        if name in self.lies:
            return None
        result = call(*arguments)
        if self._file is not None and ("Set" in name or "Reset" in name):
            card = self.cards[0]
            self._file.write_text(json.dumps({"sm_mhz": card.sm_mhz, "limit_mw": card.limit_mw}))
        return result

    def nvmlInit(self) -> None: ...

    def nvmlShutdown(self) -> None:
        self.shutdowns += 1

    def nvmlDeviceGetCount(self) -> int:
        return len(self.cards)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> FakeCard:
        return self.cards[index]

    def nvmlDeviceGetHandleByUUID(self, uuid: bytes) -> FakeCard | Slice:
        for card in self.cards:
            for one in (card, *card.slices):
                if one.uuid.lower() == uuid.decode().lower():
                    return one
        raise NotFound

    def nvmlDeviceGetUUID(self, handle: FakeCard | Slice) -> str:
        return handle.uuid

    def nvmlDeviceGetName(self, handle: FakeCard | Slice) -> str:
        if isinstance(handle, Slice):
            return f"{self._board(handle).name} MIG {handle.profile}"
        return handle.name

    def nvmlDeviceGetPciInfo(self, card: FakeCard) -> Any:
        domain, bus, device = card.pci
        return SimpleNamespace(domain=domain, bus=bus, device=device)

    def nvmlDeviceGetMigMode(self, card: FakeCard) -> tuple[int, int]:
        return (1, 1) if card.slices else (0, int(card.mig_pending))

    def nvmlDeviceGetMaxMigDeviceCount(self, card: FakeCard) -> int:
        return 7

    def nvmlDeviceGetMigDeviceHandleByIndex(self, card: FakeCard, index: int) -> Slice:
        if index >= len(card.slices):
            raise NotFound
        return card.slices[index]

    def nvmlDeviceGetGpuInstanceId(self, handle: Slice) -> int:
        return handle.gpu_instance

    def nvmlDeviceGetComputeInstanceId(self, handle: Slice) -> int:
        return handle.compute_instance

    def nvmlDeviceGetDeviceHandleFromMigDeviceHandle(self, handle: Slice) -> FakeCard:
        return self._board(handle)

    def nvmlDeviceGetClockInfo(self, card: FakeCard, which: int) -> int:
        assert which == 1 and isinstance(card, FakeCard)
        return card.sm_mhz

    def nvmlDeviceGetCurrentClocksEventReasons(self, card: FakeCard) -> int:
        return card.reasons

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, card: FakeCard) -> int:
        return card.reasons

    def nvmlDeviceGetPowerUsage(self, card: FakeCard) -> int:
        return card.power_mw

    def nvmlDeviceGetTotalEnergyConsumption(self, card: FakeCard) -> int:
        return card.energy_mj

    def nvmlDeviceGetTemperature(self, card: FakeCard, sensor: int) -> int:
        return card.temperature

    def nvmlDeviceGetViolationStatus(self, card: FakeCard, policy: int) -> Any:
        return SimpleNamespace(violationTime={0: card.capped_ns, 1: card.thermal_ns}[policy])

    def nvmlDeviceGetApplicationsClock(self, card: FakeCard, which: int) -> int:
        return card.application_mhz

    def nvmlDeviceGetDefaultApplicationsClock(self, card: FakeCard, which: int) -> int:
        return card.floating_mhz

    def nvmlDeviceGetComputeRunningProcesses(self, handle: FakeCard | Slice) -> list[Any]:
        if isinstance(handle, FakeCard):
            pids = handle.processes + [p for s in handle.slices for p in s.processes]
        else:
            pids = handle.processes
        return [SimpleNamespace(pid=p) for p in pids]

    def nvmlDeviceGetGraphicsRunningProcesses(self, handle: FakeCard | Slice) -> list[Any]:
        return [SimpleNamespace(pid=p) for p in getattr(handle, "graphics", [])]

    def nvmlDeviceGetMemoryInfo(self, handle: FakeCard | Slice, version: int | None = None) -> Any:
        """As of old, what the driver reserves counts as used."""
        reserved = getattr(handle, "reserved_bytes", 0)
        return SimpleNamespace(used=handle.used_bytes + (0 if version == self.nvmlMemory_v2 else reserved))

    def nvmlDeviceGetUtilizationRates(self, card: FakeCard) -> Any:
        if isinstance(card, Slice):
            raise NotSupported
        return SimpleNamespace(gpu=card.busy, memory=0)

    def nvmlDeviceGetPowerManagementLimit(self, card: FakeCard) -> int:
        return card.limit_mw

    def nvmlDeviceGetPowerManagementLimitConstraints(self, card: FakeCard) -> tuple[int, int]:
        return card.limit_range

    def nvmlDeviceGetEccMode(self, card: FakeCard) -> tuple[int, int]:
        return int(card.ecc), int(card.ecc_pending)

    def nvmlDeviceGetTotalEccErrors(self, card: FakeCard, kind: int, counter: int) -> int:
        assert (kind, counter) == (1, 0), "uncorrected, since the driver was loaded"
        return card.ecc_errors

    def nvmlDeviceGetPowerManagementDefaultLimit(self, card: FakeCard) -> int:
        return card.default_limit_mw

    def nvmlDeviceGetEnforcedPowerLimit(self, card: FakeCard) -> int:
        return min(card.enforced_mw, card.limit_mw)

    def nvmlDeviceGetMarginTemperature(self, card: FakeCard) -> int:
        return card.margin_c

    def nvmlDeviceGetTemperatureThreshold(self, card: FakeCard, threshold: int) -> int:
        assert threshold == 1, "slowdown"
        return card.slowdown_c

    def nvmlSystemGetDriverVersion(self) -> str:
        return "580.159.04"

    def nvmlDeviceGetVbiosVersion(self, card: FakeCard) -> str:
        return "96.00.BC.00.03"

    def nvmlDeviceGetMaxPcieLinkGeneration(self, card: FakeCard) -> int:
        return 5

    def nvmlDeviceGetPersistenceMode(self, card: FakeCard) -> int:
        return int(card.persistence)

    def nvmlDeviceSetGpuLockedClocks(self, card: FakeCard, low: int, high: int) -> None:
        assert low == high
        card.sm_mhz = high

    def nvmlDeviceResetGpuLockedClocks(self, card: FakeCard) -> None:
        card.sm_mhz = card.floating_mhz

    def nvmlDeviceSetPowerManagementLimit(self, card: FakeCard, milliwatts: int) -> None:
        card.limit_mw = milliwatts

    def _board(self, handle: Slice) -> FakeCard:
        return next(c for c in self.cards if handle in c.slices)


def split_card() -> FakeCard:
    """A card in two slices."""
    return FakeCard(slices=[Slice(MIG_1, 1), Slice(MIG_2, 2)])


def install(monkeypatch: pytest.MonkeyPatch, nvml: FakeNvml) -> None:
    """Put the fake in place of pynvml."""
    monkeypatch.setitem(sys.modules, "pynvml", nvml)  # type: ignore[arg-type]
