from __future__ import annotations

from dataclasses import replace

import pytest

from perftrack.core.comparability import obstacles
from perftrack.core.model import Direction
from tests.core.builders import HERE, HOST, VALUE, measured


def test_like_and_like_have_none() -> None:
    assert obstacles(measured(1.0), measured(2.0)) == ()


def test_each_differing_key_field_is_named_with_both_values() -> None:
    other = replace(HERE, cpu_model="Test 9001", python_version="3.12.1", host="elsewhere")
    (found,) = obstacles(measured(1.0), measured(1.0, fingerprint=other))
    assert found.code == "fingerprint-mismatch"
    assert found.message == "CPU: Test 9000 → Test 9001; Python: 3.11.9 → 3.12.1"


def test_context_fields_are_none() -> None:
    assert obstacles(measured(1.0), measured(1.0, fingerprint=replace(HERE, host="elsewhere"))) == ()


def test_an_environment_that_was_not_captured_matches_nothing() -> None:
    nowhere = measured(1.0, fingerprint=None)
    assert [o.code for o in obstacles(nowhere, nowhere)] == ["fingerprint-mismatch"]


def test_another_timer_is_one() -> None:
    (found,) = obstacles(measured(1.0), measured(1.0, protocol=VALUE))
    assert (found.code, HOST.key in found.message) == ("protocol-mismatch", True)


@pytest.mark.parametrize(
    ("other", "code", "said"),
    [
        (measured(1.0, unit="B"), "unit-mismatch", "s against B"),
        (measured(1.0, unit=""), "unit-mismatch", "s against no unit"),
        (measured(1.0, direction=Direction.HIGHER), "direction-mismatch", "lower against higher"),
    ],
)
def test_another_unit_or_direction_is_one(other, code, said) -> None:
    (obstacle,) = obstacles(measured(1.0), other)
    assert obstacle.code == code
    assert said in obstacle.message


def test_all_are_named_at_once() -> None:
    other = measured(1.0, fingerprint=None, protocol=VALUE, unit="B")
    assert [o.code for o in obstacles(measured(1.0), other)] == [
        "fingerprint-mismatch",
        "protocol-mismatch",
        "unit-mismatch",
    ]
