from __future__ import annotations

import numpy as np
import pytest

from perftrack.core.changes.silence import (
    DAY_S,
    Reporter,
    Reports,
    Silence,
    SilenceKind,
    missing_cases,
    quiet_reporters,
)

NOW = 1000 * DAY_S


def host(name: str, days_ago: float, runs: int = 9) -> Reporter:
    return Reporter(SilenceKind.HOST, name, runs, NOW - days_ago * DAY_S)


def quiet(*reporters: Reporter) -> list[tuple[SilenceKind, str]]:
    return [(s.kind, s.name) for s in quiet_reporters(reporters, NOW, 14)]


def test_a_host_is_silent_once_its_last_run_is_older_than_the_days() -> None:
    assert quiet(host("old", 14.1), host("new", 13.9)) == [(SilenceKind.HOST, "old")]


def test_a_visitor_is_not_missed() -> None:
    assert quiet(host("once", 40, runs=2), host("new", 0)) == []


def test_when_all_are_silent_it_is_said_once() -> None:
    assert quiet(host("a", 20), host("b", 30)) == [(SilenceKind.ALL, "")]
    assert quiet_reporters([host("a", 20), host("b", 30)], NOW, 14)[0].last_at == NOW - 20 * DAY_S


def test_an_empty_store_has_nobody_to_miss() -> None:
    assert quiet() == []


def reports(case: str, positions: object, device: str = "cpu") -> Reports:
    return Reports(case, device, np.array(sorted(positions), dtype=np.int64))


def missing(*own: Reports, commits: int = 3) -> list[tuple[str, int | None, int]]:
    return [(s.name, s.last, s.missing) for s in missing_cases(own, commits)]


FULL = (reports("a", range(10)), reports("b", range(10)))


def test_a_case_that_the_latest_commits_lack_is_silent() -> None:
    assert missing(*FULL, reports("gone", range(7))) == [("gone", 6, 3)]


def test_a_case_that_one_of_the_latest_has_is_not() -> None:
    assert missing(*FULL, reports("late", [*range(6), 7])) == []


def test_commits_that_were_measured_in_part_do_not_count() -> None:
    many = [reports(name, range(10)) for name in "abcd"]
    only = reports("e", range(13))
    assert missing(*many, only) == []


def test_a_case_that_was_tried_once_is_not_missed() -> None:
    assert missing(*FULL, reports("tried", [0, 1])) == []


def test_each_kind_of_device_is_missed_by_its_own_commits() -> None:
    assert missing(*FULL, reports("g", range(5), "gpu"), reports("h", range(5), "gpu")) == []


def test_too_few_commits_say_nothing() -> None:
    assert missing(reports("a", range(3)), commits=4) == []
    assert missing() == []


@pytest.mark.parametrize("other", [{"last": 7}, {"device": "gpu"}, {"name": "y"}, {"kind": SilenceKind.HOST}])
def test_another_silence_has_another_id(other: dict[str, object]) -> None:
    same = {"kind": SilenceKind.CASE, "name": "x", "device": "cpu", "last": 6}
    assert Silence(**same, missing=3).id == Silence(**same, missing=9).id
    assert Silence(**(same | other)).id != Silence(**same).id
