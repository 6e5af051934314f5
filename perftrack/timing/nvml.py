"""NVIDIA: readings of a card through NVML, and what it adds to the fingerprint.

Costs on an H200: SM clock 2.6 µs, event reasons 2.0 µs, power 1.5 µs, process list 10 µs, violation status 0.7 ms
each, energy 3.6 ms, MIG mode and ECC 150 µs. None of it is read while something is being timed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from perftrack.core.company import CardUse
from perftrack.core.fingerprint import UNKNOWN, EnvironmentFingerprint, FieldValue
from perftrack.errors import DeviceError
from perftrack.timing.card import Card, every_card, find_card, load_nvml
from perftrack.timing.gauge import Counters, torch_identity, use_of

_CLOCK_SM, _SENSOR_GPU = 1, 0
# Read by the old call, whose policies keep their numbers: the field ids of the newer per-reason counters
# changed between releases of NVML, so that one library's id reads another counter from another driver.
_POLICY_POWER, _POLICY_THERMAL = 0, 1


class NvmlGauge:
    """Readings of one card. Of a MIG slice: clocks and reasons of its board; power and energy are not its own."""

    def __init__(self, card: Card) -> None:
        self.card = card
        self.card_id = card.uuid
        self.proof = card.proof
        self._api = card.api

    def clock_mhz(self) -> float | None:
        return _positive(self._read("nvmlDeviceGetClockInfo", self.card.board, _CLOCK_SM))

    def event_reasons(self) -> int | None:
        """By the current name of the call, else by its old one, for old libraries and old drivers."""
        for name in ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"):
            bits = self._read(name, self.card.board)
            if bits is not None:
                return int(bits)
        return None

    def power_w(self) -> float | None:
        if self.card.is_slice:
            return None
        return _scaled(self._read("nvmlDeviceGetPowerUsage", self.card.board), 1e-3)

    def energy_j(self) -> float | None:
        if self.card.is_slice:
            return None
        return _scaled(self._read("nvmlDeviceGetTotalEnergyConsumption", self.card.board), 1e-3)

    def temperature_c(self) -> float | None:
        return _positive(self._read("nvmlDeviceGetTemperature", self.card.board, _SENSOR_GPU))

    def counters(self) -> Counters:
        return Counters(self._violation_s(_POLICY_THERMAL), self._violation_s(_POLICY_POWER))

    def set_point_mhz(self) -> float | None:
        set_to = self._read("nvmlDeviceGetApplicationsClock", self.card.board, _CLOCK_SM)
        default = self._read("nvmlDeviceGetDefaultApplicationsClock", self.card.board, _CLOCK_SM)
        if set_to is None or default is None or set_to == default:
            return None
        return float(set_to)

    def processes(self) -> tuple[int, ...] | None:
        found = self._read("nvmlDeviceGetComputeRunningProcesses", self.card.handle)
        return None if found is None else tuple(int(p.pid) for p in found)

    def bystanders(self) -> tuple[int, ...]:
        found = list(self._read("nvmlDeviceGetGraphicsRunningProcesses", self.card.handle) or ())
        if self.card.is_slice:
            found += self._read("nvmlDeviceGetComputeRunningProcesses", self.card.board) or ()
        return tuple(int(p.pid) for p in found)

    def memory_used_bytes(self) -> int | None:
        """By the newer call alone: the older one counts what the driver reserves too, 615 MiB of an H200."""
        version = getattr(self._api, "nvmlMemory_v2", None)
        if version is None:
            return None
        memory = self._read("nvmlDeviceGetMemoryInfo", self.card.handle, version)
        return None if memory is None else int(memory.used)

    def busy_pct(self) -> float | None:
        if self.card.is_slice:
            return None
        rates = self._read("nvmlDeviceGetUtilizationRates", self.card.board)
        return None if rates is None else float(rates.gpu)

    def name(self) -> str | None:
        return self._text("nvmlDeviceGetName", self.card.board)

    def describe(self, fingerprint: EnvironmentFingerprint) -> EnvironmentFingerprint:
        """The fingerprint with the card's fields: UNKNOWN where NVML failed, None where there is no such thing."""
        board = self.card.board
        name = self._text("nvmlDeviceGetName", self.card.handle)
        return replace(
            fingerprint,
            mig_profile=_mig_profile(name) if self.card.is_slice else None,
            power_limit_w=_rounded(self._read("nvmlDeviceGetPowerManagementLimit", board), 1e-3),
            ecc=self._ecc(),
            driver_version=self._text("nvmlSystemGetDriverVersion") or UNKNOWN,
            gpu_uuid=self.card.uuid,
            vbios=self._text("nvmlDeviceGetVbiosVersion", board) or UNKNOWN,
            pcie_gen=_or_unknown(self._read("nvmlDeviceGetMaxPcieLinkGeneration", board)),
            persistence=_flag(self._read("nvmlDeviceGetPersistenceMode", board)),
        )

    def close(self) -> None:
        self._read("nvmlShutdown")

    def _read(self, name: str, *args: object) -> Any:
        """One call; None where the library or driver lacks it, or it failed."""
        call: Callable[..., Any] | None = getattr(self._api, name, None)
        if call is None:
            return None
        try:
            return call(*args)
        except read_errors(self._api):
            return None

    def _text(self, name: str, *args: object) -> str | None:
        value = self._read(name, *args)
        return value.decode() if isinstance(value, bytes) else value

    def _violation_s(self, policy: int) -> float | None:
        status = self._read("nvmlDeviceGetViolationStatus", self.card.board, policy)
        return None if status is None else float(status.violationTime) * 1e-9

    def _ecc(self) -> FieldValue:
        try:
            current, _pending = self._api.nvmlDeviceGetEccMode(self.card.board)
        except self._api.NVMLError_NotSupported:
            return None
        except read_errors(self._api):
            return UNKNOWN
        return bool(current)


def open_nvml(index: int) -> NvmlGauge:
    """Readings of the card that this process numbers `index`. Raises DeviceError saying why there are none."""
    api = load_nvml()
    try:
        return NvmlGauge(find_card(index, api, torch_identity(index)))
    except DeviceError:
        api.nvmlShutdown()
        raise


def nvml_uses() -> tuple[CardUse, ...]:
    """What every card and slice of the host is used for now; empty where there is no NVML."""
    try:
        api = load_nvml()
    except DeviceError:
        return ()
    try:
        return tuple(use_of(NvmlGauge(card)) for card in every_card(api))
    finally:
        api.nvmlShutdown()


def card_names() -> tuple[str, ...]:
    """The product name of every NVIDIA card of the host; empty where there is none, or no NVML."""
    try:
        api = load_nvml()
    except DeviceError:
        return ()
    try:
        names = [NvmlGauge(card).name() for card in every_card(api)]
        return tuple(n for n in names if n)
    finally:
        api.nvmlShutdown()


def read_errors(api: Any) -> tuple[type[Exception], ...]:
    mismatch = getattr(api, "NVMLLibraryMismatchError", None)
    return (api.NVMLError,) if mismatch is None else (api.NVMLError, mismatch)


def _mig_profile(name: str | None) -> FieldValue:
    """`1g.10gb` of `NVIDIA H200 MIG 1g.10gb`."""
    return name.rpartition(" MIG ")[2] if name and " MIG " in name else UNKNOWN


def _positive(value: Any) -> float | None:
    """A clock or temperature of zero is a failed read."""
    return float(value) if value is not None and value > 0 else None


def _scaled(value: Any, factor: float) -> float | None:
    return None if value is None else float(value) * factor


def _rounded(value: Any, factor: float) -> FieldValue:
    return UNKNOWN if value is None else round(float(value) * factor)


def _or_unknown(value: Any) -> FieldValue:
    return UNKNOWN if value is None else value


def _flag(value: Any) -> FieldValue:
    return UNKNOWN if value is None else bool(value)
