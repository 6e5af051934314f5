"""The sampler of clock and throttle state."""

from __future__ import annotations

import pytest

from perftrack.errors import DeviceError
from perftrack.timing.card import Card
from perftrack.timing.nvml import NvmlGauge
from perftrack.timing.sampler import ClockSampler
from tests.timing.fake_nvml import FakeCard, FakeNvml, NVMLError


def sampler(nvml: FakeNvml) -> ClockSampler:
    card = nvml.cards[0]
    return ClockSampler(0, open_gauge=lambda kind, index: NvmlGauge(Card(nvml, card, card, card.uuid, "test")))


def test_the_sampler_reads_clock_and_reasons() -> None:
    nvml = FakeNvml(FakeCard(reasons=0x4))
    clocks = sampler(nvml)
    assert (clocks.available, clocks.device, clocks.sample_clock_mhz()) == (True, 0, 1980)
    assert (clocks.event_reasons(), clocks.throttled_now()) == (0x4, True)
    clocks.shutdown()
    clocks.shutdown()
    assert nvml.shutdowns == 1
    assert (clocks.available, clocks.sample_clock_mhz(), clocks.throttled_now()) == (False, None, None)


@pytest.mark.parametrize(("reasons", "throttled"), [(0x0, False), (0x1, False), (0x5, True), (0x400, True)])
def test_idleness_is_no_throttling(reasons: int, throttled: bool) -> None:
    assert sampler(FakeNvml(FakeCard(reasons=reasons))).throttled_now() is throttled


def test_a_failing_read_of_the_sampler_is_none() -> None:
    nvml = FakeNvml()
    for name in ("ClockInfo", "CurrentClocksEventReasons", "CurrentClocksThrottleReasons"):
        nvml.fails[f"nvmlDeviceGet{name}"] = NVMLError("GPU is lost")
    clocks = sampler(nvml)
    assert (clocks.available, clocks.sample_clock_mhz(), clocks.throttled_now()) == (True, None, None)


def test_a_sampler_without_a_card_is_unavailable() -> None:
    def nothing(kind: str, index: int) -> NvmlGauge:
        raise DeviceError("NVML can't be used: Driver Not Loaded")

    clocks = ClockSampler(open_gauge=nothing)
    assert (clocks.available, clocks.sample_clock_mhz(), clocks.throttled_now()) == (False, None, None)
    assert "Driver Not Loaded" in clocks.why_none
    clocks.shutdown()
