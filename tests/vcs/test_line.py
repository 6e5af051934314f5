from __future__ import annotations

from perftrack.vcs.line import newest_tag, trees
from tests.vcs.conftest import Sandbox


def test_the_newest_tag_before_a_commit_is_named_in_full(linear: tuple[Sandbox, list[str]]) -> None:
    sandbox, line = linear
    sandbox.git("tag", "v1", line[0])
    sandbox.git("tag", "-m", "two", "v2", line[1])
    assert newest_tag(sandbox.root, line[-1]) == "refs/tags/v2"


def test_a_commits_own_tag_is_not_before_it(linear: tuple[Sandbox, list[str]]) -> None:
    sandbox, line = linear
    sandbox.git("tag", "v1", line[0])
    sandbox.git("tag", "v2", line[-1])
    assert newest_tag(sandbox.root, line[-1]) == "refs/tags/v1"
    assert newest_tag(sandbox.root, line[0]) is None


def test_trees_are_equal_where_no_file_changed(linear: tuple[Sandbox, list[str]]) -> None:
    sandbox, line = linear
    sandbox.git("commit", "-q", "--allow-empty", "-m", "Nothing")
    empty = sandbox.git("rev-parse", "HEAD")
    found = trees(sandbox.root, [line[-2], line[-1], empty, "f" * 40])
    assert found[empty] == found[line[-1]] != found[line[-2]]
    assert "f" * 40 not in found


def test_no_commits_have_no_trees(linear: tuple[Sandbox, list[str]]) -> None:
    assert trees(linear[0].root, []) == {}
