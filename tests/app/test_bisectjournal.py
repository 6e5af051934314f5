"""A search on disk outlives whatever ends its process."""

from __future__ import annotations

import contextlib
import fcntl
import json
import resource
from pathlib import Path

import pytest

from perftrack.app.bisectheading import Heading
from perftrack.app.bisectjournal import Journal, journal_path, observed, stored_search, stored_searches
from perftrack.app.bisectvisit import Readings
from perftrack.core.search.bisection import Search
from perftrack.core.search.visits import Failure, FailureKind
from perftrack.errors import StoreError
from tests.core.search.builders import QUICK, World, below, chain

HEADING = Heading(
    "total", "time", "s", "lane", "code", "good", "c7", "", None, None, False, {}, {"cpu_model": "X"}
)


def visits(count: int) -> list[Readings]:
    """What the first visits of a search read."""
    graph = chain(8)
    world, search, made = World(below(graph, "c4"), broken=["c2"]), Search.begin(graph, QUICK), []
    for number in range(count):
        probe = search.next_probe()
        assert probe is not None
        search = world.answer(search, probe)
        sides = tuple((s.commit, s.failure or s.values) for s in search.visits[-1].sides)
        made.append(Readings(sides, 1.5 + number, 0.25))
    return made


def begun() -> Search:
    return Search.begin(chain(8), QUICK)


def written(path: Path, readings: list[Readings]) -> Search:
    search = begun()
    with Journal(path) as journal:
        journal.begin(HEADING, search)
        for each in readings:
            search = observed(search, each)
            journal.visited(each)
    return search


def test_a_search_is_read_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "bisect-1.jsonl"
    search = written(path, visits(5))
    stored = stored_search(path)
    assert stored is not None
    assert stored.heading == HEADING
    assert stored.search.visits == search.visits
    assert stored.search.posterior() == search.posterior()
    assert stored.search.next_probe() == search.next_probe()
    assert stored.whole_bytes == path.stat().st_size


def test_failures_are_kept_with_their_kind(tmp_path: Path) -> None:
    failed = Readings((("c3", Failure(FailureKind.TIMEOUT, "too long")), ("good", (2.0,))), 1.0, 0.0)
    written(tmp_path / "j", [failed])
    stored = stored_search(tmp_path / "j")
    assert stored is not None
    (visit,) = stored.search.visits
    assert visit.sides[0].failure == Failure(FailureKind.TIMEOUT, "too long")
    assert visit.sides[1].values == (2.0,)


def test_time_that_gave_no_reading_counts_and_says_nothing_else(tmp_path: Path) -> None:
    three = visits(3)
    search = written(tmp_path / "j", [*three, Readings((), 40.0, 40.0)])
    stored = stored_search(tmp_path / "j")
    assert stored is not None
    assert stored.search.spent == search.spent
    without = written(tmp_path / "k", three)
    assert stored.search.spent.seconds == without.spent.seconds + 40.0
    assert stored.search.posterior() == without.posterior()


def test_cut_off_anywhere_it_loses_at_most_the_last_visit(tmp_path: Path) -> None:
    path = tmp_path / "j"
    written(path, visits(3))
    whole = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    for size in (*range(0, len(whole), 97), len(whole) - 1):
        path.write_bytes(whole[:size])
        stored = stored_search(path)
        lines = sum(end <= size for end in ends)
        assert (stored is None) == (lines == 0)
        assert stored is None or len(stored.search.visits) == lines - 1


def test_going_on_cuts_the_torn_end_off(tmp_path: Path) -> None:
    path = tmp_path / "j"
    readings = visits(3)
    written(path, readings[:2])
    with path.open("ab") as file:
        file.write(b'{"visit": [["c')
    stored = stored_search(path)
    assert stored is not None
    with Journal(path) as journal:
        journal.go_on(stored, stored.search)
        journal.visited(readings[2])
    again = stored_search(path)
    assert again is not None
    assert len(again.search.visits) == 3


def test_a_second_holder_is_refused(tmp_path: Path) -> None:
    with (
        Journal(tmp_path / "j"),
        pytest.raises(StoreError, match="another perftrack bisect"),
        Journal(tmp_path / "j"),
    ):
        pass


def test_what_was_never_begun_leaves_no_file_and_what_is_done_neither(tmp_path: Path) -> None:
    with Journal(tmp_path / "j"):
        pass
    assert not (tmp_path / "j").exists()
    written(tmp_path / "j", visits(1))
    with Journal(tmp_path / "j") as journal:
        journal.done()
    assert not (tmp_path / "j").exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda head: head | {"format": 99},
        lambda head: {k: v for k, v in head.items() if k != "heading"},
        lambda head: head | {"search": {}},
        lambda head: head | {"heading": {"case_id": "x"}},
        lambda head: [],
        lambda head: head | {"heading": head["heading"] | {"case_id": 5}},
        lambda head: head | {"heading": head["heading"] | {"environment": ["cpu_model"]}},
        lambda head: head | {"heading": head["heading"] | {"environment": {"cpu_model": {}}}},
        lambda head: head | {"heading": head["heading"] | {"build": 1}},
    ],
)
def test_a_damaged_file_is_an_error_that_says_how_to_go_on(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "j"
    written(path, visits(1))
    first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps(damage(json.loads(first))), *rest]) + "\n")  # type: ignore[operator]
    with pytest.raises(StoreError) as caught:
        stored_search(path)
    assert str(path) in str(caught.value)
    assert "--restart" in str(caught.value.hint)


@pytest.mark.parametrize("number", [10**400, -1.0, float("nan"), "1", None])
def test_a_number_that_no_search_wrote_is_a_damage(tmp_path: Path, number: object) -> None:
    written(tmp_path / "j", visits(1))
    first, last = (tmp_path / "j").read_text().splitlines()
    for key in ("seconds", "build_seconds"):
        (tmp_path / "j").write_text(f"{first}\n{json.dumps(json.loads(last) | {key: number})}\n")
        with pytest.raises(StoreError, match="cannot be read"):
            stored_search(tmp_path / "j")


def test_a_value_too_large_for_a_float_is_a_damage(tmp_path: Path) -> None:
    written(tmp_path / "j", visits(1))
    first, last = (tmp_path / "j").read_text().splitlines()
    visit = json.loads(last)
    visit["visit"][0][1]["values"][0] = 10**400
    (tmp_path / "j").write_text(f"{first}\n{json.dumps(visit)}\n")
    with pytest.raises(StoreError, match="cannot be read"):
        stored_search(tmp_path / "j")


def test_a_disk_that_is_full_is_an_error_that_names_the_file_and_keeps_what_is_whole(tmp_path: Path) -> None:
    path, readings = tmp_path / "j", visits(2)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with pytest.raises(StoreError) as caught, Journal(path) as journal:
            journal.begin(HEADING, begun())
            journal.visited(readings[0])
            resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20, limits[1]))
            journal.visited(readings[1])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert str(path) in caught.value.message
    assert "--resume" in str(caught.value.hint)
    stored = stored_search(path)
    assert stored is not None
    assert stored.search.visits == observed(begun(), readings[0]).visits
    with Journal(path) as journal:  # the torn line goes
        journal.go_on(stored, stored.search)
        journal.visited(readings[1])
    again = stored_search(path)
    assert again is not None
    assert len(again.search.visits) == 2


def test_a_folder_that_cannot_be_written_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("a file")
    with pytest.raises(StoreError, match="cannot be kept there"), Journal(tmp_path / "folder" / "j"):
        pass


def test_a_file_that_another_search_took_away_meanwhile_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, flock = tmp_path / "j", fcntl.flock

    def late(file: object, operation: int) -> None:
        flock(file, operation)  # type: ignore[arg-type]
        monkeypatch.setattr(fcntl, "flock", flock)
        path.unlink()  # as a search does that ends between our opening and our locking it

    monkeypatch.setattr(fcntl, "flock", late)
    with Journal(path) as journal:
        journal.begin(HEADING, begun())
        assert stored_search(path) is not None


def test_a_search_that_ended_does_not_take_the_next_ones_file_away(tmp_path: Path) -> None:
    second, later = Journal(tmp_path / "j"), contextlib.ExitStack()
    with Journal(tmp_path / "j") as first:
        first.begin(HEADING, begun())
        first.done()
        later.enter_context(second)
    with later:
        second.begin(HEADING, begun())
        assert stored_search(tmp_path / "j") is not None


def test_searches_that_were_left_are_listed_and_damaged_ones_passed_over(tmp_path: Path) -> None:
    for case in ("a", "b"):
        written(journal_path(tmp_path, case, "time", "good", "c7", first_parent=False), visits(1))
    journal_path(tmp_path, "c", "time", "good", "c7", first_parent=False).write_text("nonsense\n")
    assert len(list(stored_searches(tmp_path))) == 2


def test_ranges_cases_and_metrics_have_files_of_their_own(tmp_path: Path) -> None:
    def path(*what: str, first_parent: bool = False) -> Path:
        return journal_path(tmp_path, *what, first_parent=first_parent)  # type: ignore[call-arg]

    assert len({path("a", "t", "g", "b"), path("a", "u", "g", "b"), path("a", "t", "g", "c")}) == 3
    assert path("a", "t", "g", "b") != path("a", "t", "g", "b", first_parent=True)


def test_a_search_that_went_on_with_a_part_of_its_range_is_read_back_as_that(tmp_path: Path) -> None:
    readings = visits(2)
    with Journal(tmp_path / "j") as journal:
        journal.begin(HEADING, begun())
        journal.visited(readings[0])
        part = Search.begin(chain(3), QUICK, seed=9)
        journal.state(part)
    stored = stored_search(tmp_path / "j")
    assert stored is not None
    assert stored.search == part
