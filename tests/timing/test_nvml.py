"""Readings of an NVIDIA card: units, fallbacks, and failures that stay None."""

from __future__ import annotations

import sys

import pytest

from perftrack.core.company import CardUse
from perftrack.core.fingerprint import UNKNOWN, EnvironmentFingerprint
from perftrack.errors import DeviceError
from perftrack.timing.card import Card
from perftrack.timing.gauge import Counters
from perftrack.timing.nvml import NvmlGauge, nvml_uses, open_nvml
from tests.timing.fake_nvml import (
    GPU_A,
    GPU_B,
    MIG_1,
    MIG_2,
    FakeCard,
    FakeNvml,
    NVMLError,
    install,
    split_card,
)


def gauge(nvml: FakeNvml) -> NvmlGauge:
    card = nvml.cards[0]
    if card.slices:
        return NvmlGauge(Card(nvml, card.slices[0], card, card.slices[0].uuid, "test"))
    return NvmlGauge(Card(nvml, card, card, card.uuid, "test"))


def test_units() -> None:
    card = FakeCard(power_mw=612_345, energy_mj=7_500, thermal_ns=2_000_000, capped_ns=5_000_000)
    g = gauge(FakeNvml(card))
    assert g.clock_mhz() == 1980
    assert g.power_w() == pytest.approx(612.345)
    assert g.energy_j() == pytest.approx(7.5)
    assert g.temperature_c() == 45
    assert g.counters() == Counters(thermal_s=0.002, power_cap_s=0.005)


def test_reasons_are_raw_with_bits_that_the_library_does_not_name() -> None:
    nvml = FakeNvml(FakeCard(reasons=0x604))
    assert gauge(nvml).event_reasons() == 0x604
    assert nvml.calls == ["nvmlDeviceGetCurrentClocksEventReasons"]


@pytest.mark.parametrize("how", ["missing", "fails"])
def test_reasons_by_the_old_name_where_the_new_one_is_not_there(how: str) -> None:
    nvml = FakeNvml(FakeCard(reasons=4))
    name = "nvmlDeviceGetCurrentClocksEventReasons"
    if how == "missing":
        nvml.missing.add(name)  # an old library
    else:
        nvml.fails[name] = NVMLError("Function Not Found")  # an old driver
    assert gauge(nvml).event_reasons() == 4


READS = {
    "clock_mhz": "nvmlDeviceGetClockInfo",
    "power_w": "nvmlDeviceGetPowerUsage",
    "energy_j": "nvmlDeviceGetTotalEnergyConsumption",
    "processes": "nvmlDeviceGetComputeRunningProcesses",
}


@pytest.mark.parametrize("read", READS)
def test_a_failing_read_is_none_and_spoils_no_other(read: str) -> None:
    nvml = FakeNvml()
    nvml.fails[READS[read]] = NVMLError("Unknown Error")
    values = {name: getattr(gauge(nvml), name)() for name in READS}
    assert [name for name, value in values.items() if value is None] == [read]


def test_failing_counters_are_none() -> None:
    nvml = FakeNvml()
    nvml.fails["nvmlDeviceGetViolationStatus"] = NVMLError("Not Supported")
    assert not gauge(nvml).counters().readable


@pytest.mark.parametrize("field", ["sm_mhz", "temperature"])
def test_a_reading_of_zero_is_a_failed_read(field: str) -> None:
    card = FakeCard()
    setattr(card, field, 0)
    g = gauge(FakeNvml(card))
    assert None in (g.clock_mhz(), g.temperature_c())


def test_a_slice_has_its_board_s_clock_and_no_power_of_its_own() -> None:
    g = gauge(FakeNvml(split_card()))
    assert (g.clock_mhz(), g.power_w(), g.energy_j()) == (1980, None, None)


def test_work_on_other_slices_is_a_bystander() -> None:
    card = split_card()
    card.slices[0].processes, card.slices[1].processes = [10], [20]
    g = gauge(FakeNvml(card))
    assert g.processes() == (10,)
    assert set(g.bystanders()) == {10, 20}


def test_a_set_point_is_one_that_differs_from_the_default() -> None:
    assert gauge(FakeNvml()).set_point_mhz() is None
    assert gauge(FakeNvml(FakeCard(application_mhz=1500))).set_point_mhz() == 1500


def test_the_fingerprint_s_fields() -> None:
    shown = gauge(FakeNvml(FakeCard(limit_mw=699_600))).describe(EnvironmentFingerprint(device_kind="cuda"))
    assert shown.power_limit_w == 700
    assert (shown.ecc, shown.driver_version, shown.persistence) == (True, "580.159.04", True)
    assert (shown.mig_profile, shown.gpu_uuid, shown.pcie_gen) == (None, FakeCard().uuid, 5)
    assert shown.unknown_key_fields == ()


def test_a_slice_s_fingerprint_has_its_profile() -> None:
    shown = gauge(FakeNvml(split_card())).describe(EnvironmentFingerprint(device_kind="cuda"))
    assert (shown.mig_profile, shown.gpu_uuid) == ("1g.18gb", MIG_1)


def test_a_card_without_ecc_is_absent_and_a_failed_read_is_unknown() -> None:
    nvml = FakeNvml()
    nvml.fails["nvmlDeviceGetEccMode"] = nvml.NVMLError_NotSupported()
    assert gauge(nvml).describe(EnvironmentFingerprint()).ecc is None
    nvml.fails["nvmlDeviceGetEccMode"] = NVMLError("Unknown Error")
    assert gauge(nvml).describe(EnvironmentFingerprint()).ecc is UNKNOWN


def test_a_failed_limit_is_unknown_and_never_zero() -> None:
    nvml = FakeNvml()
    nvml.fails["nvmlDeviceGetPowerManagementLimit"] = NVMLError("Unknown Error")
    assert gauge(nvml).describe(EnvironmentFingerprint()).power_limit_w is UNKNOWN


def test_the_library_is_released_where_no_card_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    nvml = FakeNvml(FakeCard(), FakeCard())
    install(monkeypatch, nvml)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    with pytest.raises(DeviceError):
        open_nvml(0)
    assert nvml.shutdowns == 1


def test_an_opened_card_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    nvml = FakeNvml()
    install(monkeypatch, nvml)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    opened = open_nvml(0)
    assert (opened.clock_mhz(), opened.proof) == (1980, "only card")
    opened.close()
    assert nvml.shutdowns == 1


def test_memory_in_use_is_without_the_driver_s_own() -> None:
    nvml = FakeNvml(FakeCard(used_bytes=7 << 20))
    assert gauge(nvml).memory_used_bytes() == 7 << 20


def test_memory_by_a_library_that_counts_the_driver_s_own_in_is_unknown() -> None:
    nvml = FakeNvml(FakeCard(used_bytes=7 << 20))
    nvml.missing.add("nvmlMemory_v2")
    assert gauge(nvml).memory_used_bytes() is None


def test_a_slice_has_memory_of_its_own_and_no_utilisation() -> None:
    board = split_card()
    board.used_bytes, board.slices[0].used_bytes, board.busy = 90 << 30, 3 << 20, 50
    g = gauge(FakeNvml(board))
    assert (g.memory_used_bytes(), g.busy_pct()) == (3 << 20, None)


def test_uses_are_those_of_every_card_and_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    nvml = FakeNvml(FakeCard(uuid=GPU_B, used_bytes=5 << 30, busy=17), split_card())
    install(monkeypatch, nvml)
    assert nvml_uses() == (CardUse(GPU_B, 5 << 30, 17.0), CardUse(MIG_1, 0, None), CardUse(MIG_2, 0, None))
    assert nvml.shutdowns == 1


def test_a_card_whose_use_can_t_be_read_is_unknown_and_not_unused(monkeypatch: pytest.MonkeyPatch) -> None:
    nvml = FakeNvml()
    nvml.fails["nvmlDeviceGetMemoryInfo"] = nvml.fails["nvmlDeviceGetUtilizationRates"] = NVMLError("lost")
    install(monkeypatch, nvml)
    assert nvml_uses() == (CardUse(GPU_A, None, None),)


def test_without_nvml_there_are_no_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert nvml_uses() == ()
