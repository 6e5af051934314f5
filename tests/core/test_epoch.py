"""Which values an accepted change covers, and where it cuts a series."""

from __future__ import annotations

import pytest

from perftrack.core.epoch import Epoch, epoch_starts
from perftrack.core.model import Case

CASE = Case("tokenize", (("size", 10),))


@pytest.mark.parametrize(
    ("bench", "metric", "covered"),
    [
        ("tokenize", "", True),
        ("tokenize[size=10]", "", True),
        ("tokenize[size=20]", "", False),
        ("token", "", False),
        ("tokenize", "time", True),
        ("tokenize", "memory", False),
    ],
)
def test_an_epoch_covers_a_whole_benchmark_one_case_or_one_metric(bench, metric, covered):
    assert Epoch(bench, "a" * 40, "why", metric).covers(CASE, "time") is covered


def test_a_series_is_cut_at_the_first_value_whose_history_has_the_epoch():
    assert epoch_starts(["a", "b", "d"], [{"c", "d", "e"}]) == (2,)


def test_epochs_before_all_values_and_after_all_of_them():
    assert epoch_starts(["b", "c"], [{"a", "b", "c"}]) == (0,)
    assert epoch_starts(["b", "c"], [{"d"}, set()]) == ()


def test_two_epochs_at_one_value_cut_once_and_cuts_ascend():
    assert epoch_starts(["a", "b", "c"], [{"c"}, {"b", "c"}, {"b", "c"}]) == (1, 2)
