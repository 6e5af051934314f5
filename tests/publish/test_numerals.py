"""Numbers as digits: as exact as any reader is shown, whatever they are."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from perftrack.core.model import Interval
from perftrack.core.units import format_interval
from perftrack.publish.numerals import GRADES, Numerals, differences, numerals, usual_scale
from tests.publish.unpacking import step_of, values

sizes = st.floats(1e-12, 1e15)


def of(value: float, lo: float = math.nan, hi: float = math.nan) -> Numerals:
    return numerals(np.array([value]), np.array([lo]), np.array([hi]))


def back(found: Numerals) -> float:
    return float(int(found.digits[0]) * step_of(int(found.scale[0])))


@given(sizes, st.floats(1e-9, 1.0))
def test_a_value_is_exact_to_a_hundredth_of_its_half_width_or_six_digits(value: float, relative: float) -> None:
    half = value * relative
    found = of(value, value - half, value + half)
    assert abs(back(found) - value) <= max(half / 99, 0.51e-5 * value)


@given(sizes, st.floats(1e-3, 1.0), st.floats(0, 1))
def test_an_interval_keeps_its_half_width_and_holds_its_value(value: float, relative: float, where: float) -> None:
    half = value * relative
    lo = value - 2 * half * where
    found = of(value, lo, lo + 2 * half)
    shown = 10 ** (int(found.grade[0]) / GRADES)
    middle = back(found) + float(int(found.skew[0]) * step_of(int(found.scale[0])))
    assert math.isclose(shown, half, rel_tol=0.015)
    # A step for the value, half a one for the skew, and two where the value is an end.
    room = max(0.04 * half, 3.5 * float(step_of(int(found.scale[0]))))
    assert abs(middle - shown - lo) <= room
    assert abs(middle + shown - (lo + 2 * half)) <= room
    assert middle - shown <= back(found) * (1 + 1e-12)
    assert middle + shown >= back(found) * (1 - 1e-12)


@given(sizes, st.floats(-4.3, -0.01))
def test_what_is_told_reads_like_the_value_and_its_interval(value: float, tens: float) -> None:
    assume(0.008 < tens % 1 < 0.992)  # between 9.9 and 10.1 % is no grade for each that is told apart
    half = value * 10**tens
    found = of(value, value - half, value + half)
    shown = 10 ** (int(found.grade[0]) / GRADES)
    told = format_interval(back(found), "s", Interval(back(found) - shown, back(found) + shown))
    assert told == format_interval(value, "s", Interval(value - half, value + half))


@given(sizes, st.floats(1e-3, 1.0))
def test_a_symmetric_interval_is_told_as_one(value: float, relative: float) -> None:
    half = value * relative
    assert of(value, value - half, value + half).skew[0] == 0


@given(sizes, st.floats(1e-7, 2.0))
def test_the_scale_is_the_usual_one_but_near_a_power_of_ten(value: float, relative: float) -> None:
    half = value * relative
    assume(all(0.01 < math.log10(x) % 1 < 0.99 for x in (value, relative, half / 50)))
    found = of(value, value - half, value + half)
    assert usual_scale(found.grade, found.level)[0] == found.scale[0]


def test_without_an_interval_there_are_six_digits() -> None:
    assert back(of(1.23456789)) == 1.23457


def test_an_exact_count_keeps_every_digit() -> None:
    assert back(of(1_482_112_345.0, 1_482_112_345.0, 1_482_112_345.0)) == 1_482_112_345


@pytest.mark.parametrize("value", [0.0, math.nan, math.inf, -math.inf, 5e-324, 1.7e308, -1.7e308])
def test_every_float_becomes_whole_numbers_that_a_browser_counts(value: float) -> None:
    for lo, hi in ((math.nan, math.nan), (value, value), (-math.inf, math.inf), (-1e308, 1e308)):
        found = of(value, lo, hi)
        parts = (found.digits, found.level, found.grade, found.skew)
        assert all(abs(int(part[0])) <= 2**53 for part in parts)


@given(sizes, sizes, st.floats(1e-6, 0.5), st.floats(1e-6, 0.5))
def test_differences_add_up_to_the_digits(value: float, first: float, own: float, wide: float) -> None:
    a, b = of(value, value * (1 - own), value * (1 + own)), of(first, first * (1 - wide), first * (1 + wide))
    beyond = differences(a.digits, a.scale, b.digits, b.scale)
    row = {
        "value": [int(beyond[0])],
        "width": [int(a.grade[0] - b.grade[0]) + int(a.grade[0] >= b.grade[0])],
        "step": [int(a.scale[0]) - int(usual_scale(a.grade, b.level)[0])],
        "skew": [int(a.skew[0])],
    }
    (shown,) = values(row, [tuple(int(part[0]) for part in (b.digits, b.scale, b.level, b.grade))])
    assert shown.value == back(a)
