"""What is asked of ncu, as its options."""

from __future__ import annotations

import pytest

from perftrack.ncu.names import FIELDS
from perftrack.ncu.operations import is_operations
from perftrack.ncu.selection import DIFF_METRICS, Selection


def test_clock_and_cache_control_are_always_given_since_defaults_changed_between_releases() -> None:
    assert Selection("full").options == ("--set", "full", "--clock-control", "none", "--cache-control", "all")


def test_metrics_come_on_top_of_the_set_and_launches_are_limited() -> None:
    options = Selection("basic", ("a", "b"), launches=5).options
    assert options[:6] == ("--set", "basic", "--metrics", "a,b", "--launch-count", "5")


def test_metrics_alone_need_no_set() -> None:
    assert Selection("", ("a",)).options[:2] == ("--metrics", "a")


@pytest.mark.parametrize(
    ("selection", "name"),
    [
        (Selection("basic"), "basic"),
        (Selection("basic", DIFF_METRICS), "basic+diff"),
        (Selection("full", (*DIFF_METRICS, "x", "y")), "full+diff+2 metrics"),
        (Selection("", ("x",)), "1 metric"),
    ],
)
def test_a_profile_keeps_what_was_asked_for(selection: Selection, name: str) -> None:
    assert selection.name == name


def test_the_metrics_of_a_diff_are_those_that_fill_its_fields() -> None:
    wanted = ("dram_read_bytes", "instructions", "local_bytes", "sectors_per_request", "l1_hit_pct", "l2_hit_pct")
    assert [f for f in wanted if not set(FIELDS[f][0].metrics) <= set(DIFF_METRICS)] == []
    assert len(set(DIFF_METRICS)) == len(DIFF_METRICS)


def test_operations_are_counted_by_metrics_that_the_summary_knows() -> None:
    counted = [m for m in DIFF_METRICS if "_sass_thread_" in m or "_ops_path_" in m]
    assert len(counted) == 16
    assert all(is_operations(m) for m in counted)
