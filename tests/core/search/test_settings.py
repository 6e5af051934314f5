from __future__ import annotations

import math

import pytest

from perftrack.core.search.settings import SearchSettings
from perftrack.errors import InvalidValueError


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"confidence": 1.0}, "confidence"),
        ({"confidence": 0.5}, "confidence"),
        ({"confidence": 99}, "confidence"),
        ({"confidence": math.nan}, "confidence"),
        ({"measurements": 0}, "measurements"),
        ({"seconds": 0.0}, "seconds"),
        ({"seconds": math.nan}, "seconds"),
        ({"batch_least": 0}, "processes a visit"),
        ({"batch_least": 6}, "processes a visit"),
        ({"build_cost": -1.0}, "build"),
        ({"end_share": 1.5}, "share"),
        ({"checks": -1}, "checked"),
        ({"confirm": 3}, "confirming"),
    ],
)
def test_what_is_out_of_range_is_refused_and_named(wrong: dict[str, float], said: str) -> None:
    with pytest.raises(InvalidValueError, match=said):
        SearchSettings(**wrong)  # type: ignore[arg-type]


def test_confirming_may_be_left_out() -> None:
    assert SearchSettings(confirm=0).confirm == 0
