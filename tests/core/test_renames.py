"""Histories under earlier names belong to the present one."""

from __future__ import annotations

import pytest

from perftrack.core.history import Point, Series
from perftrack.core.model import Case, Direction, MeasurementTier, Params, Status
from perftrack.core.renames import Renames
from perftrack.errors import InvalidValueError
from tests.core.builders import measured

OLD_NEW = Renames({"old": "new"})


def series(name: str, *runs: int, unit: str = "s", params: Params = ()) -> Series:
    points = tuple(
        Point(f"r{n}", f"c{n}", float(n), False, Status.OK, 1.0 + n, None, MeasurementTier.B, (), (), "lane")
        for n in runs
    )
    return Series(Case(name, params), "time", unit, Direction.LOWER, (), "", points)


def test_a_name_that_changed_twice_is_followed_to_the_present_one():
    renames = Renames.of({"c": ["b"], "b": ["a"]})
    assert (renames.name("a"), renames.name("b"), renames.name("c")) == ("c", "c", "c")
    assert renames.names("c") == ("c", "a", "b")


@pytest.mark.parametrize(
    ("aliases", "said"),
    [
        ({"x": ["a"], "y": ["a"]}, "earlier name of both 'x' and 'y'"),
        ({"x": ["y"], "y": ["x"]}, "earlier name of itself"),
        ({"x": ["x"]}, "earlier name of itself"),
    ],
)
def test_a_name_of_two_and_a_circle_are_refused(aliases, said):
    with pytest.raises(InvalidValueError, match=said):
        Renames.of(aliases)


def test_a_case_s_id_keeps_its_parameters():
    assert OLD_NEW.case_id("old[n=1]") == "new[n=1]"
    assert OLD_NEW.case_id("older[n=1]") == "older[n=1]"
    assert OLD_NEW.case_ids("new[n=1]") == ("new[n=1]", "old[n=1]")


def test_the_one_with_the_last_word_may_turn_a_rename_round():
    turned = Renames.of({"old": ["new"]}).before(OLD_NEW)
    assert (turned.name("new"), turned.name("old")) == ("old", "old")


def test_two_sources_of_renames_are_joined():
    both = Renames.of({"newest": ["new"]}).before(OLD_NEW)
    assert both.name("old") == "newest"


def test_series_join_in_the_order_of_their_runs_under_the_newest_description():
    (joined,) = OLD_NEW.series([series("new", 3, 4), series("old", 1, 2, unit="ms")])
    assert joined.case == Case("new")
    assert joined.unit == "s"
    assert [p.run_id for p in joined.points] == ["r1", "r2", "r3", "r4"]


def test_of_a_run_with_both_names_the_present_one_stands():
    old, new = series("old", 1, 2), series("new", 2, 3)
    (joined,) = OLD_NEW.series([old, new])
    assert joined.points == (old.points[0], *new.points)


def test_parameters_that_python_calls_equal_stay_apart():
    kept = OLD_NEW.series([series("old", 1, params=(("n", 1),)), series("new", 2, params=(("n", True),))])
    assert [s.case.params for s in kept] == [(("n", 1),), (("n", True),)]


def test_a_commit_that_has_both_keeps_the_present_name_s_measurement():
    old, new = measured(1.0, case=Case("old")), measured(2.0, case=Case("new"))
    other = measured(3.0, case=Case("old"), metric="memory")
    kept = OLD_NEW.measurements([old, new, other])
    assert [(m.case.benchmark, m.metric, m.process_values) for m in kept] == [
        ("new", "time", (2.0,)),
        ("new", "memory", (3.0,)),
    ]


def test_ids_that_another_stored_one_has_are_not_given_twice():
    assert OLD_NEW.standing(["old", "new", "old[n=1]"]) == {"new": "new", "old[n=1]": "new[n=1]"}
