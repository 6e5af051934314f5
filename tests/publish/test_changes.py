"""Change points: looked for once, in this process or in others, with the same answer."""

import zlib
from dataclasses import replace

import numpy as np
import pytest

from perftrack.core.changes.watch import watch
from perftrack.publish import changes
from perftrack.publish.changes import ChangeSearch, line_key
from perftrack.publish.crew import Crew
from perftrack.publish.lines import SeriesLine


def line(seed: int, step: float = 1.2, **fields: object) -> SeriesLine:
    values = np.random.default_rng(seed).normal(1.0, 0.01, 80)
    values[40:] *= step
    given = {
        "at": np.arange(80),
        "values": values,
        "trusted": np.ones(80, dtype=np.bool_),
        "epochs": (),
        "exact": None,
    }
    return SeriesLine(series=seed, lane="a", **(given | fields))  # type: ignore[arg-type]


LINES = [line(1), line(2, 0.8), line(3, 1.0)]


def test_what_is_found_is_what_the_library_finds() -> None:
    found = ChangeSearch(LINES, None).found()
    assert found == [watch(own.values.tolist(), own.trusted.tolist()) for own in LINES]
    assert [len(own) for own in found] == [1, 1, 0]


def test_other_processes_find_the_same() -> None:
    crew = Crew(2)
    try:
        assert ChangeSearch(LINES, None, crew).found() == ChangeSearch(LINES, None).found()
    finally:
        crew.close()


def test_what_is_known_is_not_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = ChangeSearch(LINES, None)
    found = first.found()
    looked: list[int] = []
    monkeypatch.setattr(changes, "look", lambda jobs: looked.append(len(jobs)) or [])
    assert ChangeSearch(LINES, first.to_cache()).found() == found
    assert looked == []


def test_only_what_changed_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    first = ChangeSearch(LINES, None)
    first.found()
    real, looked = changes.look, []
    monkeypatch.setattr(changes, "look", lambda jobs: looked.append(len(jobs)) or real(jobs))
    second = ChangeSearch([*LINES[:2], line(4)], first.to_cache())
    assert len(second.found()) == 3
    assert looked == [1]


@pytest.mark.parametrize("cached", [b"", b"nonsense", zlib.compress(b"[]"), zlib.compress(b'{"x": [{"a": 1}]}')])
def test_a_cache_that_cannot_be_used_is_not(cached: bytes) -> None:
    assert ChangeSearch(LINES, cached).found() == ChangeSearch(LINES, None).found()


def test_a_cache_holds_what_is_there_now_and_nothing_else() -> None:
    wide = ChangeSearch(LINES, None)
    wide.found()
    narrow = ChangeSearch(LINES[:1], wide.to_cache())
    narrow.found()
    fresh = ChangeSearch(LINES[:1], None)
    fresh.found()
    assert narrow.to_cache() == fresh.to_cache()


@pytest.mark.parametrize(
    "other",
    [
        replace(LINES[0], values=LINES[0].values * 2),
        replace(LINES[0], trusted=~LINES[0].trusted),
        replace(LINES[0], epochs=(5,)),
        replace(LINES[0], exact=True),
    ],
)
def test_a_key_is_of_all_that_the_answer_depends_on(other: SeriesLine) -> None:
    assert line_key(LINES[0]) == line_key(line(1))
    assert line_key(LINES[0]) != line_key(other)


def test_two_series_of_the_same_values_share_an_answer() -> None:
    search = ChangeSearch([LINES[0], replace(LINES[0], series=9)], None)
    assert search.found()[0] == search.found()[1]
