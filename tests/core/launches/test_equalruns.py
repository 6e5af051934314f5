"""Steps between runs of equal code."""

import math
from dataclasses import replace

from perftrack.core.launches.equalruns import equal_code_steps
from perftrack.core.launches.launch import LaunchSummary

ONE = LaunchSummary("k", grid=(1, 1, 1), block=(32, 1, 1), code_hash="aa")
OTHER = replace(ONE, code_hash="bb")


def test_a_step_counts_where_both_commits_ran_the_same_code() -> None:
    ran = {"a": [ONE], "b": [ONE], "c": [OTHER], "d": [OTHER]}
    steps, within = equal_code_steps(["a", "b", "c", "d"], [1.0, 1.1, 2.0, 2.2], [0.1, 0.2, 0.3, 0.4], ran)
    assert steps == [math.log(1.1), math.log(2.2 / 2.0)]
    assert within == [0.1 + 0.2, 0.3 + 0.4]


def test_runs_of_one_commit_values_of_zero_and_unknown_code_do_not_count() -> None:
    ran = {"a": [ONE], "b": [ONE]}
    assert equal_code_steps(["a", "a"], [1.0, 1.1], [0, 0], ran) == ([], [])
    assert equal_code_steps(["a", "b"], [1.0, 0.0], [0, 0], ran) == ([], [])
    assert equal_code_steps(["a", "z"], [1.0, 1.1], [0, 0], ran) == ([], [])
