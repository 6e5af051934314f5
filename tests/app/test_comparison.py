"""Which measurements are paired, and what the gate's exit code is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perftrack.app.comparison import Comparison, ranked
from perftrack.app.history import CommitResults
from perftrack.app.pairing import pair
from perftrack.core.epoch import Epoch, accept
from perftrack.core.history import lane_of
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.model import Commit, Measurement, MeasurementTier, Status
from perftrack.core.verdict import judge
from tests.app.builders import environment, measurement
from tests.core.builders import failed


def side(*measurements: Measurement) -> CommitResults:
    return CommitResults(Commit("a" * 40, (), "A", 0, 0, "s"), measurements, ("r",))


def comparison(*judgements: Judgement) -> Comparison:
    return Comparison(side(), side(), judgements)


def judged(verdict: Verdict, baseline: bool = True, candidate: Measurement | None = None) -> Judgement:
    b = measurement() if baseline else None
    return Judgement(verdict, b, candidate or measurement(), MeasurementTier.B, (), 0.02)


V = Verdict


@pytest.mark.parametrize(
    ("verdicts", "code", "lenient"),
    [
        ((), 4, 4),
        ((V.UNCHANGED,), 0, 0),
        ((V.UNCHANGED, V.IMPROVEMENT), 0, 0),
        ((V.UNCHANGED, V.REGRESSION), 3, 3),
        ((V.REGRESSION, V.INCONCLUSIVE, V.FAILED), 3, 3),
        ((V.UNCHANGED, V.INCONCLUSIVE), 4, 0),
        ((V.INCONCLUSIVE,), 4, 4),
        ((V.UNCHANGED, V.FAILED), 4, 4),
        ((V.UNCHANGED, V.NOT_COMPARABLE), 4, 4),
    ],
)
def test_exit_code(verdicts, code, lenient):
    found = comparison(*map(judged, verdicts))
    assert found.exit_code() == code
    assert found.exit_code(pass_inconclusive=True) == lenient


def test_a_new_case_does_not_block_and_decides_nothing():
    new = judged(V.NOT_COMPARABLE, baseline=False)
    assert comparison(judged(V.UNCHANGED), new).exit_code() == 0
    assert comparison(new).exit_code() == 4


def test_a_case_skipped_on_both_sides_does_not_block_and_a_measured_one_that_is_skipped_now_does():
    skipped, other = (measurement(status=Status.SKIPPED) for _ in range(2))
    both = Judgement(V.NOT_COMPARABLE, skipped, other, MeasurementTier.B, (), 0.02)
    assert comparison(judged(V.UNCHANGED), both).exit_code() == 0
    now = judged(V.NOT_COMPARABLE, candidate=skipped)
    assert comparison(judged(V.UNCHANGED), now).exit_code() == 4


def test_a_case_that_failed_on_the_baseline_is_new_and_does_not_block():
    new = judge(replace(failed(), case=measurement().case), measurement())
    assert new.verdict is V.NOT_COMPARABLE
    assert comparison(judged(V.UNCHANGED), new).exit_code() == 0
    assert comparison(new).exit_code() == 4


def test_a_case_that_failed_on_the_baseline_and_is_gone_is_nobody_s_loss():
    gone = judge(failed(), None)
    assert comparison(judged(V.UNCHANGED), gone).exit_code() == 0


def test_cases_pair_by_case_and_metric():
    a, b = measurement("x"), measurement("y")
    c, d = measurement("y"), measurement("z")
    assert set(pair([a, b], [c, d])) == {(b, c), (None, d), (a, None)}


def test_shared_lanes_pair_each_with_its_own():
    one, two = environment("one"), environment("two")
    before = [measurement(fingerprint=one), measurement(fingerprint=two)]
    after = [measurement(fingerprint=two), measurement(fingerprint=one)]
    pairs = pair(before, after)
    assert len(pairs) == 2
    assert all(b and c and lane_of(b) == lane_of(c) for b, c in pairs)


def test_without_a_shared_lane_the_newest_stand_against_each_other():
    before = [measurement(fingerprint=environment("one"))]
    after = [measurement(fingerprint=environment("two")), measurement(fingerprint=environment("three"))]
    assert pair(before, after) == [(before[0], after[0])]


def test_a_newest_failure_is_what_counts():
    before, after = [measurement()], [replace(failed(), case=measurement().case), measurement()]
    assert pair(before, after) == [(before[0], after[0])]


def test_a_change_that_is_accepted_makes_no_room_for_the_discovery_of_others():
    def found(p_value: float) -> Judgement:
        return replace(judged(Verdict.REGRESSION), p_value=p_value)

    large, others = found(1e-9), [found(0.03), replace(judged(Verdict.UNCHANGED), p_value=0.9)]
    assert [j.verdict for j in ranked([large, *others])].count(Verdict.REGRESSION) == 2
    accepted = accept(large, Epoch("case", "a" * 40, "keeps offsets"))
    assert [j.verdict for j in ranked([accepted, *others])].count(Verdict.REGRESSION) == 0
