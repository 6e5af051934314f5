from __future__ import annotations

from dataclasses import replace

from perftrack.ceiling.bench import Bench
from perftrack.ceiling.card import CardModel
from perftrack.ceiling.journal import Journal, Locked, final
from perftrack.ceiling.model_rig import Mishaps, ModelRig
from perftrack.ceiling.protocols import Burst, SilentProgress
from perftrack.ceiling.scouting import level, warm_up
from perftrack.ceiling.sustained import Repeated
from perftrack.ceiling.sustaining import confirm_sustained, lock_sustained, settled, soak
from perftrack.ceiling.tuning import Tuning, Warmup
from perftrack.core.ceiling import Shape
from tests.ceiling.made import QUICK, burst, reading

SHAPE = Shape(4096, 4096, 4096)


def run(
    clocks: list[float | None], heats: list[float | None] | None = None, rates: list[float] | None = None
) -> list[Burst]:
    count = len(clocks)
    rows = zip(clocks, heats or [None] * count, rates or [7e14] * count, strict=True)
    return [burst([rate], clock=clock, heat=heat) for clock, heat, rate in rows]


def test_a_level_clock_has_settled() -> None:
    assert settled(run([1600.0] * 8))
    assert not settled(run([1600.0] * 7))


def test_a_falling_clock_has_not() -> None:
    assert not settled(run([1700.0, 1690.0, 1680.0, 1670.0, 1660.0, 1650.0, 1640.0, 1630.0]))


def test_a_clock_that_steps_up_and_down_has() -> None:
    assert settled(run([1605.0, 1590.0] * 4))


def test_a_card_that_still_warms_has_not() -> None:
    assert not settled(run([1600.0] * 8, [60.0, 60.0, 60.0, 60.0, 61.0, 61.0, 61.0, 61.0]))
    assert settled(run([1600.0] * 8, [61.0] * 8))


def test_without_clocks_throughput_tells() -> None:
    assert settled(run([None] * 8, rates=[7e14] * 8))
    assert not settled(run([None] * 8, rates=[7e14 - i * 1e12 for i in range(8)]))


def test_only_the_latest_bursts_count() -> None:
    assert settled(run([1900.0, 1800.0, 1700.0] + [1600.0] * 8))


def bench() -> Bench:
    return Bench(ModelRig(CardModel()), Journal(), SilentProgress())


def test_a_soak_ends_when_the_card_has_settled_or_its_time_is_up() -> None:
    long, short = bench(), bench()
    soak(long, Tuning(soak_s=200.0))
    assert long.journal.soaked
    assert 20.0 < long.rig.now() < 100.0
    soak(short, Tuning(soak_s=3.0))
    assert not short.journal.soaked
    assert 3.0 <= short.rig.now() < 4.5


def test_no_soak_is_no_soak() -> None:
    here = bench()
    soak(here, Tuning(soak_s=0.0))
    assert here.rig.now() == 0.0


def test_throughput_is_level_once_two_windows_agree() -> None:
    assert level([7e14] * 8)
    assert not level([7e14] * 7)
    assert not level([8e14] * 4 + [7e14] * 4)
    assert not level([7e14, 8e14] * 4)


def test_an_adaptive_warmup_ends_when_level_and_not_before_its_least_time() -> None:
    here = bench()
    warm_up(here, Tuning(warmup_min_s=3.0))
    assert here.journal.warmed
    assert 3.0 <= here.rig.now() < 5.0


def test_a_fixed_warmup_takes_its_time() -> None:
    here = bench()
    warm_up(here, Tuning(warmup=Warmup.FIXED, warmup_max_s=6.0))
    assert 6.0 <= here.rig.now() < 6.5


FAT, SMALL = Shape(8192, 8192, 8192), Shape(4096, 4096, 4096)


def confirmed(rig: ModelRig, rates: dict[Shape, float]) -> Bench:
    """A bench that knows these shapes, and whose journal has them confirmed, each at its rate."""
    here = Bench(rig, Journal(), SilentProgress())
    for shape, rate in rates.items():
        here.burst(shape, 0.1)
        here.journal.repeats[shape] = [reading(shape, rate)] * 5
    return here


def test_a_leader_that_fails_when_measured_again_is_followed_by_the_next() -> None:
    rig = ModelRig(CardModel(), mishaps=Mishaps(jittery=frozenset({FAT}), jitter=0.3))
    here = confirmed(rig, {SMALL: 7.0e14, FAT: 7.1e14})
    lock_sustained(here, QUICK)
    first, second = here.journal.locked
    assert (first.result.shape, second.result.shape) == (FAT, SMALL)
    assert "spread" in (first.flaw or "")
    assert second.flaw is None
    assert final(here.journal.locked) is second


def test_a_leader_that_passes_again_is_the_only_one_measured() -> None:
    here = confirmed(ModelRig(CardModel()), {SMALL: 7.0e14, FAT: 7.1e14})
    lock_sustained(here, QUICK)
    (only,) = here.journal.locked
    assert only.result.shape == FAT
    assert len(only.result.rates) == QUICK.lock_reps


def test_shapes_measured_again_are_compared_by_what_they_read_last() -> None:
    journal = Journal()
    journal.repeats[FAT] = [reading(FAT, 9e14)] * 5 + [reading(FAT, 7e14)] * 5
    (found,) = journal.confirmed(QUICK)
    assert found.rates == (7e14,) * 5


def repeats_taken(margin: float) -> dict[Shape, int]:
    near = Shape(8192, 8192, 16384)  # about 1.5 % below FAT
    here = Bench(ModelRig(CardModel()), Journal(), SilentProgress())
    for shape in (FAT, near):
        here.burst(shape, 0.1)
    confirm_sustained(here, [FAT, near], replace(QUICK, confirm_margin=margin))
    return {shape: len(readings) for shape, readings in here.journal.repeats.items()}


def test_a_shape_too_close_to_the_leader_is_measured_again_with_it() -> None:
    assert set(repeats_taken(0.05).values()) == {10}


def test_a_leader_far_ahead_needs_no_more_repeats() -> None:
    assert set(repeats_taken(0.001).values()) == {5}


def test_the_final_winner_is_the_first_that_passed_else_the_fastest() -> None:
    def locked(rate: float, flaw: str | None) -> Locked:
        return Locked(Repeated(SHAPE, (rate,)), flaw)

    passed = locked(6e14, None)
    assert final([locked(8e14, "jitter"), passed, locked(7e14, None)]) is passed
    assert final([locked(7e14, "jitter"), locked(8e14, "boost")]) == locked(8e14, "boost")
    assert final([]) is None
