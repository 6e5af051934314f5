"""The commits that a search is about, from real histories."""

from __future__ import annotations

import pytest

from perftrack.app.bisectrange import range_of, skipped
from perftrack.errors import GitError, UsageError
from tests.vcs.conftest import Sandbox

Linear = tuple[Sandbox, list[str]]


def test_a_line_is_blamed_from_the_first_commit_after_good(linear: Linear) -> None:
    sandbox, line = linear
    found = range_of(sandbox.repository, line[1], "HEAD")
    assert list(found.graph.shas) == line[2:]
    assert set(found.commits) == set(line[1:])
    assert found.merges == 0


def test_a_branch_that_is_merged_can_be_to_blame_and_first_parent_leaves_it_out(linear: Linear) -> None:
    sandbox, line = linear
    sandbox.git("checkout", "-q", "-b", "side", line[2])
    side = sandbox.commit("aside")
    sandbox.git("checkout", "-q", "-")
    merge = sandbox.merge("side")
    whole = range_of(sandbox.repository, line[1], "HEAD")
    assert {side, merge} <= set(whole.graph.shas)
    assert whole.merges == 1
    assert side not in range_of(sandbox.repository, line[1], "HEAD", first_parent=True).graph.shas


def test_where_histories_part_the_base_stands_for_the_side_of_good(linear: Linear) -> None:
    sandbox, line = linear
    sandbox.git("checkout", "-q", "-b", "side", line[2])
    side = sandbox.commit("aside")
    found = range_of(sandbox.repository, "side", line[4])
    assert (found.graph.good, found.graph.base) == (side, line[2])
    assert list(found.graph.shas) == line[2:]


def test_ends_that_leave_nothing_are_usage(linear: Linear) -> None:
    sandbox, line = linear
    with pytest.raises(UsageError, match="same commit"):
        range_of(sandbox.repository, "HEAD", line[4])
    with pytest.raises(UsageError, match="in the history of") as caught:
        range_of(sandbox.repository, "HEAD", line[1])
    assert "GOOD comes first" in str(caught.value.hint)


def test_unrelated_histories_are_an_error(linear: Linear) -> None:
    sandbox, _ = linear
    sandbox.git("checkout", "-q", "--orphan", "other")
    sandbox.commit("elsewhere")
    with pytest.raises(GitError, match="nothing in common"):
        range_of(sandbox.repository, "main", "other")


def test_a_shallow_clone_is_told_how_to_get_the_rest(
    linear: Linear, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sandbox, line = linear
    copy = tmp_path_factory.mktemp("shallow") / "clone"
    sandbox.git("clone", "-q", "--depth", "2", f"file://{sandbox.root}", str(copy))
    with pytest.raises(GitError) as caught:
        range_of(Sandbox(copy).repository, line[1], "HEAD")
    assert "--unshallow" in str(caught.value.hint)


def test_a_shallow_clone_that_lacks_a_part_of_the_range_is_refused(
    linear: Linear, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sandbox, line = linear
    sandbox.git("checkout", "-q", "-b", "side", line[1])
    side = [sandbox.commit(f"aside {n}") for n in range(3)]
    sandbox.git("checkout", "-q", "main")
    sandbox.merge("side")
    copy = tmp_path_factory.mktemp("shallow") / "clone"
    sandbox.git("clone", "-q", "--depth", "3", f"file://{sandbox.root}", str(copy))
    shallow = Sandbox(copy).repository
    with pytest.raises(GitError, match=f"before {side[1][:12]}, which may be to blame") as caught:
        range_of(shallow, line[3], "HEAD")
    assert "--unshallow" in str(caught.value.hint)
    assert len(range_of(shallow, line[3], "HEAD", first_parent=True).graph) == 2
    assert len(range_of(sandbox.repository, line[3], "HEAD").graph) == 5


def test_skip_takes_commits_and_ranges(linear: Linear) -> None:
    sandbox, line = linear
    graph = range_of(sandbox.repository, line[0], "HEAD").graph
    assert skipped(sandbox.repository, graph, (line[3],)) == (line[3],)
    assert set(skipped(sandbox.repository, graph, (f"{line[0]}..{line[3]}",))) == set(line[1:4])


def test_skip_refuses_ends_and_strangers(linear: Linear) -> None:
    sandbox, line = linear
    graph = range_of(sandbox.repository, line[1], "HEAD").graph
    for end in (line[1], "HEAD"):
        with pytest.raises(UsageError, match="an end of the range"):
            skipped(sandbox.repository, graph, (end,))
    with pytest.raises(UsageError, match="not among"):
        skipped(sandbox.repository, graph, (line[0],))
