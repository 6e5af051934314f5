from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.model import Interval
from perftrack.core.units import (
    format_change,
    format_duration,
    format_interval,
    format_percent,
    format_value,
)

SCALES = {
    p: 10.0 ** (18 - 3 * n) for n, p in enumerate(("E", "P", "T", "G", "M", "k", "", "m", "µ", "n", "p", "f"))
}


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1.234567e-3, "s", "1.235 ms"),
        (1.2e-5, "s", "12.00 µs"),
        (3e-9, "s", "3.000 ns"),
        (5e-11, "s", "50.00 ps"),
        (1e-15, "s", "1.000 fs"),
        (1.23456e-22, "s", "1.235e-22 s"),
        (5e-324, "s", "4.941e-324 s"),
        (1.979e15, "flop/s", "1.979 Pflop/s"),
        (4.5e18, "B", "4.500 EB"),
        (1e300, "B", "1.000e300 B"),
        (1.23456e-9, "ratio", "1.235e-9 ratio"),
        (-1.23456e13, "things", "-1.235e13 things"),
        (999_999_999.9, "things", "1.000e9 things"),
        (12_345_678, "things", "12350000 things"),
        (3.0871, "1", "3.087"),
        (1.23456e-9, "1", "1.235e-9"),
        (0.99999, "s", "1.000 s"),
        (999.96e-6, "s", "1.000 ms"),
        (-2.5e-3, "s", "-2.500 ms"),
        (0.0, "s", "0 s"),
        (1_234_567, "B", "1.235 MB"),
        (3.35e12, "B/s", "3.350 TB/s"),
        (1234.5, "%", "1235 %"),
        (1234.5, "", "1235"),
        (0.00012347, "ratio", "0.0001235 ratio"),
        (None, "s", "–"),
        (math.nan, "s", "–"),
        (math.inf, "s", "–"),
    ],
)
def test_value(value: float | None, unit: str, text: str) -> None:
    assert format_value(value, unit) == text


@pytest.mark.parametrize(
    ("half", "text"),
    [
        (0.5, "1.23 ms"),
        (0.05, "1.235 ms"),
        (0.005, "1.2346 ms"),
        (1e-9, "1.23457 ms"),
        (0.0, "1.23457 ms"),
        (5.0, "1.2 ms"),
    ],
)
def test_digits_follow_the_interval(half: float, text: str) -> None:
    value = 1.234567e-3
    interval = Interval(value * (1 - half), value * (1 + half))
    assert format_value(value, "s", interval) == text


def test_exact_values_have_no_zeros_at_the_end() -> None:
    assert format_value(2445.0, "B", Interval(2445.0, 2445.0)) == "2.445 kB"
    assert format_value(2000.0, "B", Interval(2000.0, 2000.0)) == "2 kB"
    assert format_value(700.0, "things", Interval(700.0, 700.0)) == "700 things"
    assert format_value(1e20, "things", Interval(1e20, 1e20)) == "1e20 things"


@given(st.integers(0, 10**15 - 1))
def test_an_exact_count_keeps_all_of_its_digits(count: int) -> None:
    assert format_value(float(count), "things", Interval(count, count)) == f"{count} things"


@given(st.floats(1e-300, 1e300), st.sampled_from(["s", "B", "Hz", "things"]))
def test_value_reads_back_to_four_digits_and_is_short(value: float, unit: str) -> None:
    text = format_value(value, unit)
    match = re.fullmatch(rf"([\d.]+(?:e-?\d+)?) ([EPTGMkmµnpf]?){unit}", text)
    assert match
    assert float(match[1]) * SCALES[match[2]] == pytest.approx(value, rel=6e-4)
    assert len(match[1]) <= 10


@given(st.floats(1e-15, 9e20))
def test_value_has_one_to_three_digits_before_the_point(value: float) -> None:
    assert 1 <= float(format_value(value, "s").split()[0]) < 1000


@pytest.mark.parametrize(
    ("value", "interval", "text"),
    [
        (1e-3, Interval(0.99e-3, 1.01e-3), "1.000 ms ± 1.0 %"),
        (-1.0, Interval(-1.5, -0.5), "-1.00 s ± 50 %"),
        (0.0, Interval(-1.0, 1.0), "0 s ± 1.000 s"),
        (1e-3, None, "1.000 ms"),
        (None, Interval(0.0, 1.0), "–"),
    ],
)
def test_interval(value: float | None, interval: Interval | None, text: str) -> None:
    assert format_interval(value, "s", interval) == text


@pytest.mark.parametrize(
    ("percent", "text"),
    [
        (0.0, "0 %"),
        (0.001, "<0.01 %"),
        (-0.001, "-<0.01 %"),
        (0.02, "0.02 %"),
        (0.123, "0.12 %"),
        (1.25, "1.3 %"),
        (12.5, "13 %"),
        (0.125, "0.13 %"),
        (98.7, "99 %"),
        (99.5, "99.50 %"),
        (99.98, "99.98 %"),
        (-99.98, "-99.98 %"),
        (99.996, ">99.99 %"),
        (-99.999999, "->99.99 %"),
        (100.0, "100 %"),
        (1e9, ">999999 %"),
        (-1e300, "->999999 %"),
        (-7.77, "-7.8 %"),
        (12.3, "12 %"),
        (123456.0, "123456 %"),
        (math.inf, "∞ %"),
        (math.nan, "∞ %"),
    ],
)
def test_percent(percent: float, text: str) -> None:
    assert format_percent(percent) == text


@given(st.floats(allow_nan=False))
def test_percent_is_short_and_never_in_exponent_form(percent: float) -> None:
    text = format_percent(percent)
    assert "e" not in text
    assert len(text) <= len("->999999 %")


@pytest.mark.parametrize(
    ("effect", "text"),
    [
        (None, "–"),
        (0.0, "+0 %"),
        (math.log(1.12), "+12 %"),
        (math.log(0.5), "-50 %"),
        (math.log(0.0002), "-99.98 %"),
        (math.log(1e-9), "->99.99 %"),
        (-1e6, "->99.99 %"),
        (math.log(20_000), "+>999999 %"),
        (1e6, "+>999999 %"),
    ],
)
def test_change(effect: float | None, text: str) -> None:
    assert format_change(effect) == text


@given(st.floats(-750, 0, exclude_max=True))
def test_nothing_gets_faster_by_all_of_it(effect: float) -> None:
    assert format_change(effect) not in ("-100 %", "-100.00 %")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (3.21, "3.2 s"),
        (42.4, "42 s"),
        (200.0, "3 min 20 s"),
        (3599.7, "1 h 0 min"),
        (7380.0, "2 h 3 min"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_an_interval_that_is_infinitely_wider_than_its_value_is_told() -> None:
    assert format_interval(5e-324, "s", Interval(-1.0, 1.0)) == "4.9e-324 s ± ∞ %"
