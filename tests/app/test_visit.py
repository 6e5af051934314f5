"""One process's pass over the cases, with real workers."""

from __future__ import annotations

import sys
from pathlib import Path

from perftrack.app.visit import VisitSettings, discover, visit
from perftrack.core.model import Case, Status
from perftrack.core.plan import Plan
from perftrack.suite.launch import Setup
from perftrack.suite.pool import WorkerProcess
from perftrack.suite.selection import select

QUICK = VisitSettings(Plan(windows=2, window_s=0.001, warmup_calls=1, warmup_cap_s=0.01, pause_s=0.0), 20.0)
FILE = """
import os
import perftrack as pt


@pt.metric(unit="")
def pid_of_a():
    return os.getpid()


@pt.metric(unit="")
def pid_of_b():
    return os.getpid()


@pt.metric(unit="")
def breaks():
    raise RuntimeError("device-side assert")
"""


def run(tmp_path: Path, *patterns: str, process: int = 0):
    folder = tmp_path / "benchmarks"
    folder.mkdir(exist_ok=True)
    (folder / "bench_a.py").write_text(FILE)
    setup = Setup(sys.executable, base=tmp_path, folder=folder, home=tmp_path)
    with WorkerProcess(setup) as worker:
        cases = select(discover(worker, 20).declared, patterns)
    seen = []
    outcomes = visit(setup, cases, QUICK, process, 5, lambda selected, _: seen.append(selected.case.id))
    return outcomes, seen


def value(outcomes, name):
    return outcomes[Case(name)].result.metrics[0].process.windows[0].samples[0]


def test_cases_share_one_fresh_process(tmp_path):
    outcomes, _ = run(tmp_path, "pid_of")
    assert value(outcomes, "pid_of_a") == value(outcomes, "pid_of_b")
    assert value(run(tmp_path, "pid_of")[0], "pid_of_a") != value(outcomes, "pid_of_a")


def test_after_a_failure_the_rest_is_measured_in_another_process(tmp_path):
    for process in range(20):
        outcomes, seen = run(tmp_path, process=process)
        if seen[1] == "breaks":
            break
    assert outcomes[Case("breaks")].result.status is Status.FAILED
    assert value(outcomes, "pid_of_a") != value(outcomes, "pid_of_b")


def test_each_process_has_an_order_of_its_own_and_a_repeatable_one(tmp_path):
    orders = [tuple(run(tmp_path, process=n)[1]) for n in (0, 1, 2, 3, 0)]
    assert orders[0] == orders[-1]
    assert len(set(orders)) > 1
