"""Which commits have another in their history."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.vcs.descent import descending
from tests.scratch import Scratch


@pytest.fixture
def repo(tmp_path: Path) -> Scratch:
    made = Scratch(tmp_path)
    made.git("init", "-q", "-b", "main")
    return made


def test_a_commit_is_in_its_own_history_and_its_ancestors_are_not(repo: Scratch):
    first, second, third = (repo.commit(s) for s in "abc")
    assert descending(repo.root, second) == {second, third}
    assert first not in descending(repo.root, second)


def test_a_parallel_branch_is_left_out_and_the_merge_is_not(repo: Scratch):
    root = repo.commit("root")
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("side")
    repo.git("checkout", "-q", "main")
    own = repo.commit("own")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = repo.git("rev-parse", "HEAD")
    assert descending(repo.root, side) == {side, merge}
    assert descending(repo.root, root) == {root, side, own, merge}


def test_a_tip_that_no_branch_reaches_counts_where_it_is_named(repo: Scratch):
    kept = repo.commit("kept")
    gone = repo.commit("gone")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert descending(repo.root, kept) == {kept}
    assert descending(repo.root, kept, [gone, "f" * 40]) == {kept, gone}
    assert descending(repo.root, gone, [gone]) == {gone}


def test_a_commit_that_the_clone_lacks_has_no_descendants(repo: Scratch):
    repo.commit("only")
    assert descending(repo.root, "f" * 40) == frozenset()


def test_a_repository_without_a_commit(repo: Scratch):
    assert descending(repo.root, "f" * 40) == frozenset()
