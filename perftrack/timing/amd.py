"""AMD: readings of a card through amdsmi, and what it adds to the fingerprint. Untested on hardware."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from perftrack.core.company import CardUse
from perftrack.core.fingerprint import UNKNOWN, EnvironmentFingerprint, FieldValue
from perftrack.core.tiers import POWER_CAP
from perftrack.errors import DeviceError
from perftrack.timing.gauge import Counters, Identity, torch_identity, use_of

_SW_THERMAL, _HW_THERMAL = 0x20, 0x40
# Throttling of a kind that NVML has no bit for: a bit that no NVML uses, so that it counts as unknown.
OTHER_REASON = 1 << 30
# Bits of the driver's independent throttle status: power and current limits, temperatures, hot signals.
_POWER_BITS = 0x0000_0000_00FF_00FF
_TEMPERATURE_BITS = 0x0000_0FFF_0000_0000
_HOT_BITS = 0x0000_F000_0000_0000
_UNSET = 0xFFFF_FFFF_FFFF_FFFF
# On an idle card: about 300 MiB of an Instinct.
_DRIVER_BYTES = 512 << 20
_FAMILIES = {
    "gfx906": "Vega 20",
    "gfx908": "CDNA",
    "gfx90a": "CDNA 2",
    "gfx940": "CDNA 3",
    "gfx941": "CDNA 3",
    "gfx942": "CDNA 3",
    "gfx950": "CDNA 4",
    "gfx101": "RDNA",
    "gfx103": "RDNA 2",
    "gfx110": "RDNA 3",
    "gfx115": "RDNA 3.5",
    "gfx120": "RDNA 4",
}


class AmdGauge:
    """Readings of one card by its amdsmi handle."""

    def __init__(self, api: Any, handle: Any, card_id: str, proof: str) -> None:
        self.card_id = card_id
        self.proof = proof
        self._api = api
        self._handle = handle

    def clock_mhz(self) -> float | None:
        info = self._read("amdsmi_get_clock_info", self._api.AmdSmiClkType.GFX)
        value = _first_number(info, "clk", "cur_clk")
        return value if value else None

    def rated_clock_mhz(self) -> float | None:
        return _first_number(self._read("amdsmi_get_clock_info", self._api.AmdSmiClkType.GFX), "max_clk")

    def event_reasons(self) -> int | None:
        """The driver's throttle status in NVML's bits: power and current as its power cap, heat as thermal."""
        info = self._read("amdsmi_get_gpu_metrics_info")
        bits = info.get("indep_throttle_status") if isinstance(info, Mapping) else None
        if not isinstance(bits, int) or bits == _UNSET:
            return None
        reasons = POWER_CAP if bits & _POWER_BITS else 0
        reasons |= _SW_THERMAL if bits & _TEMPERATURE_BITS else 0
        reasons |= _HW_THERMAL if bits & _HOT_BITS else 0
        if bits & ~(_POWER_BITS | _TEMPERATURE_BITS | _HOT_BITS):
            reasons |= OTHER_REASON
        return reasons

    def power_w(self) -> float | None:
        info = self._read("amdsmi_get_power_info")
        return _first_number(info, "socket_power", "current_socket_power", "average_socket_power")

    def energy_j(self) -> float | None:
        info = self._read("amdsmi_get_energy_count")
        ticks, micro_j = (
            _first_number(info, "energy_accumulator", "power"),
            _first_number(info, "counter_resolution"),
        )
        return None if ticks is None or micro_j is None else ticks * micro_j * 1e-6

    def temperature_c(self) -> float | None:
        kinds = self._api.AmdSmiTemperatureType
        for kind in (kinds.HOTSPOT, kinds.EDGE):
            value = self._read("amdsmi_get_temp_metric", kind, self._api.AmdSmiTemperatureMetric.CURRENT)
            if _is_number(value) and value > 0:
                return float(value)
        return None

    def counters(self) -> Counters:
        return Counters()

    def set_point_mhz(self) -> float | None:
        return None

    def processes(self) -> tuple[int, ...] | None:
        found = self._read("amdsmi_get_gpu_process_list")
        if found is None:
            return None
        pids = [p.get("pid") if isinstance(p, Mapping) else getattr(p, "pid", None) for p in found]
        return tuple(int(p) for p in pids if p is not None) if None not in pids else None

    def bystanders(self) -> tuple[int, ...]:
        return ()

    def memory_used_bytes(self) -> int | None:
        """None below what the driver may hold by itself: so little tells nothing."""
        kinds = getattr(self._api, "AmdSmiMemoryType", None)
        if kinds is None:
            return None
        used = self._read("amdsmi_get_gpu_memory_usage", kinds.VRAM)
        return int(used) if _is_number(used) and used > _DRIVER_BYTES else None

    def busy_pct(self) -> float | None:
        return _first_number(self._read("amdsmi_get_gpu_activity"), "gfx_activity")

    def describe(self, fingerprint: EnvironmentFingerprint) -> EnvironmentFingerprint:
        cap = _first_number(self._read("amdsmi_get_power_cap_info"), "power_cap")
        driver = self._read("amdsmi_get_gpu_driver_info")
        bios = self._read("amdsmi_get_gpu_vbios_info")
        return replace(
            fingerprint,
            power_limit_w=UNKNOWN if cap is None else _watts(cap),
            driver_version=_text(driver, "driver_version"),
            vbios=_text(bios, "version"),
            gpu_uuid=self.card_id,
        )

    def close(self) -> None:
        self._api.amdsmi_shut_down()

    def _read(self, name: str, *args: object) -> Any:
        call = getattr(self._api, name, None)
        if call is None:
            return None
        try:
            return call(self._handle, *args)
        except self._api.AmdSmiException:
            return None


def open_amd(index: int) -> AmdGauge:
    """Readings of the card that torch numbers `index`, found by its PCI address.

    Raises DeviceError saying why there are none.
    """
    amdsmi = _load_amdsmi()
    try:
        amdsmi.amdsmi_init()
        handles = list(amdsmi.amdsmi_get_processor_handles())
        addresses = [str(amdsmi.amdsmi_get_gpu_device_bdf(h)) for h in handles]
        at, proof = _locate(addresses, torch_identity(index))
        uuid = str(amdsmi.amdsmi_get_gpu_device_uuid(handles[at]))
    except amdsmi.AmdSmiException as error:
        raise DeviceError(f"amdsmi can't be used: {error}") from error
    return AmdGauge(amdsmi, handles[at], uuid, proof)


def amd_uses() -> tuple[CardUse, ...]:
    """What every card of the host is used for now; empty where there is no amdsmi, or it fails."""
    try:
        api = _load_amdsmi()
    except DeviceError:
        return ()
    try:
        api.amdsmi_init()
    except api.AmdSmiException:
        return ()
    try:
        handles = api.amdsmi_get_processor_handles()
        return tuple(use_of(AmdGauge(api, h, str(api.amdsmi_get_gpu_device_uuid(h)), "listed")) for h in handles)
    except api.AmdSmiException:
        return ()
    finally:
        api.amdsmi_shut_down()


def _load_amdsmi() -> Any:
    try:
        import amdsmi
    except (ImportError, OSError, KeyError) as error:
        raise DeviceError(
            f"amdsmi can't be imported: {error}", "Install it from ROCm: /opt/rocm/share/amd_smi"
        ) from error
    return amdsmi


def _locate(addresses: list[str], identity: Identity | None) -> tuple[int, str]:
    if identity is not None and identity.pci is not None:
        wanted = "{:04x}:{:02x}:{:02x}".format(*identity.pci)
        for i, address in enumerate(addresses):
            if address.lower().partition(".")[0] == wanted:
                return i, "PCI address from torch"
        raise DeviceError(f"amdsmi knows no card at torch's PCI address {wanted}")
    if len(addresses) == 1:
        return 0, "only card"
    raise DeviceError(f"which of {len(addresses)} cards this process uses can't be told without torch")


def amd_family(architecture: str) -> str | None:
    """Family of a target such as `gfx942:sramecc+:xnack-`; `unknown-gfx…` for one that is not in the table."""
    target = architecture.partition(":")[0]
    if not target.startswith("gfx"):
        return None
    return _FAMILIES.get(target) or _FAMILIES.get(target[:-1]) or f"unknown-{target}"


def _first_number(info: Any, *keys: str) -> float | None:
    """The first of the keys that holds a number: what a card lacks reads as the text `N/A`."""
    if not isinstance(info, Mapping):
        return None
    return next((float(info[k]) for k in keys if _is_number(info.get(k))), None)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _watts(cap: float) -> int:
    """Reported in W or in µW, by version."""
    return round(cap * 1e-6) if cap > 1e5 else round(cap)


def _text(info: Any, key: str) -> FieldValue:
    value = info.get(key) if isinstance(info, Mapping) else None
    return str(value) if value not in (None, "", "N/A") else UNKNOWN
