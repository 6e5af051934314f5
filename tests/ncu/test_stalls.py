from __future__ import annotations

import pytest

from perftrack.core.launches.launch import Counter
from tests.ncu.launches import counter, summary


def sampled(reason: str, samples: float) -> Counter:
    return counter(f"smsp__pcsamp_warps_issue_stalled_{reason}", samples, "warp")


def ratio(reason: str, value: float) -> Counter:
    return counter(f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio", value, "inst")


def top(*counters: Counter) -> list[tuple[str, float, float | None, str]]:
    return [(s.reason, s.value, s.share_pct, s.source) for s in summary(*counters).top_stalls]


def test_the_four_largest_reasons_come_with_their_share_of_all() -> None:
    counters = [
        sampled(r, n) for r, n in (("wait", 10), ("barrier", 40), ("drain", 30), ("membar", 15), ("misc", 5))
    ]
    assert top(*counters) == [
        ("barrier", 40, 40.0, "pcsamp"),
        ("drain", 30, 30.0, "pcsamp"),
        ("membar", 15, 15.0, "pcsamp"),
        ("wait", 10, 10.0, "pcsamp"),
    ]


def test_samples_in_which_nothing_was_issued_are_not_counted_again() -> None:
    assert top(sampled("wait", 10), sampled("wait_not_issued", 9)) == [("wait", 10, 100.0, "pcsamp")]


@pytest.mark.parametrize("reason", ["selected", "not_selected", "not_selected_not_issued"])
def test_a_warp_that_issues_or_could_does_not_wait(reason: str) -> None:
    assert top(sampled("wait", 10), sampled(reason, 90)) == [("wait", 10, 100.0, "pcsamp")]


def test_samples_go_before_ratios() -> None:
    assert top(sampled("wait", 10), ratio("barrier", 3.0)) == [("wait", 10, 100.0, "pcsamp")]


def test_ratios_stand_in_where_no_sample_was_taken() -> None:
    assert top(sampled("wait", 0), ratio("barrier", 3.0), ratio("wait", 1.0)) == [
        ("barrier", 3.0, 75.0, "ratio"),
        ("wait", 1.0, 25.0, "ratio"),
    ]


def test_shares_of_active_warps_are_the_last_resort() -> None:
    one = counter("smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", 60.0, "%")
    assert top(one) == [("long_scoreboard", 60.0, 100.0, "pct")]


def test_both_countings_call_a_reason_the_same() -> None:
    assert top(ratio("no_instruction", 1.0))[0][0] == top(sampled("no_instructions", 1.0))[0][0]


def test_a_sum_is_the_same_metric() -> None:
    assert top(counter("smsp__pcsamp_warps_issue_stalled_wait.sum", 4, ""))[0][:2] == ("wait", 4)


def test_without_stalls_there_are_none() -> None:
    assert top(sampled("wait", 0)) == []


def test_equal_reasons_are_in_a_fixed_order() -> None:
    assert [s[0] for s in top(sampled("wait", 5), sampled("drain", 5))] == ["drain", "wait"]
