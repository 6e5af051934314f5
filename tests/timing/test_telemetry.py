"""Evidence around windows."""

from __future__ import annotations

import os
import sys
import time

import pytest

from perftrack.core.company import CardUse
from perftrack.core.model import Evidence
from perftrack.core.tiers import Exclusivity
from perftrack.timing.card import Card
from perftrack.timing.devices import open_device
from perftrack.timing.nvml import NvmlGauge
from perftrack.timing.poller import Poller
from perftrack.timing.telemetry import GaugeTelemetry, NoTelemetry, open_telemetry, watch
from tests.timing import fake_nvml, fake_torch
from tests.timing.fake_nvml import FakeCard, FakeNvml, NVMLError


def telemetry(nvml: FakeNvml, poll_s: float | None = None) -> GaugeTelemetry:
    card = nvml.cards[0]
    return GaugeTelemetry(NvmlGauge(Card(nvml, card, card, card.uuid, "test")), poll_s=poll_s)


def test_a_window_s_evidence_is_the_growth_of_the_counters() -> None:
    card = FakeCard(energy_mj=1000)
    seen = telemetry(FakeNvml(card))
    seen.begin()
    card.energy_mj, card.thermal_ns = 5000, 3_000_000
    assert seen.end() == Evidence((1980.0,), 0, pytest.approx(0.003), 650.0, pytest.approx(4.0), 45.0)


def test_reasons_are_those_of_the_start_and_the_end_together() -> None:
    card = FakeCard(reasons=0x20)
    seen = telemetry(FakeNvml(card))
    seen.begin()
    card.reasons = 0x404
    assert seen.end().event_reasons == 0x424


def test_a_power_cap_between_two_looks_is_told_by_its_counter() -> None:
    card = FakeCard()
    seen = telemetry(FakeNvml(card))
    seen.begin()
    card.capped_ns += 1
    assert seen.end().event_reasons == 0x4


def test_a_window_does_not_inherit_the_one_before() -> None:
    card = FakeCard(reasons=0x20)
    seen = telemetry(FakeNvml(card))
    seen.begin()
    seen.end()
    card.reasons, card.sm_mhz = 0, 1500
    seen.begin()
    after = seen.end()
    assert (after.event_reasons, after.clock_mhz) == (0, (1500.0,))


def test_the_clock_before_the_load_is_no_evidence() -> None:
    """A saturated kernel runs at 1500 MHz on a card that boosts to 1980 without load: nothing varied."""
    card = FakeCard(sm_mhz=1980)
    seen = telemetry(FakeNvml(card))
    seen.begin()
    card.sm_mhz = 1500
    seen.note()
    assert seen.end().clock_mhz == (1500.0, 1500.0)


def test_the_clock_of_an_idle_card_is_no_evidence() -> None:
    card = FakeCard(sm_mhz=345, reasons=1)
    seen = telemetry(FakeNvml(card))
    seen.begin()
    assert seen.end().clock_mhz == ()


@pytest.mark.parametrize(
    ("call", "field"),
    [
        ("nvmlDeviceGetPowerUsage", "power_w"),
        ("nvmlDeviceGetTotalEnergyConsumption", "energy_j"),
        ("nvmlDeviceGetTemperature", "temperature_c"),
        ("nvmlDeviceGetViolationStatus", "throttle_s"),
    ],
)
def test_a_failing_read_is_none_for_its_quantity_alone(call: str, field: str) -> None:
    nvml = FakeNvml()
    nvml.fails[call] = NVMLError("Unknown Error")
    seen = telemetry(nvml, poll_s=0)
    seen.begin()
    nvml.cards[0].energy_mj += 1000
    evidence = seen.end()
    fields = ("power_w", "energy_j", "temperature_c", "throttle_s", "event_reasons")
    assert [f for f in fields if getattr(evidence, f) is None] == [field]


def test_nothing_readable_is_no_evidence_and_not_an_error() -> None:
    nvml = FakeNvml()
    for name in dir(FakeNvml):
        if name.startswith("nvmlDevice"):
            nvml.fails[name] = NVMLError("GPU is lost")
    seen = telemetry(nvml, poll_s=0)
    seen.begin()
    assert seen.end() == Evidence()
    assert seen.occupancy().exclusivity is Exclusivity.UNKNOWN
    assert not seen.locked()


def test_a_counter_that_went_back_is_no_evidence() -> None:
    card = FakeCard(energy_mj=5000)
    seen = telemetry(FakeNvml(card))
    seen.begin()
    card.energy_mj = 10  # the driver was reloaded
    assert seen.end().energy_j is None


def test_the_slow_reads_are_the_outer_ones() -> None:
    nvml = FakeNvml()
    seen = telemetry(nvml)
    seen.begin()  # the first looks at the card's company too
    seen.end()
    nvml.calls.clear()
    seen.begin()
    begin = list(nvml.calls)
    nvml.calls.clear()
    seen.end()
    assert begin[0] == nvml.calls[-1] == "nvmlDeviceGetTotalEnergyConsumption"
    assert begin[-1] == nvml.calls[0] == "nvmlDeviceGetCurrentClocksEventReasons"


def test_a_device_s_waiting_is_used_to_read_under_load(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = fake_torch.FakeGpu()
    fake_torch.install(monkeypatch, gpu)
    device, seen = open_device("cuda"), telemetry(FakeNvml())
    watch(seen, device)
    seen.begin()
    device.time_window(lambda: gpu.kernel(1e-3), 50, 1, cold=False)
    assert len(seen.end().clock_mhz) > 10


def test_watching_what_can_t_be_watched_is_harmless() -> None:
    watch(NoTelemetry("none"), open_device("cpu"))


def test_a_card_with_counters_is_not_polled() -> None:
    seen = telemetry(FakeNvml())
    seen.begin()
    time.sleep(0.03)
    seen.end()
    assert seen.polled_share is None


def test_a_card_without_counters_is_polled_and_the_cost_is_reported() -> None:
    nvml = FakeNvml(FakeCard(reasons=0x8))
    nvml.fails["nvmlDeviceGetViolationStatus"] = NVMLError("Not Supported")
    seen = telemetry(nvml)
    seen.begin()
    time.sleep(0.06)
    evidence = seen.end()
    assert len(evidence.clock_mhz) >= 3
    assert seen.polled_share is not None and 0 < seen.polled_share < 0.5
    seen.close()


def test_a_poller_can_be_stopped_twice_and_started_again() -> None:
    reads: list[int] = []
    poller = Poller(lambda: reads.append(1), 0.002)
    assert poller.stop() is None
    for _ in range(2):
        before = len(reads)
        poller.start()
        time.sleep(0.03)
        poller.stop()
        assert len(reads) > before
    assert poller.stop() is None


@pytest.mark.parametrize(
    ("own_listed", "others", "graphics", "expected"),
    [
        (True, [], [], Exclusivity.EXCLUSIVE),
        (True, [1 << 30], [], Exclusivity.SHARED),
        (True, [], [1], Exclusivity.UNKNOWN),
        (False, [], [], Exclusivity.UNKNOWN),
    ],
)
def test_exclusivity_from_the_card_s_processes(
    own_listed: bool,
    others: list[int],
    graphics: list[int],
    expected: Exclusivity,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("perftrack.timing.telemetry.lists_whole_host", lambda: True)
    pids = [os.getpid()] * own_listed + others
    found = telemetry(FakeNvml(FakeCard(processes=pids, graphics=graphics))).occupancy()
    assert found.exclusivity is expected


@pytest.mark.parametrize("kind", ["cpu", "mps", "xpu"])
def test_devices_without_telemetry_say_so(kind: str) -> None:
    none = open_telemetry(kind)
    none.begin()
    assert none.end() == Evidence()
    assert kind in none.why_none
    assert (none.locked(), none.occupancy().exclusivity) == (False, Exclusivity.UNKNOWN)
    assert kind in none.occupancy().detail


@pytest.mark.parametrize(("kind", "module"), [("cuda", "pynvml"), ("rocm", "amdsmi"), ("hpu", "pyhlml")])
def test_a_missing_library_is_no_evidence_with_its_name(
    monkeypatch: pytest.MonkeyPatch, kind: str, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    why = open_telemetry(kind).why_none
    assert module in why or "nvidia-ml-py" in why


def test_the_wrong_card_is_no_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_torch.install(monkeypatch, fake_torch.FakeGpu())
    fake_nvml.install(monkeypatch, FakeNvml(FakeCard(uuid=fake_nvml.GPU_B)))
    opened = open_telemetry("cuda")
    opened.begin()
    assert opened.end() == Evidence()
    assert "torch's UUID" in opened.why_none


def test_the_right_card_among_several_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_torch.install(monkeypatch, fake_torch.FakeGpu())
    other = FakeCard(uuid=fake_nvml.GPU_B, sm_mhz=345, pci=(0, 0x4C, 0))
    fake_nvml.install(monkeypatch, FakeNvml(other, FakeCard(sm_mhz=1500)))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,0")
    opened = open_telemetry("cuda")
    opened.begin()
    assert opened.end().clock_mhz == (1500.0,)
    opened.close()


def looking(card: FakeCard, *uses: CardUse) -> GaugeTelemetry:
    nvml = FakeNvml(card)
    return GaugeTelemetry(NvmlGauge(Card(nvml, card, card, card.uuid, "test")), poll_s=0, uses=uses)


def test_an_empty_list_beside_foreign_memory_and_use_is_never_exclusive() -> None:
    shared = CardUse(fake_nvml.GPU_A, 30 << 30, 95.0)
    assert looking(FakeCard(), shared).occupancy().exclusivity is Exclusivity.SHARED
    parked = CardUse(fake_nvml.GPU_A, 30 << 30, 0.0)
    assert looking(FakeCard(), parked).occupancy().exclusivity is Exclusivity.UNKNOWN


def test_use_of_another_card_is_no_company(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perftrack.timing.telemetry.lists_whole_host", lambda: True)
    other = CardUse(fake_nvml.GPU_B, 30 << 30, 95.0)
    found = looking(FakeCard(processes=[os.getpid()]), other).occupancy()
    assert found.exclusivity is Exclusivity.EXCLUSIVE


def test_a_process_that_left_before_the_end_was_company() -> None:
    card = FakeCard(processes=[os.getpid(), 1 << 30])
    seen = looking(card)
    seen.begin()
    card.processes = [os.getpid()]
    seen.begin()
    assert seen.occupancy().exclusivity is Exclusivity.SHARED


def test_a_process_that_came_later_is_company() -> None:
    card = FakeCard(processes=[os.getpid()])
    seen = looking(card)
    seen.begin()
    card.processes = [os.getpid(), 1 << 30]
    assert seen.occupancy().exclusivity is Exclusivity.SHARED
