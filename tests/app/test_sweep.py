"""Which commits a recording means."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from perftrack.app.sweep import Sweep, choose
from perftrack.core.spread import Order
from perftrack.errors import InvalidValueError, UsageError
from perftrack.vcs import Repository
from tests.vcs.conftest import Sandbox

NOW = 1_800_000_000.0
Linear = tuple[Sandbox, list[str]]


def shas(sandbox: Sandbox, sweep: Sweep, recorded: set[str] | None = None) -> list[str]:
    return [c.sha for c in choose(sandbox.repository, sweep, recorded or set(), NOW).commits]


def test_named_commits_are_taken_as_given_even_if_recorded(linear: Linear) -> None:
    sandbox, line = linear
    assert shas(sandbox, Sweep((line[1], "HEAD")), {line[1]}) == [line[1], line[4]]


def test_a_range_is_newest_first_without_its_start(linear: Linear) -> None:
    sandbox, line = linear
    assert shas(sandbox, Sweep((f"{line[0]}..main",))) == line[:0:-1]


def test_what_is_recorded_is_left_out_of_a_range_and_counted(linear: Linear) -> None:
    sandbox, line = linear
    chosen = choose(sandbox.repository, Sweep((f"{line[0]}..",)), {line[2], line[4]}, NOW)
    assert ([c.sha for c in chosen.commits], chosen.done) == ([line[3], line[1]], 2)
    assert shas(sandbox, Sweep((f"{line[0]}..",), again=True), set(line)) == line[:0:-1]


def test_every_other_commit_stays_the_same_as_history_grows(linear: Linear) -> None:
    sandbox, line = linear
    before = shas(sandbox, Sweep(every=2))
    assert before == [line[4], line[2], line[0]]
    sandbox.commit("One more")
    assert shas(sandbox, Sweep(every=2)) == before


def test_since_goes_by_the_commits_own_dates(linear: Linear) -> None:
    sandbox, line = linear
    at = sandbox.repository.commit(line[3]).commit_time
    assert shas(sandbox, Sweep(since=datetime.fromtimestamp(at, UTC).isoformat())) == [line[4], line[3]]


def test_a_date_that_is_none_is_refused_where_git_would_say_now(linear: Linear) -> None:
    with pytest.raises(InvalidValueError, match="is no date"):
        shas(linear[0], Sweep(since="someday"))


def test_spread_begins_with_the_ends_and_the_middle(linear: Linear) -> None:
    sandbox, line = linear
    assert shas(sandbox, Sweep(("main",), new=True, order=Order.SPREAD))[:3] == [line[4], line[0], line[2]]


def test_a_limit_cuts_what_is_left_to_do(linear: Linear) -> None:
    sandbox, line = linear
    assert shas(sandbox, Sweep(new=True, limit=2), {line[4]}) == [line[3], line[2]]


def test_three_dots_are_refused_with_what_to_write(linear: Linear) -> None:
    with pytest.raises(UsageError) as refusal:
        shas(linear[0], Sweep(("main...HEAD",)))
    assert refusal.value.hint == "perftrack record main..HEAD"


def test_two_ranges_are_one_line_in_the_order_of_the_graph(linear: Linear) -> None:
    sandbox, line = linear
    ranges = (f"{line[0]}..{line[1]}", f"{line[2]}..{line[4]}")
    assert shas(sandbox, Sweep(ranges)) == [line[4], line[3], line[1]]


def test_a_shallow_clone_is_told_how_to_deepen(linear: Linear, tmp_path: Path) -> None:
    sandbox, line = linear
    sandbox.git("clone", "-q", "--depth=3", f"file://{sandbox.root}", str(tmp_path / "shallow"))
    shallow = Repository.find(tmp_path / "shallow")
    assert choose(shallow, Sweep(new=True), set(), NOW).cut == "git fetch --unshallow"
    dated = choose(shallow, Sweep(since="2020-01-01"), set(), NOW)
    assert dated.cut == "git fetch --shallow-since='2020-01-01'"
    assert choose(shallow, Sweep((f"{line[3]}..",)), set(), NOW).cut == ""


def test_a_graft_is_history(linear: Linear) -> None:
    sandbox, line = linear
    sandbox.git("replace", "--graft", line[3], line[1])
    assert shas(sandbox, Sweep(new=True)) == [line[4], line[3], line[1], line[0]]


def test_commits_of_one_second_and_of_clocks_that_ran_backwards_keep_the_graphs_order(linear: Linear) -> None:
    sandbox, line = linear
    later = [sandbox.commit("First"), sandbox.commit("Same second", at=sandbox.now)]
    later.append(sandbox.commit("Earlier", at=1_500_000_000))
    assert shas(sandbox, Sweep((f"{line[4]}..",))) == later[::-1]
