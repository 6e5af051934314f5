from __future__ import annotations

from dataclasses import replace

import numpy as np

from perftrack.core.changes.changepoint import ChangeKind, ChangePoint, Shift, detect
from perftrack.core.changes.event import PlacedChange, placed
from perftrack.core.changes.identity import SLACK, KnownChange, change_id, recognised

CHANGE = ChangePoint(1, 1, 1, 0.95, Shift.UP, 1.0, 1.1, 1.1, None, 1e-6, ChangeKind.STEP)


def known(name: str, first: int, last: int, lane: str = "gemm", direction: Shift = Shift.UP) -> KnownChange:
    return KnownChange(name, lane, direction, first, last)


def found(first: int, last: int, lane: str = "gemm", direction: Shift = Shift.UP) -> PlacedChange:
    return PlacedChange(lane, replace(CHANGE, direction=direction), first, last, (first + last) // 2)


def test_an_overlapping_range_is_the_same_change() -> None:
    assert recognised([known("a", 40, 50)], [found(48, 55)]) == ("a",)


def test_a_range_close_by_is_the_same_change_and_one_further_off_is_not() -> None:
    assert recognised([known("a", 40, 50)], [found(50 + SLACK, 60)]) == ("a",)
    assert recognised([known("a", 40, 50)], [found(51 + SLACK, 60)]) == (None,)


def test_the_other_direction_or_lane_is_another_change() -> None:
    assert recognised([known("a", 40, 50)], [found(40, 50, direction=Shift.DOWN)]) == (None,)
    assert recognised([known("a", 40, 50)], [found(40, 50, lane="copy")]) == (None,)


def test_of_two_the_nearest_is_recognised_and_the_other_is_new() -> None:
    assert recognised([known("a", 40, 50)], [found(36, 42), found(43, 47)]) == (None, "a")


def test_two_known_changes_keep_their_names() -> None:
    assert recognised([known("a", 40, 44), known("b", 46, 50)], [found(41, 43), found(46, 49)]) == ("a", "b")


def test_nothing_known_is_all_new() -> None:
    assert recognised([], [found(1, 2)]) == (None,)
    assert recognised([known("a", 1, 2)], []) == ()


def test_ids_tell_lane_direction_and_commit_apart() -> None:
    ids = {
        change_id("gemm", Shift.UP, "abc"),
        change_id("gemm", Shift.DOWN, "abc"),
        change_id("gemm", Shift.UP, "abd"),
        change_id("copy", Shift.UP, "abc"),
    }
    assert len(ids) == 4
    assert all(len(name) == 12 for name in ids)


def test_a_step_alerts_once_while_history_grows() -> None:
    """20 lanes with a step in noise of its own size, looked at from 110 to 200 commits."""
    alerts = 0
    for seed in range(20):
        values = np.random.default_rng(seed).standard_normal(200)
        values[100:] += 1.5
        seen: list[KnownChange] = []
        for n in range(112, 201, 4):
            changes = [placed("gemm", c, range(n)) for c in detect(np.exp(0.01 * values[:n]).tolist())]
            for name, change in zip(recognised(seen, changes), changes, strict=True):
                if name is None:
                    alerts += 1
                    name = str(len(seen))
                seen = [k for k in seen if k.id != name]
                seen.append(KnownChange(name, "gemm", change.change.direction, change.first, change.last))
    assert 19 <= alerts <= 21
