"""Questions to git, each of which starts a process."""

from __future__ import annotations

from perftrack.vcs import Repository
from perftrack.vcs.command import asked_once
from tests.vcs.conftest import Sandbox


def test_inside_the_block_a_question_is_answered_once(empty: Sandbox) -> None:
    repository, first = Repository(empty.root), empty.commit("First")
    with asked_once():
        assert repository.resolve("HEAD") == first
        second = empty.commit("Second")
        assert repository.resolve("HEAD") == first
        assert repository.resolve("main") == second  # another question
    assert repository.resolve("HEAD") == second


def test_another_repository_s_answer_is_none_of_this_one(empty: Sandbox) -> None:
    inner = empty.root / "inner"
    inner.mkdir()
    other = Sandbox(inner)
    other.git("init", "-q", "-b", "main")
    outer_head, inner_head = empty.commit("Outer"), other.commit("Inner")
    with asked_once():
        assert Repository(empty.root).resolve("HEAD") == outer_head
        assert Repository(inner).resolve("HEAD") == inner_head
