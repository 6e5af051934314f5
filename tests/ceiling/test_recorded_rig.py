from __future__ import annotations

from itertools import product
from statistics import fmean

import pytest

from perftrack.ceiling.card import CardModel
from perftrack.ceiling.grid import Grid, Recorded
from perftrack.ceiling.model_rig import Mishaps, ModelRig
from perftrack.ceiling.protocols import RigFacts, ShapeRefusedError
from perftrack.ceiling.recorded_rig import RecordedRig
from perftrack.ceiling.recorder import record_grid
from perftrack.ceiling.search import search
from perftrack.ceiling.space import space_of
from perftrack.core.ceiling import DataType, Definition, Shape
from perftrack.errors import DeviceError
from tests.ceiling.made import QUICK, burst

CARD = CardModel(seed=3)
SHAPE = Shape(4096, 4096, 4096)
SHAPES = tuple(Shape(m, n, k) for m, n, k in product((1536, 2816, 4096), (1536, 2816, 4096), (4096, 8192, 16384)))
FACTS = RigFacts("a card", DataType.BFLOAT16, unit_count=132, tile_hint=(128, 256), telemetry="nvml")


def grid() -> Grid:
    return record_grid(ModelRig(CARD), SHAPES, tuning=QUICK)


def one() -> RecordedRig:
    boost = burst([9e14, 8.9e14, 8.8e14], shape=SHAPE, clock=1980.0)
    held = burst([7e14] * 8, shape=SHAPE, clock=1600.0)
    return RecordedRig(Grid(FACTS, (Recorded(boost, held, 4e-4),)), burst_noise=0.0)


def test_after_idling_the_boost_burst_is_played_in_its_order_and_then_the_hot_one() -> None:
    rates = [SHAPE.flops / s for s in one().burst(SHAPE, 5, idle_s=0.1).seconds]
    assert rates == pytest.approx([9e14, 8.9e14, 8.8e14, 7e14, 7e14])


def test_back_to_back_bursts_are_hot() -> None:
    rig = one()
    rig.burst(SHAPE, 3)
    assert set(rig.burst(SHAPE, 4).clock_mhz) == {1600.0}
    rig.idle(0.5)
    assert rig.burst(SHAPE, 3).clock_mhz[0] == 1980.0


def test_warming_up_uses_the_boost_up() -> None:
    assert set(one().burst(SHAPE, 4, warmup=10, idle_s=0.1).clock_mhz) == {1600.0}


def test_time_goes_by_the_recorded_period() -> None:
    rig = one()
    played = rig.burst(SHAPE, 10, warmup=5, idle_s=1.0)
    assert rig.now() == pytest.approx(1.0 + 15 * 4e-4)
    assert played.ended_at - played.started_at == pytest.approx(10 * 4e-4)


def test_what_was_not_recorded_is_refused() -> None:
    with pytest.raises(ShapeRefusedError, match="was not recorded"):
        one().burst(Shape(1, 2, 3), 1)


def test_bursts_differ_by_the_noise_that_they_share() -> None:
    rig = one()
    rig.burst_noise = 0.01
    rates = [fmean(rig.burst(SHAPE, 8, warmup=1).seconds) for _ in range(20)]
    assert 1.01 < max(rates) / min(rates) < 1.1


def test_a_recording_has_every_shape_in_both_regimes() -> None:
    found = grid()
    assert set(found.shapes) == set(SHAPES)
    for entry in found.entries:
        assert SHAPE.flops > 0
        assert max(c for c in entry.boost.clock_mhz if c) >= 0.97 * CARD.top_clock_mhz
        rate = entry.shape.flops / fmean(entry.held.seconds)
        assert rate == pytest.approx(CARD.sustained(entry.shape).rate, rel=0.05)
        assert entry.period_s >= min(entry.held.seconds)


def test_a_search_of_a_recording_finds_what_the_card_does_best() -> None:
    found = grid()
    report = search(RecordedRig(found), tuning=QUICK, space=space_of(found.shapes))
    mamf = report.of(Definition.MAMF)
    assert mamf is not None
    assert mamf.shape is not None
    assert CARD.boost_rate(mamf.shape) >= 0.995 * max(CARD.boost_rate(s) for s in SHAPES)


def test_an_interrupted_recording_keeps_what_is_whole() -> None:
    calls = ModelRig(CARD)
    record_grid(calls, SHAPES, tuning=QUICK)
    part = record_grid(ModelRig(CARD, mishaps=Mishaps(interrupt_at=calls.calls - 5)), SHAPES, tuning=QUICK)
    assert 0 < len(part.entries) < len(SHAPES)
    assert record_grid(ModelRig(CARD, mishaps=Mishaps(interrupt_at=0)), SHAPES, tuning=QUICK).entries == ()


def test_a_recording_keeps_to_its_time() -> None:
    rig = ModelRig(CARD)
    part = record_grid(rig, SHAPES, tuning=QUICK, time_budget_s=5.0)
    assert rig.now() <= 5.2
    assert len(part.entries) < len(SHAPES)


def test_a_device_that_fails_at_once_leaves_nothing_to_record() -> None:
    with pytest.raises(DeviceError, match="fell off the bus"):
        record_grid(ModelRig(CARD, mishaps=Mishaps(fail_at=0)), SHAPES, tuning=QUICK)
    calls = ModelRig(CARD)
    record_grid(calls, SHAPES, tuning=QUICK)
    assert record_grid(ModelRig(CARD, mishaps=Mishaps(fail_at=calls.calls - 2)), SHAPES, tuning=QUICK).entries


def test_refused_shapes_are_left_out() -> None:
    rig = ModelRig(CARD, mishaps=Mishaps(refused=frozenset(SHAPES[:2])))
    assert set(record_grid(rig, SHAPES, tuning=QUICK).shapes) == set(SHAPES[2:])
