"""Who else is on the card."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.tiers import Exclusivity
from perftrack.timing.occupancy import Occupancy, judge, own_processes, process_exists

ME, SIBLING, STRANGER, HOST_PID = 100, 101, 500, 99_999
OWN = frozenset({ME, SIBLING})


def judged(listed: list[int] | None, bystanders: tuple[int, ...] = (), *, context: bool = True) -> Occupancy:
    return judge(listed, bystanders, OWN, holds_context=context, exists=lambda pid: pid != HOST_PID)


@pytest.mark.parametrize(
    ("listed", "context", "expected"),
    [
        ([ME], True, Exclusivity.EXCLUSIVE),
        ([ME, SIBLING], True, Exclusivity.EXCLUSIVE),
        ([ME, STRANGER], True, Exclusivity.SHARED),
        ([ME, HOST_PID], True, Exclusivity.SHARED),
        ([], True, Exclusivity.UNKNOWN),
        ([HOST_PID], True, Exclusivity.UNKNOWN),
        ([STRANGER], True, Exclusivity.UNKNOWN),
        (None, True, Exclusivity.UNKNOWN),
        ([], False, Exclusivity.UNKNOWN),
        ([STRANGER], False, Exclusivity.SHARED),
        ([HOST_PID], False, Exclusivity.UNKNOWN),
    ],
)
def test_the_list_is_believed_when_this_process_is_in_it(
    listed: list[int] | None, context: bool, expected: Exclusivity
) -> None:
    assert judged(listed, context=context).exclusivity is expected


def test_a_desktop_or_a_neighbouring_slice_leaves_it_unknown() -> None:
    assert judged([ME], (STRANGER,)).exclusivity is Exclusivity.UNKNOWN
    assert judged([ME], (ME, SIBLING)).exclusivity is Exclusivity.EXCLUSIVE


def test_the_detail_names_the_process() -> None:
    assert str(STRANGER) in judged([ME, STRANGER]).detail
    assert "container" in judged([HOST_PID]).detail


@given(st.lists(st.sampled_from([ME, SIBLING, STRANGER, HOST_PID])), st.booleans())
def test_exclusive_is_only_said_of_a_list_that_shows_this_run_and_nobody_else(
    pids: list[int], context: bool
) -> None:
    if judged(pids, context=context).exclusivity is Exclusivity.EXCLUSIVE:
        assert set(pids) & OWN and not set(pids) - OWN


def test_own_processes_are_ancestors_and_descendants() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        own = own_processes()
        assert {os.getpid(), os.getppid(), child.pid} <= own
    finally:
        child.communicate(b"\n")


def test_other_children_of_the_coordinator_are_own_too(tmp_path: Path) -> None:
    me = os.getpid()
    tree = {me: 50, 50: 1, 60: 50, 61: 60, 70: 1}
    for pid, parent in tree.items():
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "stat").write_text(f"{pid} (a ) name) S {parent} 0 0")
    assert own_processes(proc=tmp_path) == {me, 50}
    assert own_processes(coordinator=50, proc=tmp_path) == {me, 50, 60, 61}


def test_without_proc_own_is_this_process_and_its_parent(tmp_path: Path) -> None:
    assert own_processes(proc=tmp_path / "none") == {os.getpid(), os.getppid()}


def test_existence() -> None:
    assert process_exists(os.getpid())
    assert process_exists(1)
    assert not process_exists(2**22 + 1)
