"""Numbers as digits: as exact as any reader is shown, whatever they are."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.publish.numerals import Numerals, differences, numerals

sizes = st.floats(1e-12, 1e15)


def of(value: float, lo: float = math.nan, hi: float = math.nan) -> Numerals:
    return numerals(np.array([value]), np.array([lo]), np.array([hi]))


def back(found: Numerals) -> float:
    return float(f"{found.digits[0]}e{found.exponent[0]}")


@given(sizes, st.floats(1e-9, 1.0))
def test_a_value_is_exact_to_a_hundredth_of_its_interval_or_six_digits(value: float, relative: float) -> None:
    half = value * relative
    found = of(value, value - half, value + half)
    assert abs(back(found) - value) <= max(half / 100, 1e-5 * value)


@given(sizes, st.floats(1e-3, 1.0))
def test_a_half_width_is_exact_to_a_hundredth(value: float, relative: float) -> None:
    half = value * relative
    found = of(value, value - half, value + half)
    step = 10.0 ** int(found.exponent[0])
    assert math.isclose(int(found.below[0]) * step, half, rel_tol=0.01)
    assert abs(int(found.below[0] - found.above[0])) <= 1


def test_without_an_interval_there_are_six_digits() -> None:
    assert back(of(1.23456789)) == 1.23457


def test_an_exact_count_keeps_every_digit() -> None:
    assert back(of(1_482_112_345.0, 1_482_112_345.0, 1_482_112_345.0)) == 1_482_112_345


@pytest.mark.parametrize("value", [0.0, math.nan, math.inf, -math.inf, 5e-324, 1.7e308, -1.7e308])
def test_every_float_becomes_whole_numbers_that_a_browser_counts(value: float) -> None:
    for lo, hi in ((math.nan, math.nan), (value, value), (-math.inf, math.inf), (-1e308, 1e308)):
        found = of(value, lo, hi)
        parts = (found.digits, found.below, found.above)
        assert all(abs(int(part[0])) <= 2**53 for part in parts)


@given(sizes, sizes, st.floats(1e-6, 0.5), st.floats(1e-6, 0.5))
def test_differences_add_up_to_the_digits(value: float, first: float, own: float, wide: float) -> None:
    a, b = of(value, value * (1 - own), value * (1 + own)), of(first, first * (1 - wide), first * (1 + wide))
    beyond = differences(a.digits, a.exponent, b.digits, b.exponent)
    apart = int(b.exponent[0] - a.exponent[0])
    base = int(b.digits[0]) * 10**apart if apart >= 0 else int(b.digits[0]) // 10**-apart
    usable = abs(apart) <= 9 and abs(base) < 1e15 and abs(int(b.digits[0])) < 10**7
    assert int(beyond[0]) + (base if usable else 0) == int(a.digits[0])
