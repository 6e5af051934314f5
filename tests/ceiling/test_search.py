"""The whole search, against a card on paper whose answers are known."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product

import pytest

from perftrack.ceiling.card import CardModel
from perftrack.ceiling.model_rig import Mishaps, ModelRig
from perftrack.ceiling.protocols import Burst, IdleSibling, Phase, ShapeRefusedError
from perftrack.ceiling.search import search
from perftrack.ceiling.space import space_of
from perftrack.ceiling.sustained import Repeated, choose, gates
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import (
    CeilingKind,
    CeilingReport,
    CeilingResult,
    DataType,
    Definition,
    Ending,
    Shape,
)
from perftrack.errors import UsageError
from tests.ceiling.made import QUICK, Listener

GRID = tuple(
    Shape(m, n, k)
    for m, n, k in product(
        (1024, 1408, 1536, 2048, 2816, 3072, 4224, 8192, 16384),
        (1024, 1536, 2816, 3072, 4096, 6144, 8192, 11264, 16384),
        (1024, 3072, 4096, 6144, 8192, 16384, 28672, 40960),
    )
)
FEW = (
    Shape(1536, 2816, 6144), Shape(1536, 2816, 20480), Shape(2048, 2048, 8192),
    Shape(8192, 8192, 8192), Shape(4096, 4096, 4096), Shape(1024, 1024, 1024),
)  # fmt: skip
CARD = CardModel(seed=1)


def found(report: CeilingReport, definition: Definition) -> CeilingResult:
    result = report.of(definition)
    assert result is not None
    return result


def codes(report: CeilingReport) -> set[str]:
    return {w.code for w in report.warnings} | {w.code for r in report.results for w in r.warnings}


def quick(rig: ModelRig | None = None, tuning: Tuning = QUICK, **options: object) -> CeilingReport:
    return search(rig or ModelRig(CARD), FEW, tuning=tuning, **options)  # type: ignore[arg-type]


def saturated_rates(card: CardModel, shapes: tuple[Shape, ...], rig: ModelRig) -> dict[Shape, float]:
    """What the model knows to be sustainable, of the shapes that pass the gates."""
    held = []
    for shape in shapes:
        at = card.sustained(shape)
        held.append(Repeated(shape, (at.rate,), at.clock_mhz, at.power_w))
    return {r.shape: r.value for r in choose(held, gates(held, Tuning(), rig.facts)).ordered}


# The answer


@pytest.mark.parametrize(
    "card", [CardModel(seed=5), CardModel(seed=6, roughness=0.02), CardModel(seed=9, units=148)]
)
def test_the_known_best_shape_wins_in_both_regimes(card: CardModel) -> None:
    rig = ModelRig(card, seed=card.seed)
    report = search(rig, space=space_of(GRID))
    assert report.ending is Ending.COMPLETE
    boost = {s: card.boost_rate(s) for s in GRID}
    held = saturated_rates(card, GRID, rig)
    mamf, msmf = found(report, Definition.MAMF), found(report, Definition.MSMF)
    assert mamf.shape is not None
    assert msmf.shape is not None
    assert boost[mamf.shape] >= 0.999 * max(boost.values())
    assert held[msmf.shape] >= 0.999 * max(held.values())
    assert mamf.value == pytest.approx(boost[mamf.shape], rel=0.005)
    assert msmf.value == pytest.approx(held[msmf.shape], rel=0.005)
    assert mamf.validated
    assert msmf.validated
    assert not any(r.partial for r in report.results)


def test_the_devices_own_space_has_a_better_answer_than_a_grid() -> None:
    card = CardModel(seed=5)
    report = search(ModelRig(card))
    mamf = found(report, Definition.MAMF)
    assert mamf.shape is not None
    assert card.boost_rate(mamf.shape) >= 0.999 * max(card.boost_rate(s) for s in GRID)
    assert report.duration_s < 240


def test_each_headline_shape_stands_in_both_regimes() -> None:
    report = quick()
    assert {role for c in report.crosscheck for role in c.roles} == {CeilingKind.MAMF, CeilingKind.MSMF}
    for check in report.crosscheck:
        assert check.boost is not None
        assert check.saturated is not None
        assert check.ratio is not None
        assert 0.6 < check.ratio < 1.01


def test_results_carry_what_they_were_measured_at() -> None:
    report = quick()
    mamf, peak, msmf, steady = report.results
    assert mamf.clock_mhz is not None
    assert mamf.clock_mhz >= 0.97 * 1980
    assert msmf.power_w is not None
    assert msmf.power_w >= 0.9 * 700
    assert mamf.peak is not None
    assert mamf.peak >= mamf.value
    assert msmf.peak is not None
    assert msmf.peak > max(msmf.repeats)
    assert peak.definition is Definition.MAMF_PEAK
    assert peak.value > mamf.value
    assert (len(mamf.repeats), len(msmf.repeats), len(steady.repeats)) == (3, 9, 3)
    assert all(r.interval is not None and r.interval.contains(r.value) for r in report.results)
    assert {r.dtype for r in report.results} == {DataType.BFLOAT16}


def test_changed_knobs_are_in_the_protocol() -> None:
    assert found(quick(), Definition.MAMF).protocol == "v1/mamf-median5"
    assert "sustain_s=0.02" in found(quick(), Definition.MSMF).protocol


def test_a_jittery_shape_is_no_sustainable_headline() -> None:
    best = found(quick(), Definition.MSMF).shape
    assert best is not None
    for seed in range(3):
        report = quick(ModelRig(CARD, seed=seed, mishaps=Mishaps(jittery=frozenset({best}), jitter=0.15)))
        assert found(report, Definition.MSMF).shape != best


def test_a_fast_shape_that_never_saturates_is_no_sustainable_headline() -> None:
    short, fat = Shape(1536, 2816, 3072), Shape(8192, 8192, 8192)
    assert CARD.sustained(short).rate > CARD.sustained(fat).rate
    assert CARD.sustained(short).power_w < 0.97 * CARD.power_limit_w
    assert found(search(ModelRig(CARD), [short, fat], tuning=QUICK), Definition.MSMF).shape == fat


def test_a_cold_card_reads_higher_than_a_soaked_one() -> None:
    fat = [Shape(8192, 8192, 8192)]
    longer = replace(QUICK, soak_s=60.0)
    cold = found(search(ModelRig(CARD), fat, tuning=replace(QUICK, soak_s=0.0)), Definition.MSMF)
    hot = found(search(ModelRig(CARD), fat, tuning=longer), Definition.MSMF)
    assert hot.value < 0.995 * cold.value
    assert hot.value == pytest.approx(CARD.sustained(fat[0]).rate, rel=0.005)


def test_the_same_seed_gives_the_same_report() -> None:
    assert quick(ModelRig(CARD, seed=4)) == quick(ModelRig(CARD, seed=4))


# What was asked for


def test_a_grid_search_measures_its_shapes_only() -> None:
    listener = Listener()
    report = quick(progress=listener)
    chosen = {s for p, s in listener.seen if p not in {Phase.WARMUP, Phase.SOAK}}
    assert chosen == set(FEW)
    assert {r.shape for r in report.results} <= set(FEW)


def test_one_shape_is_a_grid() -> None:
    report = search(ModelRig(CARD), [Shape(8192, 8192, 8192)], tuning=QUICK)
    assert {r.shape for r in report.results} == {Shape(8192, 8192, 8192)}
    assert report.ending is Ending.COMPLETE


def test_scouting_alone_leaves_provisional_results() -> None:
    report = quick(tuning=replace(QUICK, scout_only=True))
    assert report.ending is Ending.COMPLETE
    assert report.results
    assert all(r.partial for r in report.results)


def test_parts_are_told_in_their_order() -> None:
    listener = Listener()
    search(ModelRig(CARD), tuning=QUICK, progress=listener)
    once = list(dict.fromkeys(listener.phases))
    assert once == [p for p in Phase if p is not Phase.TUNE]


def test_a_device_of_unknown_geometry_is_refused_before_anything_runs() -> None:
    rig = ModelRig(CARD, knows_geometry=False)
    with pytest.raises(UsageError, match="--search auto"):
        search(rig)
    assert rig.calls == 0
    assert quick(rig).results


def test_no_shapes_a_wrong_k_and_no_time_are_refused() -> None:
    with pytest.raises(UsageError, match="no shapes"):
        search(ModelRig(CARD), [])
    with pytest.raises(UsageError, match="multiple of 32"):
        search(ModelRig(replace(CARD, dtype=DataType.NVFP4)), [Shape(128, 128, 100)])
    for budget in (0.0, -1.0, float("nan")):
        with pytest.raises(UsageError, match="--time-budget"):
            search(ModelRig(CARD), FEW, time_budget_s=budget)


def test_a_device_never_compared_with_a_grid_is_said_to_be_so() -> None:
    rig = ModelRig(CARD)
    rig.facts = replace(rig.facts, geometry_checked=False)
    assert "geometry-unchecked" in codes(search(rig, tuning=QUICK))
    assert "geometry-unchecked" not in codes(quick(rig))


# What goes wrong


def test_an_interrupt_at_any_call_leaves_the_best_so_far() -> None:
    calls = ModelRig(CARD)
    whole = quick(calls)
    done = 0
    for at in range(0, calls.calls, 5):
        report = quick(ModelRig(CARD, mishaps=Mishaps(interrupt_at=at)))
        assert report.ending is Ending.INTERRUPTED
        assert "search-ended-early" in codes(report)
        if report.bursts > 12:  # past the warm-up and the first scout
            assert {Definition.MAMF, Definition.MSMF} <= {r.definition for r in report.results}
        settled = [r for r in report.results if not r.partial]
        assert len(settled) >= done
        done = len(settled)
        for result in settled:
            assert result.shape == found(whole, result.definition).shape
    assert done >= 3


def test_an_interrupt_from_the_progress_display_is_one_too() -> None:
    class Impatient(Listener):
        def phase(self, phase: Phase, total: int | None) -> None:
            if phase is Phase.SOAK:
                raise KeyboardInterrupt

    report = quick(progress=Impatient())
    assert report.ending is Ending.INTERRUPTED
    assert found(report, Definition.MAMF).partial


@pytest.mark.parametrize("at", [0, 1, 15, 60, 90])
def test_a_device_that_fails_ends_the_search_with_what_it_has(at: int) -> None:
    report = quick(ModelRig(CARD, mishaps=Mishaps(fail_at=at)))
    assert report.ending is Ending.DEVICE_ERROR
    assert any("fell off the bus" in w.message for w in report.warnings)
    assert bool(report.results) == (at > 10)


@pytest.mark.parametrize("budget", [0.5, 2.0, 8.0, 30.0, 100.0])
def test_a_time_budget_is_kept_to_one_burst(budget: float) -> None:
    rig = ModelRig(CARD)
    report = search(rig, time_budget_s=budget)
    assert rig.now() <= budget + 0.5
    assert report.ending is Ending.OUT_OF_TIME
    assert "search-ended-early" in codes(report)
    assert all(r.partial for r in report.results if r.definition is not Definition.MSMF_STEADY)


def test_a_budget_that_suffices_changes_nothing() -> None:
    assert replace(quick(time_budget_s=10_000.0), duration_s=0.0) == replace(quick(), duration_s=0.0)


def test_half_of_the_time_needed_still_confirms_both() -> None:
    needed = quick().duration_s
    report = quick(time_budget_s=0.6 * needed)
    assert report.ending is Ending.OUT_OF_TIME
    for definition in (Definition.MAMF, Definition.MSMF):
        assert found(report, definition).validated


def test_shapes_that_do_not_fit_are_skipped_and_named() -> None:
    listener = Listener()
    huge = Shape(2**18, 2**18, 4096)
    report = search(ModelRig(CARD), (*FEW, huge), tuning=QUICK, progress=listener)
    assert report.ending is Ending.COMPLETE
    assert [s.shape for s in report.skipped] == [huge]
    assert "out of memory" in report.skipped[0].why
    assert [s for s, _ in listener.skips] == [huge]
    assert any(w.code == "shapes-skipped" and str(huge) in w.message for w in report.warnings)


def test_where_every_shape_is_refused_there_is_no_result_and_no_error() -> None:
    report = quick(ModelRig(CARD, mishaps=Mishaps(refused=frozenset(FEW))))
    assert report.results == ()
    assert len(report.skipped) == len(FEW)


def test_without_telemetry_results_are_unvalidated_and_say_so() -> None:
    listener = Listener()
    report = quick(ModelRig(CARD, telemetry=False), progress=listener)
    assert report.ending is Ending.COMPLETE
    assert [n.code for n in listener.notes] == ["ceiling-unvalidated"]  # before it takes minutes
    assert not any(r.validated for r in report.results)
    assert "ceiling-unvalidated" in codes(report)


def test_power_that_separates_nothing_excludes_nothing_and_says_so() -> None:
    report = quick(ModelRig(CARD, power_separates=False))
    assert "power-not-separating" in codes(report)
    assert not found(report, Definition.MSMF).validated
    assert found(report, Definition.MAMF).validated


def test_locked_clocks_are_noticed() -> None:
    report = quick(ModelRig(replace(CARD, top_clock_mhz=1200.0)))
    assert "clock-below-rated" in codes(report)
    assert "clock-below-rated" not in codes(quick())


def test_small_shapes_alone_are_not_taken_for_saturated() -> None:
    shapes = [Shape(1024, 1024, 1024), Shape(1024, 1024, 2048)]
    report = search(ModelRig(CARD), shapes, tuning=QUICK)
    assert "sustained-fallback" in codes(report)
    assert not found(report, Definition.MSMF).validated
    assert not found(report, Definition.MSMF_STEADY).validated


def test_without_a_soak_shapes_are_only_held_against_each_other() -> None:
    report = search(ModelRig(CARD), [Shape(1024, 1024, 1024)], tuning=replace(QUICK, soak_s=0.0))
    assert "sustained-fallback" not in codes(report)


# Companions of the rig


@dataclass
class Tuner:
    """Remembers in which order it was asked for what; each shape takes a while."""

    rig: ModelRig
    refuses: frozenset[Shape] = frozenset()
    log: list[str] = field(default_factory=list)
    tuned: list[Shape] = field(default_factory=list)

    def pause(self) -> None:
        self.log.append(f"pause at {self.rig.calls}")

    def tune(self, shape: Shape) -> None:
        if shape in self.refuses:
            raise ShapeRefusedError("no kernel to tune")
        self.rig.idle(120.0)
        self.tuned.append(shape)


def test_kernels_are_tuned_for_the_shortlist_only_and_only_those_are_confirmed() -> None:
    rig = ModelRig(CARD)
    rig.tuner = tuner = Tuner(rig, refuses=frozenset({Shape(8192, 8192, 8192)}))
    listener = Listener()
    report = quick(rig, replace(QUICK, max_tuned_shapes=3), progress=listener)
    assert tuner.log == ["pause at 0"]
    assert 1 <= len(tuner.tuned) <= 3
    confirmed = {s for p, s in listener.seen if p in {Phase.CONFIRM_SUSTAINED, Phase.CONFIRM_BOOST}}
    assert confirmed == set(tuner.tuned)
    assert "kernels-tuned" in codes(report)


def test_tuning_ends_when_its_time_is_up() -> None:
    rig = ModelRig(CARD)
    rig.tuner = tuner = Tuner(rig)
    report = quick(rig, time_budget_s=300.0)
    assert len(tuner.tuned) < len(FEW)
    assert report.ending is Ending.OUT_OF_TIME
    assert rig.now() <= 300.0 + 120.0


@dataclass
class Watch:
    idle: tuple[IdleSibling, ...]
    begun: int = 0
    ended: int = 0

    def begin(self) -> None:
        self.begun += 1

    def end(self) -> tuple[IdleSibling, ...]:
        self.ended += 1
        return self.idle


def test_siblings_that_idled_are_named_with_their_share() -> None:
    watch = Watch((IdleSibling(1, 0.97), IdleSibling(2, 0.05)))
    report = quick(ModelRig(CARD, siblings=watch))
    (warning,) = [w for w in found(report, Definition.MSMF).warnings if w.code == "siblings-idle"]
    assert "1: 97%" in warning.message
    assert "2:" not in warning.message
    assert (watch.begun, watch.ended) == (1, 1)


def test_the_watch_over_siblings_ends_with_an_interrupt() -> None:
    calls = ModelRig(CARD)
    quick(calls)
    watch = Watch((IdleSibling(1, 1.0),))
    report = quick(ModelRig(CARD, siblings=watch, mishaps=Mishaps(interrupt_at=calls.calls // 2)))
    assert report.ending is Ending.INTERRUPTED
    assert watch.begun == watch.ended


class Slow(ModelRig):
    """A device ten thousand times slower: one product takes seconds."""

    def burst(self, shape: Shape, iterations: int, *, warmup: int = 0, idle_s: float = 0.0) -> Burst:
        burst = super().burst(shape, iterations, warmup=warmup, idle_s=idle_s)
        self._now += 1e4 * (burst.ended_at - burst.started_at)
        return replace(burst, seconds=tuple(1e4 * s for s in burst.seconds), ended_at=self._now)


def test_a_very_slow_device_is_searched_within_the_time_too() -> None:
    rig = Slow(CARD)
    report = quick(rig, time_budget_s=600.0)
    assert rig.now() < 900.0
    assert report.results
