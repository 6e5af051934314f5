"""Dates and ages, and nothing that only looks like one."""

from __future__ import annotations

import pytest

from perftrack.core.moment import moment
from perftrack.errors import InvalidValueError

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-02", 86_400.0),
        ("1970-01-01T01:00", 3_600.0),
        ("1970-01-01T01:00+01:00", 0.0),
        ("2 weeks", NOW - 14 * 86_400),
        ("3 days ago", NOW - 3 * 86_400),
        ("6h", NOW - 6 * 3_600),
    ],
)
def test_dates_and_ages(text: str, expected: float) -> None:
    assert moment(text, NOW) == expected


@pytest.mark.parametrize("text", ["", "yesterday-ish", "v1.0", "2026-13-01", "-3 days", "9999999 days"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InvalidValueError, match="is no date"):
        moment(text, NOW)
