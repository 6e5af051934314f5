from __future__ import annotations

from dataclasses import replace

import pytest

from perftrack.core.search.visits import Outcome
from tests.bench import bisect
from tests.bench.searches import CHEAP, Task, simulate


def test_a_plain_difference_is_found_on_a_simulated_machine() -> None:
    run = simulate(Task(5.0), 1)
    assert run.right
    assert run.named
    assert run.builds > 2


def test_no_difference_names_nobody_on_a_simulated_machine() -> None:
    assert simulate(Task(0.0), 1).outcome is Outcome.NOT_REPRODUCED


def test_a_merge_graph_taken_for_a_line_misleads() -> None:
    tasks = [
        Task(5.0, shape="topics", sorted_line=flat, settings=replace(CHEAP, checks=0)) for flat in (False, True)
    ]
    right = [sum(simulate(task, seed).right for seed in range(5)) for task in tasks]
    assert right[0] == 5
    assert right[1] < 4


def test_the_table_has_a_row_for_each_setting(capsys: pytest.CaptureFixture[str]) -> None:
    assert bisect.main(["--runs", "3", "--jobs", "1", "--only", "known"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("σ Gaussian") == shown.count("σ heavy tail") == 3
    assert "±" in shown
