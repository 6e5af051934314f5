"""What readings cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.timing.checks import readings
from tests.timing.fake_nvml import FakeNvml, NVMLError, split_card
from tests.timing.scenes import finding, on_card


def test_each_reading_is_timed_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nvml = FakeNvml()
    now = 0

    def spend(name: str, microseconds: int) -> None:
        call = getattr(nvml, name)

        def slow(*arguments: object) -> object:
            nonlocal now
            now += 1000 * microseconds
            return call(*arguments)

        object.__setattr__(nvml, name, slow)

    spend("nvmlDeviceGetClockInfo", 3)
    spend("nvmlDeviceGetTotalEnergyConsumption", 3600)
    spend("nvmlDeviceGetViolationStatus", 700)
    monkeypatch.setattr(readings, "perf_counter_ns", lambda: now)
    found = finding("telemetry-cost", on_card(tmp_path, nvml))
    assert found.numbers["clock_us"] == 3
    assert found.numbers["energy_us"] == 3600
    assert found.numbers["counters_us"] == 1400, "heat and power, one call each"
    assert "clock 3.0 µs" in found.seen
    assert "energy 3.6 ms" in found.seen


def test_what_can_t_be_read_has_no_cost(tmp_path: Path) -> None:
    nvml = FakeNvml()
    nvml.fails["nvmlDeviceGetTotalEnergyConsumption"] = NVMLError("Not Supported")
    found = finding("telemetry-cost", on_card(tmp_path, nvml))
    assert "energy_us" not in found.numbers
    assert found.seen.endswith("not readable: energy")


def test_a_slice_has_no_power_of_its_own(tmp_path: Path) -> None:
    found = finding("telemetry-cost", on_card(tmp_path, FakeNvml(split_card())))
    assert found.seen.endswith("not readable: power, energy")
