from __future__ import annotations

from dataclasses import replace

from perftrack.core.changes.alert import CREEP, SUSPECT, Alert, Named, lane_key, named
from perftrack.core.changes.changepoint import ChangeKind, ChangePoint, Shift
from perftrack.core.changes.event import PlacedChange

SHAS = [f"{n:040x}" for n in range(100)]
ORDER = {sha: at for at, sha in enumerate(SHAS)}
LANE = lane_key("gemm", "time", "lane")
CHANGE = ChangePoint(0, 0, 0, 0.95, Shift.UP, 1.0, 1.1, 1.1, None, 1e-6, ChangeKind.STEP)


def at(first: int, last: int, lane: str = LANE, shift: Shift = Shift.UP) -> PlacedChange:
    return PlacedChange(lane, replace(CHANGE, direction=shift), first, last, (first + last) // 2)


def alert(first: int, last: int, kind: str = "step") -> Alert:
    return Alert("known", kind, "gemm", "time", "lane", "up", SHAS[first], SHAS[last], SHAS[(first + last) // 2])


def name(change: PlacedChange, *alerts: Alert, suspect: bool = False) -> Named:
    return named([change], [suspect], alerts, ORDER, SHAS)[0]


def test_a_change_near_a_reported_one_is_that_one() -> None:
    assert name(at(40, 44), alert(46, 50)) == Named("known", True)


def test_another_place_direction_or_lane_is_another_change() -> None:
    for change in (at(40, 44), at(60, 64, shift=Shift.DOWN), at(60, 64, lane_key("gemm", "time", "new"))):
        found = name(change, alert(60, 64))
        assert not found.known
        assert found.id != "known"


def test_a_new_name_depends_on_lane_direction_and_commit_alone() -> None:
    assert name(at(40, 44)) == name(at(41, 43))
    assert name(at(40, 44)).id != name(at(41, 45)).id


def test_a_reported_suspect_gives_the_alert_its_name_and_does_not_settle_it() -> None:
    assert name(at(40, 44), alert(40, 44, SUSPECT)) == Named("known", False)
    assert name(at(40, 44), alert(40, 44, SUSPECT), suspect=True) == Named("known", True)


def test_a_reported_alert_settles_a_suspect() -> None:
    assert name(at(40, 44), alert(40, 44), suspect=True) == Named("known", True)


def test_an_end_that_is_gone_is_where_the_change_was_most_likely() -> None:
    gone = replace(alert(40, 44), first_sha="f" * 40)
    assert name(at(40, 44), gone).known


def test_an_alert_about_commits_that_are_gone_is_forgotten() -> None:
    gone = replace(alert(40, 44), first_sha="f" * 40, last_sha="e" * 40, most_likely_sha="d" * 40)
    assert not name(at(40, 44), gone).known


def test_creep_and_silence_are_no_changes() -> None:
    assert not name(at(40, 44), alert(40, 44, CREEP), Alert("x", "host", "box")).known


def test_two_changes_of_a_lane_keep_two_names() -> None:
    found = named([at(40, 44), at(46, 50)], [False, False], [alert(46, 50)], ORDER, SHAS)
    assert [n.known for n in found] == [False, True]
    assert len({n.id for n in found}) == 2
