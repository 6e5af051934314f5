"""Worktrees and builds of a search: made once, kept as long as there is room, and gone afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.app.bisectworkshop import Workshop
from perftrack.app.project import Project
from perftrack.core.model import Commit
from perftrack.core.search.visits import Failure, FailureKind
from perftrack.errors import WorkerError
from perftrack.suite.launch import Setup
from tests import slowdown
from tests.slowdown import Slowdown


@pytest.fixture
def made(tmp_path: Path) -> Slowdown:
    return slowdown.make(tmp_path / "project", 5, 3, broken={2})


def workshop(made: Slowdown, built: list[str], **options: object) -> Workshop:
    given: dict[str, object] = {"ends": (made.good, made.bad), "keep": 4}
    return Workshop(
        Project.find(made.repo.root),
        lambda commit, command: built.append(commit.sha),
        **(given | options),  # type: ignore[arg-type]
    )


def commits(made: Slowdown) -> list[Commit]:
    return list(Project.find(made.repo.root).repository.commits(made.shas))


def test_a_commit_is_built_once_and_its_failure_remembered(made: Slowdown) -> None:
    built: list[str] = []
    all_of = commits(made)
    with workshop(made, built) as shop:
        first, again = shop.setup(all_of[1]), shop.setup(all_of[1])
        broken, still = shop.setup(all_of[2]), shop.setup(all_of[2])
        assert shop.seconds > 0
    assert isinstance(first, Setup)
    assert first is again
    assert isinstance(broken, Failure)
    assert broken.kind is FailureKind.BUILD
    assert broken is still
    assert built == made.shas[1:3]


def test_what_was_used_longest_ago_makes_room_and_the_ends_stay(made: Slowdown) -> None:
    built: list[str] = []
    all_of = commits(made)
    with workshop(made, built) as shop:
        for number in (0, 5, 1, 3, 1, 4, 0, 5, 1, 3):
            shop.setup(all_of[number])
            assert made.repo.git("worktree", "list").count("\n") <= 4
    numbers = [made.shas.index(sha) for sha in built]
    assert numbers == [0, 5, 1, 3, 4, 3]


def test_nothing_is_left_however_it_ends(made: Slowdown) -> None:
    with pytest.raises(KeyboardInterrupt), workshop(made, []) as shop:
        shop.setup(commits(made)[1])
        assert made.repo.git("worktree", "list").count("\n") == 1
        raise KeyboardInterrupt
    assert made.repo.git("worktree", "list").count("\n") == 0


def test_a_full_disk_is_no_fault_of_the_commit(made: Slowdown) -> None:
    command = "echo 'cc: No space left on device'; false"
    with workshop(made, [], command=command) as shop, pytest.raises(WorkerError, match="No space left"):
        shop.setup(commits(made)[1])
