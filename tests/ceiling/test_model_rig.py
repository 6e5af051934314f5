from __future__ import annotations

from statistics import fmean

import pytest

from perftrack.ceiling.card import CardModel
from perftrack.ceiling.model_rig import Mishaps, ModelRig
from perftrack.ceiling.protocols import ShapeRefusedError
from perftrack.core.ceiling import Shape
from perftrack.errors import DeviceError

CARD = CardModel()
FAT = Shape(8192, 8192, 8192)


def rig(**fields: object) -> ModelRig:
    return ModelRig(CARD, **fields)  # type: ignore[arg-type]


def test_a_burst_after_idling_starts_at_boost_and_drops_to_the_power_limit() -> None:
    burst = rig().burst(FAT, 100, idle_s=0.3)
    assert burst.clock_mhz[0] == CARD.top_clock_mhz
    assert burst.clock_mhz[-1] == pytest.approx(CARD.settled_clock(FAT, CARD.ambient_c), abs=20)
    assert FAT.flops / burst.seconds[0] == pytest.approx(CARD.boost_rate(FAT), rel=0.01)


def test_heating_lowers_the_clock() -> None:
    device = rig()
    first = device.burst(FAT, 200, warmup=200)
    for _ in range(100):
        last = device.burst(FAT, 200)
    assert fmean(c for c in last.clock_mhz if c) < fmean(c for c in first.clock_mhz if c) - 10
    assert last.temperature_c is not None
    assert first.temperature_c is not None
    assert last.temperature_c > first.temperature_c + 20


def test_idling_brings_the_clock_back() -> None:
    device = rig()
    device.burst(FAT, 200)
    device.idle(0.5)
    assert device.burst(FAT, 3).clock_mhz[0] == CARD.top_clock_mhz


def test_time_passes_by_what_was_run() -> None:
    device = rig()
    burst = device.burst(FAT, 10, idle_s=1.0)
    assert device.now() == burst.ended_at
    assert burst.ended_at - burst.started_at == pytest.approx(sum(burst.seconds) + 10 * CARD.gap(FAT))
    assert burst.started_at > 1.0


def test_the_same_seed_plays_the_same() -> None:
    assert rig(seed=3).burst(FAT, 5) == rig(seed=3).burst(FAT, 5)
    assert rig(seed=3).burst(FAT, 5) != rig(seed=4).burst(FAT, 5)


def test_without_telemetry_nothing_is_read() -> None:
    device = rig(telemetry=False)
    burst = device.burst(FAT, 5)
    assert (burst.clock_mhz, burst.power_w, burst.temperature_c) == ((), (), None)
    assert not device.facts.telemetry
    assert not device.facts.power_separates


def test_a_jittery_shape_wanders_from_burst_to_burst() -> None:
    def rates(device: ModelRig) -> list[float]:
        device.burst(FAT, 200)
        return [FAT.flops / fmean(device.burst(FAT, 50, warmup=50).seconds) for _ in range(8)]

    steady, jittery = rates(rig()), rates(rig(mishaps=Mishaps(jittery=frozenset({FAT}))))
    assert max(steady) / min(steady) < 1.01
    assert max(jittery) / min(jittery) > 1.03


def test_too_large_and_refused_shapes_are_refused() -> None:
    device = rig(mishaps=Mishaps(refused=frozenset({FAT})))
    with pytest.raises(ShapeRefusedError, match="no kernel"):
        device.burst(FAT, 1)
    with pytest.raises(ShapeRefusedError, match="out of memory"):
        device.burst(Shape(2**18, 2**18, 1024), 1)


def test_interrupts_and_failures_come_at_their_call() -> None:
    device = rig(mishaps=Mishaps(interrupt_at=1))
    device.burst(FAT, 1)
    with pytest.raises(KeyboardInterrupt):
        device.idle(0.1)
    device.burst(FAT, 1)
    broken = rig(mishaps=Mishaps(fail_at=0))
    for _ in range(2):
        with pytest.raises(DeviceError, match="fell off the bus"):
            broken.burst(FAT, 1)
