from __future__ import annotations

import math
from dataclasses import replace

import pytest

from perftrack.ceiling.bench import ENDS_BY, Bench, TimeIsUp
from perftrack.ceiling.card import CardModel
from perftrack.ceiling.journal import Journal
from perftrack.ceiling.model_rig import Mishaps, ModelRig
from perftrack.ceiling.protocols import Burst, Phase, SilentProgress
from perftrack.core.ceiling import Shape
from tests.ceiling.made import Listener

FAT = Shape(8192, 8192, 8192)
SMALL = Shape(1536, 2816, 4096)


def bench(
    rig: ModelRig | None = None, budget_s: float | None = None, listener: SilentProgress | None = None
) -> Bench:
    return Bench(rig or ModelRig(CardModel()), Journal(), listener or SilentProgress(), budget_s)


def test_iterations_fill_the_seconds_once_the_shape_is_known() -> None:
    here = bench()
    for shape in (FAT, SMALL):
        here.burst(shape, 0.1)
        burst = here.burst(shape, 0.1)
        assert burst is not None
        assert burst.ended_at - burst.started_at == pytest.approx(0.1, rel=0.15)


def test_a_new_shape_is_estimated_from_what_others_took() -> None:
    here = bench()
    for _ in range(9):
        here.burst(FAT, 0.05)
    assert here.period(Shape(8192, 8192, 16384)) == pytest.approx(2 * here.period(FAT), rel=0.2)


def test_the_bounds_on_iterations_hold() -> None:
    here = bench()
    here.burst(FAT, 0.01)
    few, many = here.burst(FAT, 1e-6, least=7), here.burst(FAT, 1.0, most=9)
    assert few is not None
    assert many is not None
    assert (len(few.seconds), len(many.seconds)) == (7, 9)


def test_a_refused_shape_is_noted_once_and_not_tried_again() -> None:
    listener = Listener()
    rig = ModelRig(CardModel(), mishaps=Mishaps(refused=frozenset({FAT})))
    here = bench(rig, listener=listener)
    assert here.burst(FAT, 0.1) is None
    calls = rig.calls
    assert here.burst(FAT, 0.1) is None
    assert rig.calls == calls
    assert listener.skips == [(FAT, f"no kernel for {FAT}")]
    assert here.journal.skipped[FAT].why == f"no kernel for {FAT}"


class Broken(ModelRig):
    """Its timer reads nothing for fat shapes."""

    def burst(self, shape: Shape, iterations: int, *, warmup: int = 0, idle_s: float = 0.0) -> Burst:
        burst = super().burst(shape, iterations, warmup=warmup, idle_s=idle_s)
        return replace(burst, seconds=(0.0,) * iterations) if shape == FAT else burst


def test_a_shape_whose_time_is_none_is_skipped_with_the_reason() -> None:
    here = bench(Broken(CardModel()))
    assert here.burst(FAT, 0.1) is None
    assert "timer read 0.0 s" in here.journal.skipped[FAT].why


def test_a_device_that_refuses_the_first_shape_is_still_measured() -> None:
    rig = ModelRig(CardModel(), mishaps=Mishaps(refused=frozenset({Shape(1024, 1024, 1024)})))
    assert bench(rig).burst(FAT, 0.1) is not None


def test_a_part_ends_before_the_burst_that_would_outlast_it() -> None:
    here = bench(budget_s=1.0)
    count = 0
    with here.part(Phase.SCOUT, share=0.5):
        for _ in range(50):
            here.burst(FAT, 0.1)
            count += 1
    assert here.journal.cut == [Phase.SCOUT]
    assert 3 <= count < 50
    assert here.rig.now() <= 0.5 + 0.02


def test_an_idle_pause_counts_as_time() -> None:
    here = bench(budget_s=1.0)
    here.burst(FAT, 0.01)
    with here.part(Phase.SCOUT, share=1.0):
        here.burst(FAT, 0.01, idle_s=2.0)
    assert here.journal.cut == [Phase.SCOUT]


def test_time_that_a_part_leaves_is_the_next_ones() -> None:
    here = bench(budget_s=10.0)
    with here.part(Phase.WARMUP):
        pass
    with here.part(Phase.SCOUT):
        here.reserve(10.0 * ENDS_BY[Phase.SCOUT] - 0.01)
        with pytest.raises(TimeIsUp):
            here.reserve(10.0 * ENDS_BY[Phase.SCOUT] + 0.01)


def test_without_a_budget_there_is_no_end() -> None:
    here = bench()
    with here.part(Phase.SCOUT):
        here.reserve(1e12)
    assert here.journal.cut == []


def test_parts_end_in_their_order_and_the_last_with_the_budget() -> None:
    assert list(ENDS_BY) == list(Phase)
    assert list(ENDS_BY.values()) == sorted(ENDS_BY.values())
    assert math.isclose(ENDS_BY[Phase.CROSSCHECK], 1.0)


def test_bursts_are_counted_and_told() -> None:
    listener = Listener()
    here = bench(listener=listener)
    with here.part(Phase.SCREEN, 2):
        here.burst(FAT, 0.01)
        here.burst(FAT, 0.01)
    assert (here.journal.bursts, here.journal.measured) == (2, {FAT})
    assert listener.seen == [(Phase.SCREEN, FAT)] * 2
    assert here.journal.top_clock_mhz == 1980.0
