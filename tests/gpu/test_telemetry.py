"""Evidence and fingerprint on a real GPU. Run with -s to see what was read. Sets nothing on the device."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

import pytest

from perftrack.core.tiers import IDLE, Exclusivity
from perftrack.timing.devices import open_device
from perftrack.timing.devices.events import EventDevice
from perftrack.timing.environment import capture, capture_fingerprint
from perftrack.timing.nvml import NvmlGauge
from perftrack.timing.sampler import ClockSampler
from perftrack.timing.telemetry import GaugeTelemetry, open_telemetry, watch

torch: Any = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]


@pytest.fixture
def device() -> Iterator[EventDevice]:
    opened = open_device("cuda")
    assert isinstance(opened, EventDevice)
    yield opened
    opened.close()


@pytest.fixture
def telemetry(device: EventDevice) -> Iterator[GaugeTelemetry]:
    opened = open_telemetry("cuda")
    assert isinstance(opened, GaugeTelemetry), opened.why_none
    watch(opened, device)
    yield opened
    opened.close()


def product(side: int) -> Any:
    a = torch.randn(side, side, device="cuda", dtype=torch.bfloat16)
    return lambda: a @ a


def test_the_card_is_torch_s(telemetry: GaugeTelemetry) -> None:
    gauge = telemetry.gauge
    assert isinstance(gauge, NvmlGauge)
    print(f"\n{gauge.card_id} by {gauge.proof}")
    uuid = getattr(torch.cuda.get_device_properties(0), "uuid", None)
    if uuid is not None:
        assert gauge.card_id.lower().endswith(str(uuid).lower())
        assert gauge.proof == "UUID from torch"


def test_a_window_has_evidence_of_every_kind(device: EventDevice, telemetry: GaugeTelemetry) -> None:
    work = product(4096)
    device.burst(work, 300)
    telemetry.begin()
    device.time_window(work, 1500, 1, cold=True)  # long enough for the energy counter, which moves every 0.1 s
    evidence = telemetry.end()
    print(f"\n{evidence}")
    assert len(evidence.clock_mhz) >= 3
    assert all(200 < clock < 4000 for clock in evidence.clock_mhz)
    assert evidence.event_reasons is not None
    assert evidence.throttle_s is not None
    assert evidence.power_w is not None and evidence.power_w > 50
    assert evidence.energy_j is not None and evidence.energy_j > 0
    assert evidence.temperature_c is not None and 10 < evidence.temperature_c < 110


def test_clocks_before_and_during_load_are_shown(device: EventDevice, telemetry: GaugeTelemetry) -> None:
    """What the rule rests on that only readings under load are evidence."""
    gauge = telemetry.gauge
    work = product(8192)
    device.burst(work, 100)
    rows = []
    torch.cuda.synchronize()
    started = time.perf_counter()
    while (passed := time.perf_counter() - started) < 0.25:
        rows.append((passed, gauge.clock_mhz(), gauge.event_reasons()))
        time.sleep(0.02)
    telemetry.begin()
    device.time_window(work, 60, 1, cold=False)
    under_load = telemetry.end().clock_mhz
    print(
        "\nidle after load: " + ", ".join(f"{1e3 * t:.0f} ms {c} MHz {r:#x}" for t, c, r in rows if r is not None)
    )
    print(f"under load: {sorted(set(under_load))} MHz, {len(under_load)} readings")
    assert under_load


def test_reading_costs_little_where_it_is_done_under_load(telemetry: GaugeTelemetry) -> None:
    costs = []
    for _ in range(200):
        started = time.perf_counter()
        telemetry.note()
        costs.append(time.perf_counter() - started)
    started = time.perf_counter()
    telemetry.begin()
    begin = time.perf_counter() - started
    started = time.perf_counter()
    telemetry.end()
    end = time.perf_counter() - started
    print(f"\nnote {median(costs) * 1e6:.1f} µs, begin {begin * 1e3:.2f} ms, end {end * 1e3:.2f} ms")
    assert median(costs) < 200e-6
    assert begin < 0.1 and end < 0.1


def test_this_process_is_seen_on_the_card_or_it_is_unknown(telemetry: GaugeTelemetry) -> None:
    torch.ones(1, device="cuda")
    occupancy = telemetry.occupancy()
    print(f"\n{occupancy}")
    assert occupancy.exclusivity in (Exclusivity.EXCLUSIVE, Exclusivity.UNKNOWN)


def test_another_process_on_the_card_is_seen_where_processes_are_listed(telemetry: GaugeTelemetry) -> None:
    """A process of the same parent that is not this one's child: started through a shell that ends."""
    if telemetry.occupancy().exclusivity is not Exclusivity.EXCLUSIVE:
        pytest.skip("process ids are hidden here")
    code = "import torch, time; torch.ones(1, device='cuda'); print('up', flush=True); time.sleep(20)"
    command = ["/bin/sh", "-c", f'"{sys.executable}" -c "{code}" & echo $!; exec sleep 6']
    shell = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert shell.stdout is not None
    with shell.stdout as printed:
        pid = int(printed.readline())
        assert printed.readline() == "up\n"
    shell.kill()
    shell.wait()
    try:
        assert telemetry.occupancy().exclusivity is Exclusivity.SHARED
    finally:
        subprocess.run(["/bin/kill", str(pid)], check=False)


def test_unlocked_clocks_are_not_shown_as_locked(telemetry: GaugeTelemetry) -> None:
    assert telemetry.locked() in (False, True)
    assert capture("cuda").clock_lock == "floating"


def test_the_sampler_reads(device: EventDevice) -> None:
    sampler = ClockSampler()
    assert sampler.available, sampler.why_none
    device.burst(product(4096), 100)
    clock = sampler.sample_clock_mhz()
    assert clock is not None and 200 < clock < 4000
    assert sampler.throttled_now() in (True, False)
    assert isinstance(sampler.event_reasons(), int)
    print(f"\n{clock} MHz, reasons {sampler.event_reasons():#x}, idle bit {IDLE:#x}")
    sampler.shutdown()


def test_the_fingerprint_knows_every_key_field() -> None:
    fingerprint = capture_fingerprint()
    for info in fingerprint.fields():
        print(f"\n{info.role.value:8} {info.label}: {info.show(fingerprint.value(info.name))}", end="")
    assert fingerprint.device_kind == "cuda"
    assert fingerprint.unknown_key_fields == ()
    assert fingerprint.gpu_uuid is not None


def test_two_fresh_processes_have_one_key() -> None:
    code = (
        "import torch; from perftrack.timing.environment import capture; "
        "torch.ones(1, device='cuda'); print(capture('cuda').key_id)"
    )
    ids = {
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
        for _ in range(2)
    }
    assert len(ids) == 1
