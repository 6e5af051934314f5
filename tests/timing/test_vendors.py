"""AMD and Gaudi cards through fakes of their libraries."""

from __future__ import annotations

import sys
import types
from types import SimpleNamespace
from typing import Any

import pytest

from perftrack.core.company import CardUse
from perftrack.core.fingerprint import UNKNOWN, EnvironmentFingerprint
from perftrack.core.tiers import KNOWN_BITS
from perftrack.errors import DeviceError
from perftrack.timing.amd import OTHER_REASON, amd_family, amd_uses, open_amd
from perftrack.timing.habana import habana_uses, open_habana
from perftrack.timing.telemetry import open_telemetry
from tests.timing import fake_torch


class AmdSmiException(Exception):
    pass


class HLMLError(Exception):
    pass


def amdsmi(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> Any:
    """amdsmi with one card per PCI address; a card's clock is 1000 MHz and 100 more per position."""
    api: Any = types.ModuleType("amdsmi")
    api.AmdSmiException = AmdSmiException
    api.AmdSmiClkType = SimpleNamespace(GFX="gfx")
    api.AmdSmiTemperatureType = SimpleNamespace(HOTSPOT="hot", EDGE="edge")
    api.AmdSmiTemperatureMetric = SimpleNamespace(CURRENT="now")
    api.closed = 0
    api.amdsmi_init = lambda: None
    api.amdsmi_shut_down = lambda: setattr(api, "closed", api.closed + 1)
    api.amdsmi_get_processor_handles = lambda: list(range(len(addresses)))
    api.amdsmi_get_gpu_device_bdf = lambda h: addresses[h]
    api.amdsmi_get_gpu_device_uuid = lambda h: f"uuid-{h}"
    api.amdsmi_get_clock_info = lambda h, kind: {"clk": 1000 + 100 * h, "max_clk": 2100}
    api.amdsmi_get_gpu_metrics_info = lambda h: {"indep_throttle_status": 0}
    api.amdsmi_get_power_info = lambda h: {"current_socket_power": 700, "average_socket_power": "N/A"}
    api.amdsmi_get_energy_count = lambda h: {"energy_accumulator": 2_000_000, "counter_resolution": 15.3}
    api.amdsmi_get_temp_metric = lambda h, kind, metric: {"hot": 61, "edge": 40}[kind]
    api.AmdSmiMemoryType = SimpleNamespace(VRAM="vram")
    api.amdsmi_get_gpu_memory_usage = lambda h, kind: {"vram": (h + 1) << 30}[kind]
    api.amdsmi_get_gpu_activity = lambda h: {"gfx_activity": 12, "mm_activity": "N/A"}
    api.amdsmi_get_gpu_process_list = lambda h: [{"pid": 7, "name": "x"}]
    api.amdsmi_get_power_cap_info = lambda h: {"power_cap": 750_000_000}
    api.amdsmi_get_gpu_driver_info = lambda h: {"driver_version": "6.12.12"}
    api.amdsmi_get_gpu_vbios_info = lambda h: {"version": "N/A"}
    monkeypatch.setitem(sys.modules, "amdsmi", api)
    return api


def pyhlml(monkeypatch: pytest.MonkeyPatch, count: int = 1) -> Any:
    api: Any = types.ModuleType("pyhlml")
    api.HLMLError = HLMLError
    api.closed = 0
    api.hlmlInit = lambda: None
    api.hlmlShutdown = lambda: setattr(api, "closed", api.closed + 1)
    api.hlmlDeviceGetCount = lambda: count
    api.hlmlDeviceGetHandleByIndex = lambda i: i
    api.hlmlDeviceGetModuleID = lambda h: 7 - h
    api.hlmlDeviceGetUUID = lambda h: f"uuid-{h}".encode()
    api.hlmlDeviceGetName = lambda h: b"HL-325"
    api.hlmlDeviceGetClockInfo = lambda h, kind: 1650
    api.hlmlDeviceGetCurrentClocksThrottleReasons = lambda h: 0
    api.hlmlDeviceGetPowerUsage = lambda h: 300_000
    api.hlmlDeviceGetTotalEnergyConsumption = lambda h: 5_000
    api.hlmlDeviceGetTemperature = lambda h, sensor: 50
    api.hlmlDeviceGetMemoryInfo = lambda h: SimpleNamespace(used=3 << 30)
    api.hlmlDeviceGetUtilizationRates = lambda h: 40
    api.hlmlDeviceGetPowerManagementDefaultLimit = lambda h: 850_000
    api.hlmlGetDriverVersion = lambda: b"1.22.0"
    monkeypatch.setitem(sys.modules, "pyhlml", api)
    return api


@pytest.fixture
def no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)


@pytest.mark.usefixtures("no_torch")
def test_amd_units(monkeypatch: pytest.MonkeyPatch) -> None:
    amdsmi(monkeypatch, "0000:c1:00.0")
    gauge = open_amd(0)
    assert (gauge.clock_mhz(), gauge.power_w(), gauge.temperature_c()) == (1000, 700, 61)
    assert gauge.energy_j() == pytest.approx(30.6)
    assert gauge.processes() == (7,)


def test_amd_is_found_by_torch_s_pci_address(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_torch.install(monkeypatch, fake_torch.FakeGpu(), hip="6.4")
    amdsmi(monkeypatch, "0000:0c:00.0", "0000:1b:00.0", "0000:1c:00.0")
    assert open_amd(0).clock_mhz() == 1100
    amdsmi(monkeypatch, "0000:0c:00.0")
    with pytest.raises(DeviceError, match="0000:1b:00"):
        open_amd(0)


@pytest.mark.usefixtures("no_torch")
def test_several_amd_cards_without_torch_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    amdsmi(monkeypatch, "0000:0c:00.0", "0000:1b:00.0")
    assert "can't be told" in open_telemetry("rocm").why_none


@pytest.mark.usefixtures("no_torch")
@pytest.mark.parametrize(
    ("status", "reasons"),
    [
        (0, 0),
        (1 << 0, 0x4),
        (1 << 17, 0x4),
        (1 << 36, 0x20),
        (1 << 44, 0x40),
        (1 << 57, OTHER_REASON),
        ((1 << 0) | (1 << 34), 0x24),
        ((1 << 0) | (1 << 57), OTHER_REASON | 0x4),
        (0xFFFF_FFFF_FFFF_FFFF, None),
        ("N/A", None),
    ],
)
def test_amd_throttling_in_nvml_s_bits(
    monkeypatch: pytest.MonkeyPatch, status: object, reasons: int | None
) -> None:
    amdsmi(monkeypatch, "0000:c1:00.0").amdsmi_get_gpu_metrics_info = lambda h: {"indep_throttle_status": status}
    assert open_amd(0).event_reasons() == reasons


def test_other_reasons_are_unknown_to_the_tiers() -> None:
    assert OTHER_REASON & ~KNOWN_BITS


@pytest.mark.usefixtures("no_torch")
def test_amd_reads_that_fail_or_are_not_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    api = amdsmi(monkeypatch, "0000:c1:00.0")

    def fails(*arguments: object) -> None:
        raise AmdSmiException("busy")

    for name in ("clock_info", "power_info", "gpu_process_list"):
        setattr(api, f"amdsmi_get_{name}", fails)
    del api.amdsmi_get_temp_metric
    api.amdsmi_get_energy_count = lambda h: {"energy_accumulator": "N/A", "counter_resolution": 15.3}
    gauge = open_amd(0)
    readings = (gauge.clock_mhz(), gauge.power_w(), gauge.energy_j(), gauge.temperature_c(), gauge.processes())
    assert readings == (None,) * 5


@pytest.mark.usefixtures("no_torch")
def test_amd_in_the_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    amdsmi(monkeypatch, "0000:c1:00.0")
    shown = open_amd(0).describe(EnvironmentFingerprint())
    assert (shown.power_limit_w, shown.driver_version, shown.vbios) == (750, "6.12.12", UNKNOWN)


@pytest.mark.parametrize(
    ("target", "family"),
    [
        ("gfx942:sramecc+:xnack-", "CDNA 3"),
        ("gfx90a", "CDNA 2"),
        ("gfx1030", "RDNA 2"),
        ("gfx1100", "RDNA 3"),
        ("gfx1201", "RDNA 4"),
        ("gfx777", "unknown-gfx777"),
        ("9.4", None),
    ],
)
def test_amd_families(target: str, family: str | None) -> None:
    assert amd_family(target) == family


@pytest.mark.usefixtures("no_torch")
@pytest.mark.parametrize("kind", ["rocm", "hpu"])
def test_a_window_of_evidence(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    amdsmi(monkeypatch, "0000:c1:00.0")
    pyhlml(monkeypatch)
    opened = open_telemetry(kind, poll_s=0)
    opened.begin()
    evidence = opened.end()
    opened.close()
    assert opened.why_none == ""
    assert len(evidence.clock_mhz) == 1
    # The fake's energy counter stands still, which is no reading.
    assert (evidence.event_reasons, evidence.energy_j, evidence.throttle_s) == (0, None, None)
    library = sys.modules["amdsmi" if kind == "rocm" else "pyhlml"]
    assert library.closed == 1


def test_gaudi_units(monkeypatch: pytest.MonkeyPatch) -> None:
    pyhlml(monkeypatch)
    gauge = open_habana(0, {})
    assert (gauge.clock_mhz(), gauge.power_w(), gauge.energy_j(), gauge.temperature_c()) == (1650, 300, 5, 50)
    assert gauge.processes() is None
    shown = gauge.describe(EnvironmentFingerprint())
    assert (shown.gpu_name, shown.power_limit_w, shown.driver_version) == ("HL-325", 850, "1.22.0")


@pytest.mark.parametrize(("bits", "reasons"), [(0, 0), (1, 0x4), (2, 0x20), (3, 0x24), (8, OTHER_REASON)])
def test_gaudi_throttling_in_nvml_s_bits(monkeypatch: pytest.MonkeyPatch, bits: int, reasons: int) -> None:
    pyhlml(monkeypatch).hlmlDeviceGetCurrentClocksThrottleReasons = lambda h: bits
    assert open_habana(0, {}).event_reasons() == reasons


def test_the_right_gaudi_of_eight_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    pyhlml(monkeypatch, 8)
    assert open_habana(0, {"HLS_MODULE_ID": "5"}).card_id == "uuid-2"
    with pytest.raises(DeviceError, match="which of 8 cards"):
        open_habana(0, {})


def test_a_gaudi_read_that_fails_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    api = pyhlml(monkeypatch)

    def fails(*arguments: object) -> None:
        raise HLMLError("lost")

    api.hlmlDeviceGetClockInfo = api.hlmlDeviceGetPowerUsage = fails
    gauge = open_habana(0, {})
    assert (gauge.clock_mhz(), gauge.power_w(), gauge.temperature_c()) == (None, None, 50)


@pytest.mark.parametrize("kind", ["rocm", "hpu"])
def test_a_library_that_can_t_start_is_no_evidence(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    def fails() -> None:
        raise {"rocm": AmdSmiException, "hpu": HLMLError}[kind]("no driver")

    amdsmi(monkeypatch, "0000:c1:00.0").amdsmi_init = fails
    pyhlml(monkeypatch).hlmlInit = fails
    assert "no driver" in open_telemetry(kind).why_none


def test_amd_uses_are_those_of_every_card(monkeypatch: pytest.MonkeyPatch) -> None:
    api = amdsmi(monkeypatch, "0000:c1:00.0", "0000:c2:00.0")
    assert amd_uses() == (CardUse("uuid-0", 1 << 30, 12.0), CardUse("uuid-1", 2 << 30, 12.0))
    assert api.closed == 1


def test_memory_that_a_driver_may_hold_by_itself_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    amdsmi(monkeypatch, "0000:c1:00.0").amdsmi_get_gpu_memory_usage = lambda h, kind: 300 << 20
    pyhlml(monkeypatch).hlmlDeviceGetMemoryInfo = lambda h: SimpleNamespace(used=768 << 20)
    assert [u.foreign_bytes for u in (*amd_uses(), *habana_uses())] == [None, None]


def test_gaudi_uses_are_those_of_every_card(monkeypatch: pytest.MonkeyPatch) -> None:
    api = pyhlml(monkeypatch, 2)
    assert habana_uses() == (CardUse("uuid-0", 3 << 30, 40.0), CardUse("uuid-1", 3 << 30, 40.0))
    assert api.closed == 1


def test_gaudi_s_utilisation_may_be_a_structure(monkeypatch: pytest.MonkeyPatch) -> None:
    pyhlml(monkeypatch).hlmlDeviceGetUtilizationRates = lambda h: SimpleNamespace(aip=7)
    assert open_habana(0, {}).busy_pct() == 7.0


@pytest.mark.parametrize("uses", [amd_uses, habana_uses])
def test_uses_that_can_t_be_read_are_none(monkeypatch: pytest.MonkeyPatch, uses: Any) -> None:
    def fails(*arguments: object) -> None:
        raise AmdSmiException("busy") if uses is amd_uses else HLMLError("busy")

    amd, gaudi = amdsmi(monkeypatch, "0000:c1:00.0"), pyhlml(monkeypatch)
    amd.amdsmi_get_gpu_memory_usage = amd.amdsmi_get_gpu_activity = fails
    gaudi.hlmlDeviceGetMemoryInfo = gaudi.hlmlDeviceGetUtilizationRates = fails
    assert uses() == (CardUse("uuid-0", None, None),)
    amd.amdsmi_init = gaudi.hlmlInit = fails
    assert uses() == ()
    for module in ("amdsmi", "pyhlml"):
        monkeypatch.setitem(sys.modules, module, None)
    assert uses() == ()
