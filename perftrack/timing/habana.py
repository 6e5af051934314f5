"""Intel Gaudi: readings of a card through pyhlml, and what it adds to the fingerprint. Untested on hardware."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from perftrack.core.company import CardUse
from perftrack.core.fingerprint import UNKNOWN, EnvironmentFingerprint
from perftrack.core.tiers import POWER_CAP
from perftrack.errors import DeviceError
from perftrack.timing.gauge import Counters, use_of

_SOC_CLOCK, _ON_CHIP_SENSOR = 0, 0
_HLML_POWER, _HLML_THERMAL = 0x1, 0x2
_SW_THERMAL = 0x20
# On an idle card: some 770 MiB.
_DRIVER_BYTES = 1 << 30
# Reasons of a later pyhlml: a bit that no NVML uses, so that they count as unknown.
OTHER_REASON = 1 << 30


class HabanaGauge:
    """Readings of one card by its pyhlml handle. It lists no processes."""

    def __init__(self, api: Any, handle: Any, card_id: str, proof: str) -> None:
        self.card_id = card_id
        self.proof = proof
        self._api = api
        self._handle = handle

    def clock_mhz(self) -> float | None:
        value = self._read("hlmlDeviceGetClockInfo", _SOC_CLOCK)
        return float(value) if value else None

    def event_reasons(self) -> int | None:
        bits = self._read("hlmlDeviceGetCurrentClocksThrottleReasons")
        if bits is None:
            return None
        reasons = POWER_CAP if bits & _HLML_POWER else 0
        reasons |= _SW_THERMAL if bits & _HLML_THERMAL else 0
        return reasons | (OTHER_REASON if bits & ~(_HLML_POWER | _HLML_THERMAL) else 0)

    def power_w(self) -> float | None:
        value = self._read("hlmlDeviceGetPowerUsage")
        return None if value is None else float(value) * 1e-3

    def energy_j(self) -> float | None:
        value = self._read("hlmlDeviceGetTotalEnergyConsumption")
        return None if value is None else float(value) * 1e-3

    def temperature_c(self) -> float | None:
        value = self._read("hlmlDeviceGetTemperature", _ON_CHIP_SENSOR)
        return float(value) if value else None

    def counters(self) -> Counters:
        return Counters()

    def set_point_mhz(self) -> float | None:
        return None

    def processes(self) -> tuple[int, ...] | None:
        return None

    def bystanders(self) -> tuple[int, ...]:
        return ()

    def memory_used_bytes(self) -> int | None:
        """None below what the driver may hold by itself: so little tells nothing."""
        memory = self._read("hlmlDeviceGetMemoryInfo")
        used = getattr(memory, "used", None)
        return int(used) if used is not None and used > _DRIVER_BYTES else None

    def busy_pct(self) -> float | None:
        """A later pyhlml returns a structure in place of the number."""
        rates = self._read("hlmlDeviceGetUtilizationRates")
        share = getattr(rates, "aip", rates)
        return None if share is None else float(share)

    def describe(self, fingerprint: EnvironmentFingerprint) -> EnvironmentFingerprint:
        limit = self._read("hlmlDeviceGetPowerManagementDefaultLimit")
        driver = self._read("hlmlGetDriverVersion", handle=False)
        name = self._read("hlmlDeviceGetName")
        return replace(
            fingerprint,
            gpu_name=_text(name) if name else UNKNOWN,
            power_limit_w=UNKNOWN if limit is None else round(float(limit) * 1e-3),
            driver_version=_text(driver) if driver else UNKNOWN,
            gpu_uuid=self.card_id,
        )

    def close(self) -> None:
        self._read("hlmlShutdown", handle=False)

    def _read(self, name: str, *args: object, handle: bool = True) -> Any:
        call = getattr(self._api, name, None)
        if call is None:
            return None
        try:
            return call(self._handle, *args) if handle else call(*args)
        except self._api.HLMLError:
            return None


def open_habana(index: int, environ: Mapping[str, str] = os.environ) -> HabanaGauge:
    """Readings of the card that this process numbers `index`. Raises DeviceError saying why there are none.

    pyhlml numbers all cards of the host; a process is given modules. Which card is which is known where
    there is only one, or where the process is given none but the card itself by HLS_MODULE_ID.
    """
    pyhlml = _load_pyhlml()
    try:
        pyhlml.hlmlInit()
        count = int(pyhlml.hlmlDeviceGetCount())
        at, proof = _locate(pyhlml, count, index, environ)
        handle = pyhlml.hlmlDeviceGetHandleByIndex(at)
        uuid = _text(pyhlml.hlmlDeviceGetUUID(handle))
    except pyhlml.HLMLError as error:
        raise DeviceError(f"pyhlml can't be used: {error}") from error
    return HabanaGauge(pyhlml, handle, uuid, proof)


def habana_uses() -> tuple[CardUse, ...]:
    """What every card of the host is used for now; empty where there is no pyhlml, or it fails."""
    try:
        api = _load_pyhlml()
    except DeviceError:
        return ()
    try:
        api.hlmlInit()
    except api.HLMLError:
        return ()
    try:
        handles = [api.hlmlDeviceGetHandleByIndex(i) for i in range(int(api.hlmlDeviceGetCount()))]
        return tuple(use_of(HabanaGauge(api, h, _text(api.hlmlDeviceGetUUID(h)), "listed")) for h in handles)
    except api.HLMLError:
        return ()
    finally:
        api.hlmlShutdown()


def _load_pyhlml() -> Any:
    try:
        import pyhlml
    except (ImportError, OSError) as error:
        raise DeviceError(f"pyhlml can't be imported: {error}", "Install it with the Gaudi software.") from error
    return pyhlml


def _locate(api: Any, count: int, index: int, environ: Mapping[str, str]) -> tuple[int, str]:
    if count == 1 and index == 0:
        return 0, "only card"
    module = environ.get("HLS_MODULE_ID")
    if module is not None and hasattr(api, "hlmlDeviceGetModuleID"):
        for i in range(count):
            if str(api.hlmlDeviceGetModuleID(api.hlmlDeviceGetHandleByIndex(i))) == module:
                return i, "module id"
    raise DeviceError(f"which of {count} cards this process uses can't be told")


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
