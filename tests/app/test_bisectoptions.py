"""What a budget is."""

from __future__ import annotations

import pytest

from perftrack.app.bisectoptions import Budget
from perftrack.errors import UsageError


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("200", Budget(200)),
        ("90s", Budget(seconds=90.0)),
        ("30m", Budget(seconds=1800.0)),
        ("1.5 h", Budget(seconds=5400.0)),
        (" 5min ", Budget(seconds=300.0)),
    ],
)
def test_a_number_is_measurements_and_a_time_has_a_unit(text: str, budget: Budget) -> None:
    assert Budget.parse(text) == budget


@pytest.mark.parametrize("text", ["", "0", "0s", "-5", "1.5", "soon", "5 d", "1e3", "nan", "inf", "9" * 400 + "s"])
def test_anything_else_is_usage_that_says_what_would_do(text: str) -> None:
    with pytest.raises(UsageError, match="no budget") as caught:
        Budget.parse(text)
    assert "2h" in str(caught.value.hint)
