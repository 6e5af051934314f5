from __future__ import annotations

from dataclasses import replace

from perftrack.ceiling.bench import Bench
from perftrack.ceiling.boosting import confirm_boost, lock_boost, screen
from perftrack.ceiling.card import CardModel
from perftrack.ceiling.journal import Journal
from perftrack.ceiling.model_rig import ModelRig
from perftrack.ceiling.protocols import SilentProgress
from perftrack.core.ceiling import Shape
from tests.ceiling.made import QUICK

CARD = CardModel(roughness=0.0)
LONG, SHORT, SLOW = Shape(16896, 16384, 40960), Shape(1536, 2816, 8192), Shape(1536, 3072, 8192)


def bench() -> Bench:
    return Bench(ModelRig(CARD), Journal(), SilentProgress())


def test_a_product_so_long_that_one_fits_into_the_boost_is_screened_by_that_one() -> None:
    assert CARD.boost_rate(LONG) > CARD.boost_rate(SHORT) > CARD.boost_rate(SLOW)
    assert screen(bench(), [SLOW, SHORT, LONG], QUICK) == (LONG, SHORT, SLOW)


def test_the_screen_gives_as_many_as_wanted() -> None:
    assert screen(bench(), [SLOW, SHORT, LONG], replace(QUICK, boost_confirm_top=1)) == (LONG,)


def test_confirming_idles_before_every_burst_and_repeats_close_ones() -> None:
    here = bench()
    twin = Shape(1536, 2816, 8704)
    confirm_boost(here, [SHORT, twin, SLOW], QUICK)
    counts = {shape: len(bursts) for shape, bursts in here.journal.boosts.items()}
    assert counts == {SHORT: 10, twin: 10, SLOW: 5}
    assert here.rig.now() > 25 * QUICK.boost_idle_s
    assert all(b.clock_mhz[0] == CARD.top_clock_mhz for bursts in here.journal.boosts.values() for b in bursts)


def test_bursts_are_few_iterations() -> None:
    here = bench()
    confirm_boost(here, [SHORT], QUICK)
    assert {len(b.seconds) for b in here.journal.boosts[SHORT]} == {QUICK.boost_iterations}


def test_the_winner_is_measured_again_in_groups_of_its_own() -> None:
    here = bench()
    confirm_boost(here, [SLOW, SHORT], QUICK)
    lock_boost(here, QUICK)
    assert [len(group) for group in here.journal.replicates] == [QUICK.confirm_reps] * QUICK.boost_lock_reps
    assert {b.shape for group in here.journal.replicates for b in group} == {SHORT}


def test_nothing_confirmed_has_nothing_to_repeat() -> None:
    here = bench()
    lock_boost(here, QUICK)
    assert here.journal.replicates == []
