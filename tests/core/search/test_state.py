from __future__ import annotations

import json
from dataclasses import replace

import pytest

from perftrack.core.model import Direction
from perftrack.core.search.bisection import Search
from perftrack.core.search.settings import SearchSettings
from perftrack.core.search.state import from_dict, to_dict
from perftrack.core.search.visits import Failure, FailureKind, Outcome, Recorded
from perftrack.errors import InvalidValueError
from tests.core.search.builders import QUICK, World, below, chain, graph

LINE = chain(40)
EVERYTHING = SearchSettings(
    direction=Direction.HIGHER,
    confidence=0.95,
    skip=("c3",),
    measurements=500,
    seconds=1e4,
    batch_least=2,
    batch_most=4,
    build_cost=7.5,
    end_share=0.5,
    reproduce=False,
    checks=1,
    confirm=6,
)


def stored(search: Search) -> Search:
    """Through the text of a file."""
    return from_dict(json.loads(json.dumps(to_dict(search), allow_nan=False)))


def test_a_search_killed_after_any_visit_goes_on_as_if_it_had_not_been() -> None:
    world = World(below(LINE, "c20"), shift=3.0, broken=["c19"])
    search = Search.begin(LINE, QUICK, prior={"c20": 1.0}, recorded=[Recorded("c9", (2.0, 2.1), 0.01)], seed=5)
    while (probe := search.next_probe()) is not None:
        resumed = stored(search)
        assert resumed == search
        assert resumed.next_probe() == probe
        assert resumed.posterior() == search.posterior()
        search = world.answer(search, probe)
    assert stored(search).outcome is search.outcome is Outcome.FOUND
    assert stored(search).confirmation == search.confirmation


def test_every_setting_is_kept() -> None:
    runs = [Recorded("good", (1.0,)), Recorded("c39", (2.0,))]
    assert stored(Search.begin(LINE, EVERYTHING, recorded=runs)).settings == EVERYTHING


def test_failures_and_a_base_are_kept() -> None:
    within = graph({"fork": "root", "good": "fork", "x": "fork", "bad": "x"}, base="fork")
    search = Search.begin(within, QUICK).observe("x", Failure(FailureKind.CRASH, "signal 11"))
    assert stored(search) == search
    assert stored(search).visits[0].sides[0].failure == Failure(FailureKind.CRASH, "signal 11")


def test_a_search_of_a_part_is_kept() -> None:
    slow = [f"c{n}" for n in (*range(6, 26), *range(32, 40))]
    search = World(slow, shift=4.0).carry_out(Search.begin(LINE, QUICK))
    part = search.narrowed()
    assert stored(part) == part
    assert stored(part).next_probe() == part.next_probe()


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("format",), 2, "format"),
        (("format",), None, "format"),
        (("good",), 7, "good"),
        (("commits",), {}, "commits"),
        (("commits", 3), [], "commits"),
        (("commits", 3), ["c3", 9], "commits"),
        (("commits", 3), ["c9", "c2"], "range"),
        (("settings",), [], "settings"),
        (("settings", "confidence"), 7.0, "confidence"),
        (("settings", "confidence"), "high", "confidence"),
        (("settings", "direction"), "sideways", "direction"),
        (("settings", "reproduce"), 1, "reproduce"),
        (("settings", "measurements"), True, "measurements"),
        (("seed",), 1.5, "seed"),
        (("seed",), -1, "seed"),
        (("prior",), [1.0], "prior"),
        (("prior", 0), -0.5, "prior"),
        (("prior", 0), 0.5, "prior"),
        (("recorded", 0, "values"), [], "finite values"),
        (("recorded", 0, "apart"), 10**400, "apart"),
        (("visits", 0), "visit", "visits"),
        (("visits", 0, "phase"), "lunch", "phase"),
        (("visits", 0, "seconds"), None, "seconds"),
        (("visits", 0, "sides", 0, "values"), [1.0, float("nan")], "values"),
        (("visits", 0, "sides", 0, "values"), ["fast"], "values"),
        (("visits", 1, "sides", 0, "failure"), ["fire", ""], "failure"),
        (("visits", 1, "sides", 0, "failure"), [], "failure"),
        (("reproduction", "standing"), "sitting", "standing"),
        (("reproduction", "p_value"), None, "p_value"),
        (("earlier",), [3], "earlier"),
    ],
)
def test_what_is_damaged_is_refused_and_named(path: tuple[str | int, ...], value: object, said: str) -> None:
    search = Search.begin(LINE, QUICK, recorded=[Recorded("c9", (2.0,))])
    search = search.observe("c39", [2.0] * 8, beside=("good", [1.0] * 8))
    data = json.loads(json.dumps(to_dict(search.observe("c3", Failure(FailureKind.BUILD)))))
    inside = data
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    with pytest.raises(InvalidValueError, match=said):
        from_dict(data)


@pytest.mark.parametrize("data", [None, 3, "text", [], {}])
def test_what_is_no_search_is_refused(data: object) -> None:
    with pytest.raises(InvalidValueError) as caught:
        from_dict(data)
    assert "begin anew" in str(caught.value.hint)


def test_a_long_range_is_stored_and_read() -> None:
    search = Search.begin(chain(2000), replace(QUICK, skip=("c5",)))
    assert stored(search) == search
