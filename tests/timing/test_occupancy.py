"""Who else is on the card."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.company import CardUse, Occupancy
from perftrack.core.tiers import Exclusivity
from perftrack.timing.occupancy import (
    BUSY_PCT,
    FOREIGN_BYTES,
    judge,
    lists_whole_host,
    own_processes,
    process_exists,
)

ME, SIBLING, STRANGER, HOST_PID = 100, 101, 500, 99_999
OWN = frozenset({ME, SIBLING})


GIB = 1 << 30
QUIET = CardUse("card", 0, 0.0)


def judged(
    listed: list[int] | None,
    bystanders: tuple[int, ...] = (),
    *,
    context: bool = True,
    before: CardUse | None = None,
    whole: bool = True,
) -> Occupancy:
    return judge(
        listed,
        bystanders,
        OWN,
        holds_context=context,
        exists=lambda pid: pid != HOST_PID,
        before=before,
        whole=whole,
    )


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


@given(
    st.lists(st.sampled_from([ME, SIBLING, STRANGER, HOST_PID])),
    st.booleans(),
    st.none() | st.integers(0, 100 * GIB),
    st.none() | st.floats(0, 100),
    st.booleans(),
)
def test_exclusive_is_only_said_where_every_evidence_that_there_is_agrees(
    pids: list[int], context: bool, memory: int | None, busy: float | None, whole: bool
) -> None:
    found = judged(pids, context=context, before=CardUse("card", memory, busy), whole=whole)
    if found.exclusivity is Exclusivity.EXCLUSIVE:
        assert set(pids) & OWN and not set(pids) - OWN
        assert (memory or 0) < FOREIGN_BYTES and not busy
        assert whole or memory is not None


@pytest.mark.parametrize("listed", [[], [ME], [HOST_PID], None])
@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (CardUse("card", 30 * GIB, 80.0), Exclusivity.SHARED),
        (CardUse("card", 30 * GIB, 0.0), Exclusivity.UNKNOWN),
        (CardUse("card", 30 * GIB, None), Exclusivity.UNKNOWN),
        (CardUse("card", 0, 80.0), Exclusivity.UNKNOWN),
        (CardUse("card", None, 80.0), Exclusivity.UNKNOWN),
        (CardUse("card", 30 * GIB, BUSY_PCT - 1), Exclusivity.UNKNOWN),
    ],
)
def test_use_before_the_run_is_company_that_no_list_talks_away(
    listed: list[int] | None, before: CardUse, expected: Exclusivity
) -> None:
    assert judged(listed, before=before).exclusivity is expected


def test_a_card_that_nobody_used_before_does_not_make_up_for_a_list_that_hides() -> None:
    assert judged([], before=QUIET).exclusivity is Exclusivity.UNKNOWN
    assert judged(None, before=QUIET).exclusivity is Exclusivity.UNKNOWN


def test_a_process_that_is_listed_is_company_however_quiet_the_card_was() -> None:
    assert judged([ME, STRANGER], before=QUIET).exclusivity is Exclusivity.SHARED


def test_a_container_s_list_is_complete_only_if_no_memory_was_in_use() -> None:
    assert judged([ME], whole=False).exclusivity is Exclusivity.UNKNOWN
    assert judged([ME], whole=False, before=CardUse("card", None, 0.0)).exclusivity is Exclusivity.UNKNOWN
    assert judged([ME], whole=False, before=QUIET).exclusivity is Exclusivity.EXCLUSIVE


def test_what_a_driver_leaves_behind_is_no_company() -> None:
    assert judged([ME], before=CardUse("card", 4 << 20, 0.0)).exclusivity is Exclusivity.EXCLUSIVE


def test_a_desktop_explains_memory_and_time() -> None:
    found = judged([ME], (STRANGER,), before=CardUse("card", GIB, 12.0))
    assert found.exclusivity is Exclusivity.UNKNOWN
    assert str(STRANGER) in found.detail


def test_the_detail_tells_memory_and_time() -> None:
    found = judged([ME], before=CardUse("card", 30 * GIB, 80.0))
    assert "30 720 MiB" in found.detail and "80 %" in found.detail
    assert "process ids are hidden" in judged([], before=CardUse("card", GIB, 0.0)).detail


def test_only_the_host_s_own_namespace_lists_the_whole_host(tmp_path: Path) -> None:
    (tmp_path / "pid").write_text("")
    assert not lists_whole_host(tmp_path / "pid")
    assert not lists_whole_host(tmp_path / "none")


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
