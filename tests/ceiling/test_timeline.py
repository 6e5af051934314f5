"""Readings of a sampler, given to the iterations that they were taken in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.ceiling.timeline import ClockReading, Span, project, spans


def test_iterations_end_where_the_host_saw_the_last_one_end() -> None:
    assert spans([(0.0, 0.1), (0.2, 0.5)], 0.5, 100.0) == (Span(99.5, 99.6), Span(99.7, 100.0))


def test_the_lowest_clock_and_the_mean_power_inside_count() -> None:
    readings = [
        ClockReading(1.0, 1980.0, 600.0),
        ClockReading(1.1, 1700.0, 700.0),
        ClockReading(2.0, 1500.0, 100.0),
    ]
    assert project(readings, [Span(0.9, 1.5)]) == ((1700.0,), (650.0,))


@pytest.mark.parametrize(
    ("window", "clock"), [((1.01, 1.02), 1900.0), ((1.9, 1.91), 1500.0), ((5.0, 6.0), 1500.0)]
)
def test_the_nearest_reading_stands_in_where_none_is_inside(window: tuple[float, float], clock: float) -> None:
    readings = [ClockReading(1.0, 1900.0), ClockReading(2.0, 1500.0)]
    assert project(readings, [Span(*window)])[0] == (clock,)


def test_what_was_never_read_is_claimed_of_no_iteration() -> None:
    assert project([], [Span(0, 1)]) == ((), ())
    assert project([ClockReading(0.5, None, 500.0)], [Span(0, 1)]) == ((), (500.0,))


def test_a_reading_that_failed_is_no_reading() -> None:
    readings = [ClockReading(1.0, None, None), ClockReading(9.0, 1600.0, 300.0)]
    assert project(readings, [Span(0.9, 1.1)]) == ((1600.0,), (300.0,))


@given(
    st.lists(st.tuples(st.floats(0, 10), st.floats(200, 2000)), min_size=1, max_size=30),
    st.lists(st.tuples(st.floats(0, 10), st.floats(0, 1)), min_size=1, max_size=10),
)
def test_no_window_is_given_a_clock_above_one_read_inside(
    points: list[tuple[float, float]], places: list[tuple[float, float]]
) -> None:
    readings = [ClockReading(at, clock) for at, clock in sorted(points)]
    windows = [Span(start, start + length) for start, length in places]
    clocks, _ = project(readings, windows)
    for window, clock in zip(windows, clocks, strict=True):
        inside = [r.clock_mhz for r in readings if window.start <= r.at <= window.end]
        assert clock is not None
        assert clock == min(inside, default=clock)  # type: ignore[type-var]
        assert clock in {r.clock_mhz for r in readings}
