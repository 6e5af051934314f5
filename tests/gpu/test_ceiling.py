"""The rig of a real card: what its bursts, readings and bandwidths look like. Run with -s to see them."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

import pytest

from perftrack.app.rigopen import OpenRig, open_readings, open_torch
from perftrack.ceiling.bandwidth import Cache, measure_bandwidth
from perftrack.ceiling.protocols import ShapeRefusedError
from perftrack.ceiling.search import search
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import DataType, Definition, Ending, Shape
from perftrack.errors import DeviceError

torch: Any = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]
SHAPE = Shape(4096, 4096, 4096)


@pytest.fixture
def opened() -> Iterator[OpenRig]:
    rig = open_torch("cuda", 0, DataType.BFLOAT16)
    yield rig
    rig.close()


def rate(rig: OpenRig, shape: Shape = SHAPE, iterations: int = 40) -> float:
    burst = rig.rig.burst(shape, iterations, warmup=20)
    return shape.flops / median(burst.seconds)


def test_the_facts_are_those_of_the_card(opened: OpenRig) -> None:
    facts, properties = opened.rig.facts, torch.cuda.get_device_properties(0)
    print(f"\n{facts}")
    assert facts.unit_count == properties.multi_processor_count
    assert facts.l2_bytes == properties.L2_cache_size
    assert facts.memory_bytes is not None and 0 < facts.memory_bytes <= properties.total_memory
    assert facts.telemetry == "nvml" and facts.power_separates


def test_a_burst_has_clock_and_power_for_every_iteration(opened: OpenRig) -> None:
    burst = opened.rig.burst(SHAPE, 100, warmup=50)
    fast = SHAPE.flops / median(burst.seconds) / 1e12
    print(f"\n{fast:.0f} Tflop/s, {set(burst.clock_mhz)} MHz, reasons {burst.event_reasons}")
    assert len(burst.seconds) == len(burst.clock_mhz) == len(burst.power_w) >= 90
    assert all(c is not None and 200 < c < 4000 for c in burst.clock_mhz)
    assert all(p is not None and 50 < p < 2000 for p in burst.power_w)
    assert burst.temperature_c is not None and 10 < burst.temperature_c < 110
    assert burst.ended_at - burst.started_at >= sum(burst.seconds)


def test_a_pause_lets_the_clock_recover(opened: OpenRig) -> None:
    """What the two regimes rest on: the first iterations after a pause are faster than those of a hot device."""
    large = Shape(8192, 8192, 8192)
    hot = opened.rig.burst(large, 300, warmup=300)
    rested = opened.rig.burst(large, 8, idle_s=0.5)
    settled, fast = median(hot.seconds[-100:]), min(rested.seconds)
    print(f"\nhot {large.flops / settled / 1e12:.0f}, rested {large.flops / fast / 1e12:.0f} Tflop/s")
    assert fast < settled


def test_reading_clock_and_power_takes_little(opened: OpenRig) -> None:
    import time

    readings = open_readings("cuda", 0)
    assert readings is not None
    took = {}
    for name in ("clock_mhz", "power_w", "event_reasons"):
        read, times = getattr(readings, name), []
        for _ in range(200):
            started = time.perf_counter()
            assert read() is not None
            times.append(time.perf_counter() - started)
        took[name] = 1e6 * median(times)
    print(f"\n{took} µs")
    # The sampler reads these every 0.5 ms; power, where it takes longer, more rarely.
    assert took["clock_mhz"] + took["event_reasons"] < 250


def test_a_shape_beyond_the_memory_is_refused_and_the_next_one_runs(opened: OpenRig) -> None:
    with pytest.raises(ShapeRefusedError):
        opened.rig.burst(Shape(400_000, 400_000, 1024), 2)
    # An iteration that the device reached before the host had queued it is left out, but never most of them.
    assert len(opened.rig.burst(Shape(256, 256, 256), 5).seconds) in (3, 4, 5)


def test_operands_held_elsewhere_run_out_of_memory_for_one_shape_only(opened: OpenRig) -> None:
    free, _ = torch.cuda.mem_get_info()
    held = torch.empty(int(free * 0.9), dtype=torch.uint8, device="cuda")
    side = int((free * 0.05) ** 0.5)
    with pytest.raises(ShapeRefusedError, match=r"out of memory|does not fit"):
        opened.rig.burst(Shape(side * 2, side * 2, 1024), 2)
    del held
    torch.cuda.empty_cache()
    assert opened.rig.burst(Shape(1024, 1024, 1024), 5).seconds


def test_tf32_and_float32_are_two_rates() -> None:
    rates = {}
    for dtype in (DataType.TF32, DataType.FLOAT32):
        rig = open_torch("cuda", 0, dtype)
        rates[dtype] = rate(rig)
        assert rig.fingerprint.tf32_matmul is (dtype is DataType.TF32)
        rig.close()
    print({k.value: f"{v / 1e12:.0f} Tflop/s" for k, v in rates.items()})
    assert rates[DataType.TF32] > 2 * rates[DataType.FLOAT32]


def test_every_type_runs_or_is_refused_with_a_reason() -> None:
    for dtype in DataType:
        try:
            rig = open_torch("cuda", 0, dtype)
        except DeviceError as error:
            print(f"\n{dtype}: {error.message}")
            assert f"does not multiply {dtype}: " in error.message
            continue
        print(f"\n{dtype}: {rate(rig) / 1e12:.0f} Tflop/s")
        rig.close()


def test_bandwidths_are_those_of_memory_and_a_faster_cache(opened: OpenRig) -> None:
    facts = opened.rig.facts
    found = measure_bandwidth(opened, Cache(facts.l2_bytes, facts.memory_bytes), Tuning().protocol, lambda r: None)
    rates = {r.definition: r.value for r in found.results}
    print("\n" + ", ".join(f"{d} {v / 1e12:.2f} TB/s" for d, v in rates.items()), dict(found.missing))
    assert set(rates) >= {Definition.COPY_DEVICE, Definition.TRIAD_DEVICE, Definition.COPY_L2}
    assert 1e11 < rates[Definition.COPY_DEVICE] < 2e13
    assert rates[Definition.COPY_L2] > rates[Definition.COPY_DEVICE]
    assert all(r.validated and r.interval is not None for r in found.results)


def test_a_small_search_finds_both_ceilings(opened: OpenRig) -> None:
    shapes = [Shape(2048, 2048, 4096), Shape(4096, 4096, 4096), Shape(8192, 8192, 8192)]
    quick = Tuning(
        warmup_min_s=0.5, warmup_max_s=3, soak_s=2, confirm_reps=2, lock_reps=3, boost_lock_reps=2, steady_reps=1,
        steady_top=1,
    )  # fmt: skip
    report = search(opened.rig, shapes, tuning=quick)
    for result in report.results:
        at = f"{result.shape}, {result.clock_mhz} MHz, {result.power_w} W"
        print(f"\n{result.definition} {result.value / 1e12:.0f} at {at}")
    assert report.ending is Ending.COMPLETE
    mamf, msmf = report.of(Definition.MAMF), report.of(Definition.MSMF)
    assert mamf is not None and msmf is not None
    assert mamf.value >= 0.98 * msmf.value
    assert mamf.clock_mhz is not None and msmf.power_w is not None
