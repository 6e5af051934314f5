from __future__ import annotations

import math

import numpy as np
import pytest

from perftrack.core.model import Direction
from perftrack.core.search.belief import BAD, GOOD
from perftrack.core.search.enddrift import EndDrift
from perftrack.core.search.levels import Readings
from perftrack.core.search.transcript import OUTSIDE, Transcript, recorded_readings
from perftrack.core.search.visits import Phase, Recorded, Side, Visit
from tests.core.search.builders import chain

GRAPH = chain(4)


def visit(**values: tuple[float, ...]) -> Visit:
    return Visit(Phase.SEARCH, tuple(Side(sha, read) for sha, read in values.items()))


def script(*visits: Visit, direction: Direction = Direction.LOWER) -> Transcript:
    return Transcript.of(GRAPH, direction, visits, ())


def recorded(run: Recorded, *, logs: bool = True) -> Readings:
    return recorded_readings(GRAPH, Direction.LOWER, [run], logs=logs)[1]


def test_sides_that_took_turns_share_the_time_of_their_visit() -> None:
    read = script(visit(c0=(1.0,)), visit(c1=(1.0, 1.0, 1.0), good=(1.0,)))
    assert read.times.tolist() == pytest.approx([0.5, 1 + 2 / 3, 3.0, 5 - 2 / 3, 3.0])
    assert read.places.tolist() == [0, 1, 1, 1, GOOD]


def test_the_bad_end_is_an_end_and_not_a_commit_of_the_range() -> None:
    assert script(visit(c3=(1.0,), elsewhere=(2.0,))).places.tolist() == [BAD, OUTSIDE]


def test_positive_values_are_judged_by_their_logarithms() -> None:
    assert script(visit(c0=(math.e,))).values.tolist() == [1.0]


def test_a_value_that_is_not_positive_puts_all_on_their_own_scale() -> None:
    assert script(visit(c0=(3.0, 0.0))).values.tolist() == [3.0, 0.0]


def test_larger_is_worse_whichever_way_is_better() -> None:
    read = script(visit(c0=(1.0, 2.0)), direction=Direction.HIGHER)
    assert read.values[1] < read.values[0]


def test_a_run_recorded_before_is_the_mean_of_its_processes() -> None:
    found = recorded(Recorded("c1", (math.e, math.e**3), 0.25))
    assert (found.values.tolist(), found.share.tolist(), found.apart.tolist()) == ([2.0], [0.5], [0.25])


def test_a_spread_between_runs_is_relative_where_there_are_no_logarithms() -> None:
    assert recorded(Recorded("c1", (40.0,), 0.25), logs=False).apart.tolist() == [10.0]


def test_a_recorded_value_that_is_not_positive_puts_all_on_their_own_scale() -> None:
    read = Transcript.of(GRAPH, Direction.LOWER, [visit(c0=(3.0,))], [Recorded("c1", (0.0,))])
    assert read.values.tolist() == [3.0]


def test_live_and_recorded_readings_of_a_commit_come_together() -> None:
    found = script(visit(c1=(1.0,))).readings(EndDrift(), {1: Readings.of([5.0]), 2: Readings.of([6.0])})
    assert found[1].values.tolist() == [0.0, 5.0]
    assert found[2].values.tolist() == [6.0]


def test_readings_have_the_drift_taken_out() -> None:
    drift = EndDrift(1.0, np.array([0.5]), np.array([0.2]))
    assert script(visit(c0=(math.e,))).readings(drift, {})[0].values == pytest.approx([0.9])


def test_what_lies_outside_of_the_range_says_nothing() -> None:
    assert set(script(visit(elsewhere=(1.0,), c0=(1.0,))).readings(EndDrift(), {})) == {0}
    assert recorded_readings(GRAPH, Direction.LOWER, [Recorded("elsewhere", (1.0,))], logs=True) == {}


def test_a_visit_after_the_other_gives_the_same_as_all_at_once() -> None:
    visits = (visit(c0=(1.0, 2.0), good=(3.0,)), visit(), visit(c1=(4.0,)))
    step = script()
    for one in visits:
        step = step.after(GRAPH, one)
    whole = script(*visits)
    assert step.times.tolist() == whole.times.tolist()
    assert step.raw.tolist() == whole.raw.tolist()
