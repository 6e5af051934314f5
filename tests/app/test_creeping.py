"""Creep since a release: what is told, and what other changes already tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from perftrack.app.creeping import creeps
from perftrack.core.changes.appraisal import WatchedLane
from perftrack.core.changes.changepoint import ChangeKind, ChangePoint, Shift
from perftrack.core.changes.crept import Release
from perftrack.core.changes.lanes import LaneTrend
from perftrack.core.changes.watch import Standing, WatchedChange
from perftrack.core.history import Point, Series
from perftrack.core.model import Case, Direction, MeasurementTier, Status
from tests.stored import noisy

N, PINNED = 120, 40
RELEASE = Release("v1", "a" * 40, 2 * PINNED)  # every second commit is measured
DRIFT = np.exp(np.clip((np.arange(N) - PINNED) / 60, 0, 1) * 0.05)
POINT = Point("r", "a", 0.0, False, Status.OK, 1.0, None, MeasurementTier.B, (), (), "lane")


def lane(
    values: np.ndarray, *found: WatchedChange, direction: Direction = Direction.LOWER, tier_c: int = 0
) -> WatchedLane:
    tiers = [MeasurementTier.C if at >= N - tier_c else MeasurementTier.B for at in range(N)]
    points = tuple(replace(POINT, value=float(v), tier=t) for v, t in zip(values, tiers, strict=True))
    trend = LaneTrend(("lane", ""), points, tuple(range(0, 2 * N, 2)))
    return WatchedLane(Series(Case("x"), "time", "s", direction, (), "", points), trend, 0.02, found)


def step(at: int, ratio: float, standing: Standing = Standing.ALERT) -> WatchedChange:
    shift = Shift.UP if ratio > 1 else Shift.DOWN
    change = ChangePoint(at, at, at, 0.95, shift, 1.0, ratio, ratio, None, 1e-9, ChangeKind.STEP)
    return WatchedChange(change, standing)


def test_a_drift_that_no_change_tells_is_creep() -> None:
    (found,) = creeps([lane(noisy(N) * DRIFT)], RELEASE)
    assert found.creep.ratio == pytest.approx(1.05, abs=0.01)


def test_nothing_that_crept_is_no_creep() -> None:
    assert creeps([lane(noisy(N))], RELEASE) == ()


@pytest.mark.parametrize("standing", [Standing.ALERT, Standing.ACCEPTED])
def test_what_a_change_tells_is_not_told_again(standing: Standing) -> None:
    stepped = noisy(N, (80, 1.05))
    assert creeps([lane(stepped, step(80, 1.05, standing))], RELEASE) == ()
    assert creeps([lane(stepped)], RELEASE) != ()


def test_a_change_before_the_release_tells_nothing_of_creep() -> None:
    assert creeps([lane(noisy(N) * DRIFT, step(10, 1.05))], RELEASE) != ()


def test_better_is_no_creep() -> None:
    assert creeps([lane(noisy(N) / DRIFT)], RELEASE) == ()
    assert creeps([lane(noisy(N) / DRIFT, direction=Direction.HIGHER)], RELEASE) != ()


def test_below_the_threshold_is_no_creep() -> None:
    assert creeps([lane(noisy(N, cv=0.002) * DRIFT**0.3)], RELEASE) == ()


def test_tier_c_does_not_count() -> None:
    jumped = noisy(N)
    jumped[-20:] *= 1.1
    assert creeps([lane(jumped)], RELEASE) != ()
    assert creeps([lane(jumped, tier_c=20)], RELEASE) == ()


def test_an_accepted_level_is_the_one_to_keep() -> None:
    stepped = noisy(N, (60, 1.05))
    assert creeps([replace(lane(stepped), epochs=(60,))], RELEASE) == ()
    crept = stepped * np.exp(np.clip((np.arange(N) - 80) / 30, 0, 1) * 0.05)
    (found,) = creeps([replace(lane(crept), epochs=(60,))], RELEASE)
    assert found.creep.ratio == pytest.approx(1.05, abs=0.015)


def test_a_lane_that_began_after_the_release_cannot_creep_from_it() -> None:
    assert creeps([lane(noisy(N) * DRIFT)], replace(RELEASE, position=-1)) == ()


def test_the_same_creep_keeps_its_name() -> None:
    (one,), (two,) = creeps([lane(noisy(N) * DRIFT)], RELEASE), creeps([lane(noisy(N, seed=2) * DRIFT)], RELEASE)
    assert one.id == two.id
    (other,) = creeps([lane(noisy(N) * DRIFT)], replace(RELEASE, sha="b" * 40))
    assert other.id != one.id


def test_part_of_an_improvement_lost_again_is_still_better_than_the_release() -> None:
    lost = noisy(N, (60, 0.9)) * np.exp(np.clip((np.arange(N) - 80) / 30, 0, 1) * 0.05)
    assert creeps([lane(lost, step(60, 0.9))], RELEASE) == ()


def test_steps_that_are_below_the_threshold_are_what_creep_is_made_of() -> None:
    steps = [(50, 1.013), (70, 1.012), (90, 1.013)]
    small = [step(at, ratio) for at, ratio in steps]
    assert creeps([lane(noisy(N, *steps, cv=0.004), *small)], RELEASE) != ()
