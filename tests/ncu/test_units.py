"""Units by structure: spellings of all releases, prefixes, and what they come to in base units."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.ncu.units import parse_unit


@pytest.mark.parametrize(
    ("printed", "value", "base", "expected"),
    [
        ("nsecond", 124544.0, "s", 124544e-9),
        ("ns", 124544.0, "s", 124544e-9),
        ("usecond", 124.9, "s", 124.9e-6),
        ("us", 124.9, "s", 124.9e-6),
        ("µs", 124.9, "s", 124.9e-6),
        ("msecond", 1.1, "s", 1.1e-3),
        ("ms", 1.1, "s", 1.1e-3),
        ("second", 2.0, "s", 2.0),
        ("s", 2.0, "s", 2.0),
        ("microsecond", 124.9, "s", 124.9e-6),
        ("byte", 7.0, "byte", 7.0),
        ("bytes", 7.0, "byte", 7.0),
        ("Kbyte", 32.77, "byte", 32770.0),
        ("Mbyte", 268.44, "byte", 268440000.0),
        ("Gbytes", 135.51, "byte", 135510000000.0),
        ("GB", 1.5, "byte", 1.5e9),
        ("KiB", 32.0, "byte", 32768.0),
        ("Mibyte", 2.0, "byte", 2097152.0),
        ("byte/second", 9.0, "byte/s", 9.0),
        ("Gbyte/second", 763.25, "byte/s", 763250000000.0),
        ("Gbyte/s", 763.25, "byte/s", 763250000000.0),
        ("Tbyte/s", 4.14, "byte/s", 4140000000000.0),
        ("hz", 5.0, "Hz", 5.0),
        ("Mhz", 1.5, "Hz", 1.5e6),
        ("Ghz", 3.2, "Hz", 3.2e9),
        ("cycle/second", 768683274.02, "Hz", 768683274.02),
        ("cycle/nsecond", 1.96, "Hz", 1.96e9),
        ("cycle/usecond", 980.0, "Hz", 9.8e8),
        ("%", 85.44, "%", 85.44),
        ("%/Kbyte", 2.614, "%/byte", 2614.0),  # as one profile prints it in both ways
        ("Kbyte/block", 1.02, "byte/block", 1020.0),
        ("byte/block", 1024.0, "byte/block", 1024.0),
        ("Kbyte/cycle", 2.5, "byte/cycle", 2500.0),
        ("sector/ns", 3.0, "sector/s", 3e9),
        ("sector/us", 3.0, "sector/s", 3e6),
        ("register/thread", 64.0, "register/thread", 64.0),
        ("inst/cycle", 0.27, "inst/cycle", 0.27),
        ("", 12.0, "", 12.0),
        ("block", 12.0, "block", 12.0),
        ("cycle", 12.0, "cycle", 12.0),
    ],
)
def test_a_printed_unit_comes_to_its_base_unit(printed: str, value: float, base: str, expected: float) -> None:
    unit = parse_unit(printed)
    assert (unit.base, unit.to_base(value)) == (base, expected)


def test_a_word_that_is_not_known_names_what_was_counted() -> None:
    unit = parse_unit("wavefront")
    assert (unit.base, unit.to_base(3.0)) == ("wavefront", 3.0)


def test_an_unknown_word_per_time_is_scaled_by_the_time_alone() -> None:
    unit = parse_unit("wavefront/us")
    assert (unit.base, unit.to_base(3.0)) == ("wavefront/s", 3e6)


def test_a_prefix_before_an_unknown_word_is_not_guessed() -> None:
    assert parse_unit("Gwavefront").base == "Gwavefront"


def test_lower_case_m_is_milli_and_never_mega() -> None:
    assert parse_unit("mhz").base == "mhz"
    assert parse_unit("ms").to_base(1.0) == 1e-3


@given(
    st.decimals(min_value=1, max_value=1000, places=2),
    st.sampled_from(["Kbyte", "Mbyte", "Gbyte", "us", "ns"]),
)
def test_scaling_rounds_once(printed: object, unit: str) -> None:
    power = {"Kbyte": 3, "Mbyte": 6, "Gbyte": 9, "us": -6, "ns": -9}[unit]
    assert parse_unit(unit).to_base(float(str(printed))) == float(f"{printed}e{power}")


@given(st.text(max_size=30))
def test_any_text_is_a_unit_with_a_finite_factor(text: str) -> None:
    assert math.isfinite(parse_unit(text).to_base(1.0))
