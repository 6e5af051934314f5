"""Equal code: what is the same, what is not, and which verdicts that takes back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perftrack.core.discoveries import control_false_discoveries
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.launches.launch import Launch, LaunchSummary, Profile
from perftrack.core.launches.samecode import same_code, weigh_code
from perftrack.core.model import Cache, MeasurementTier, Protocol, Timer
from perftrack.core.reasons import reason
from tests.core.builders import measured

ONE = LaunchSummary("k", (8, 1, 1), (256, 1, 1), shared_bytes=1024.0, registers=32.0, code_hash="c1")
OTHER = replace(ONE, kernel="l", code_hash="c2")
WORK = replace(ONE, instructions=1000.0, sectors_per_request=4.0, local_bytes=0.0)


def test_the_same_launches_in_whatever_order_are_the_same_code() -> None:
    assert same_code((ONE, OTHER), (OTHER, ONE))


def test_a_kernel_that_was_renamed_is_the_same_code() -> None:
    assert same_code((ONE,), (replace(ONE, kernel="renamed"),))


def test_times_and_rates_are_no_part_of_it() -> None:
    assert same_code((ONE,), (replace(ONE, duration_s=1.0, dram_read_bytes=5.0, l2_hit_pct=1.0),))


@pytest.mark.parametrize(
    "change",
    [
        {"code_hash": "c3"},
        {"code_hash": ""},
        {"grid": (9, 1, 1)},
        {"grid": None},
        {"block": (128, 1, 1)},
        {"shared_bytes": 2048.0},
        {"registers": 40.0},
    ],
    ids=str,
)
def test_other_code_another_shape_or_not_knowing_is_not_the_same(change: dict[str, object]) -> None:
    assert not same_code((ONE,), (replace(ONE, **change),))  # type: ignore[arg-type]


def test_not_knowing_on_both_sides_is_not_the_same() -> None:
    for unknown in (replace(ONE, code_hash=""), replace(ONE, grid=None), replace(ONE, block=None)):
        assert not same_code((unknown,), (unknown,))


def test_more_launches_are_not_the_same_nor_are_none() -> None:
    assert not same_code((ONE,), (ONE, ONE))
    assert not same_code((), ())


@pytest.mark.parametrize(
    "change", [{"instructions": 2000.0}, {"sectors_per_request": 32.0}, {"local_bytes": 64.0}], ids=str
)
def test_the_same_code_on_other_work_is_the_callers_change(change: dict[str, float]) -> None:
    assert not same_code((WORK,), (replace(WORK, **change),))  # type: ignore[arg-type]


def test_counts_that_waiting_warps_move_a_little_are_the_same() -> None:
    assert same_code((WORK,), (replace(WORK, instructions=1005.0),))


def test_a_count_that_one_side_did_not_collect_says_nothing() -> None:
    assert same_code((WORK,), (ONE,))


DEVICE = {"metric": "time", "protocol": Protocol(Timer.EVENT, Cache.COLD)}
JUDGED = Judgement(
    Verdict.REGRESSION,
    measured(1.0, **DEVICE),
    measured(1.1, **DEVICE),
    MeasurementTier.B,
    (reason("exact-change", change="10 %"),),
    0.02,
    effect=0.0953,
    p_value=1e-6,
)


def profile(*launches: LaunchSummary, **fields: object) -> Profile:
    return Profile("a" * 40, "work[n=8]", 1.0, tuple(Launch(s) for s in launches), **fields)  # type: ignore[arg-type]


SAME = profile(ONE)


@pytest.mark.parametrize("verdict", [Verdict.REGRESSION, Verdict.IMPROVEMENT])
def test_a_change_of_equal_code_is_not_the_codes(verdict: Verdict) -> None:
    weighed = weigh_code(replace(JUDGED, verdict=verdict), SAME, SAME)
    assert weighed.verdict is Verdict.INCONCLUSIVE
    assert [r.code for r in weighed.reasons] == ["equal-code", "exact-change"]
    assert "+10.0 %" in weighed.reasons[0].message
    assert weighed.of_equal_code
    assert weighed.effect == JUDGED.effect


@pytest.mark.parametrize("verdict", [Verdict.UNCHANGED, Verdict.INCONCLUSIVE, Verdict.FAILED])
def test_other_verdicts_stand(verdict: Verdict) -> None:
    judged = replace(JUDGED, verdict=verdict)
    assert weigh_code(judged, SAME, SAME) is judged


@pytest.mark.parametrize(
    "sides",
    [
        (None, SAME),
        (SAME, None),
        (SAME, profile(OTHER)),
        (SAME, profile(ONE, dirty=True)),
        (profile(ONE, limitations=("no more than 200 launches",)), SAME),
    ],
    ids=["no-baseline", "no-candidate", "other-code", "dirty", "in-part"],
)
def test_without_proof_the_verdict_stands(sides: tuple[Profile | None, Profile | None]) -> None:
    assert weigh_code(JUDGED, *sides) is JUDGED


@pytest.mark.parametrize(
    "change",
    [
        {"metric": "speedup"},
        {"protocol": Protocol(Timer.HOST, Cache.COLD)},
        {"limitations": (reason("launch-bound", host_us=9.0, device_us=3.0),)},
    ],
    ids=["another-metric", "host-timer", "launch-bound"],
)
def test_where_kernels_are_not_what_was_timed_the_verdict_stands(change: dict[str, object]) -> None:
    judged = replace(JUDGED, candidate=measured(1.1, **(DEVICE | change)))
    assert weigh_code(judged, SAME, SAME) is judged


def test_equal_code_makes_no_room_among_the_discoveries() -> None:
    weighed = weigh_code(JUDGED, SAME, SAME)
    border, other = replace(JUDGED, p_value=0.03), replace(JUDGED, verdict=Verdict.UNCHANGED, p_value=0.5)
    # The smaller of two must be below 0.025; the second of three would only have to be below 0.033.
    *_, last = control_false_discoveries([weighed, other, border])
    assert last.verdict is Verdict.INCONCLUSIVE
    assert control_false_discoveries([JUDGED, other, border])[-1].verdict is Verdict.REGRESSION
