from __future__ import annotations

from dataclasses import replace

from perftrack.ceiling.journal import Journal, Locked
from perftrack.ceiling.protocols import Phase, RigFacts
from perftrack.ceiling.readings import read
from perftrack.ceiling.report import Ended, Reporter, interval
from perftrack.ceiling.sustained import repeated, steady_window
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import CeilingReport, CeilingResult, DataType, Definition, Ending, Shape
from tests.ceiling.made import burst, reading

TUNING = Tuning()
FACTS = RigFacts(
    "a card", DataType.BFLOAT16, max_clock_mhz=1980.0, power_limit_w=700.0, telemetry="nvml", power_separates=True
)
LEFT, RIGHT = Shape(1536, 2816, 6144), Shape(8192, 8192, 8192)


def report(journal: Journal, ending: Ending = Ending.COMPLETE, detail: str = "") -> CeilingReport:
    return Reporter(journal, FACTS, TUNING).report(Ended(ending, detail), 12.5)


def result(journal: Journal, definition: Definition) -> CeilingResult:
    found = report(journal).of(definition)
    assert found is not None
    return found


def scouted() -> Journal:
    journal = Journal()
    for shape, rate in ((LEFT, 8e14), (RIGHT, 7e14)):
        seen = burst([rate] * 8, shape=shape)
        journal.saw(seen)
        journal.scouts[shape] = seen, read(seen)
    return journal


def test_an_empty_journal_has_no_results() -> None:
    empty = report(Journal(), Ending.DEVICE_ERROR, "it is gone")
    assert empty.results == empty.crosscheck == ()
    assert empty.warnings[0].message.startswith("the search ended early: the device failed: it is gone")


def test_scouts_alone_give_provisional_headlines() -> None:
    journal = scouted()
    mamf, msmf = result(journal, Definition.MAMF), result(journal, Definition.MSMF)
    assert mamf.shape == msmf.shape == LEFT
    assert mamf.partial
    assert msmf.partial
    assert not msmf.validated
    assert mamf.interval is None


def test_a_confirmation_outranks_scouts_and_a_locked_winner_both() -> None:
    journal = scouted()
    journal.repeats = {RIGHT: [reading(RIGHT, 6.9e14)] * 5}
    assert result(journal, Definition.MSMF).shape == RIGHT
    assert result(journal, Definition.MSMF).partial
    journal.locked = [Locked(repeated([reading(LEFT, 7.9e14)] * 9), None)]
    assert result(journal, Definition.MSMF).shape == LEFT
    assert not result(journal, Definition.MSMF).partial


def test_the_winners_replicates_are_the_headline_whatever_the_cross_check_added() -> None:
    journal = scouted()
    journal.boosts = {LEFT: [burst([8.5e14] * 8, shape=LEFT)], RIGHT: [burst([9e14] * 8, shape=RIGHT)]}
    journal.replicates = [(burst([r * 1e14] * 8, shape=LEFT),) for r in (8.4, 8.5, 8.6)]
    mamf = result(journal, Definition.MAMF)
    assert mamf.shape == LEFT
    assert mamf.value == journal.replicates[1][0].shape.flops / journal.replicates[1][0].seconds[0]
    assert not mamf.partial
    assert result(journal, Definition.MAMF_PEAK).shape == LEFT


def test_too_few_replicates_are_partial() -> None:
    journal = scouted()
    journal.replicates = [(burst([8.4e14] * 8, shape=LEFT),)]
    assert result(journal, Definition.MAMF).partial


def test_time_that_ran_out_makes_partial_what_it_fed() -> None:
    journal = scouted()
    journal.replicates = [(burst([8.4e14] * 8, shape=LEFT),)] * 3
    journal.locked = [Locked(repeated([reading(LEFT, 7.9e14)] * 9), None)]
    journal.cut = [Phase.CONFIRM_SUSTAINED]
    assert not result(journal, Definition.MAMF).partial
    assert result(journal, Definition.MSMF).partial
    journal.cut = [Phase.REFINE]
    assert result(journal, Definition.MAMF).partial
    late = report(journal, Ending.OUT_OF_TIME)
    assert "no time left for refine" in late.warnings[0].message


def test_the_shape_with_all_its_windows_is_the_steady_one() -> None:
    journal = scouted()
    windows = ((LEFT, 7.1e14), (RIGHT, 7.05e14), (LEFT, 7.0e14), (LEFT, 7.0e14))
    journal.steady = [steady_window(burst([rate] * 4, shape=shape, lasting=2.5)) for shape, rate in windows]
    steady = result(journal, Definition.MSMF_STEADY)
    assert steady.shape == LEFT
    assert len(steady.repeats) == 3
    assert not steady.partial


def test_a_window_that_was_not_steady_is_shown_as_such() -> None:
    journal = scouted()
    journal.steady = [steady_window(burst([8e14, 7e14], shape=LEFT, lasting=2.5))]
    steady = result(journal, Definition.MSMF_STEADY)
    assert not steady.validated
    assert "12.5 % slower" in steady.warnings[0].message


def test_a_headline_without_boost_clock_is_not_validated_and_says_so() -> None:
    journal = scouted()
    journal.top_clock_mhz = 2500.0
    mamf = result(journal, Definition.MAMF)
    assert not mamf.validated
    assert "2425 MHz" in mamf.warnings[0].message


def test_clocks_that_telemetry_should_have_read_are_missed() -> None:
    journal = Journal()
    seen = burst([8e14] * 8, clock=None)
    journal.saw(seen)
    journal.scouts[seen.shape] = seen, read(seen)
    assert [w.code for w in result(journal, Definition.MAMF).warnings] == ["no-clock-readings"]


def test_reasons_for_the_clock_are_kept() -> None:
    journal = scouted()
    journal.locked = [
        Locked(repeated([replace(reading(LEFT, 7e14), event_reasons=r) for r in (4, None, 1)]), None)
    ]
    assert result(journal, Definition.MSMF).event_reasons == 5


def test_counts_are_those_of_the_journal() -> None:
    done = report(scouted())
    assert (done.shapes, done.bursts, done.duration_s) == (2, 2, 12.5)


def test_an_interval_is_where_a_further_repeat_will_read() -> None:
    found = interval([1.0e14, 1.01e14, 0.99e14])
    assert found is not None
    assert found.lo < 0.99e14
    assert found.hi > 1.01e14
    assert interval([1e14]) is None
    assert interval([]) is None
