"""Worktrees and builds of a search: made once, kept as long as there is room, and gone afterwards."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from perftrack.app.bisectworkshop import OutOfTime, Workshop
from perftrack.app.project import Project
from perftrack.core.model import Commit
from perftrack.core.search.visits import Failure, FailureKind
from perftrack.errors import GitError, WorkerError
from perftrack.suite.launch import Setup
from perftrack.vcs import Repository
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


def test_a_build_is_ended_at_the_deadline_and_the_commit_not_blamed(made: Slowdown) -> None:
    commit = commits(made)[1]
    with workshop(made, [], command="sleep 60") as shop:
        shop.deadline = started = time.monotonic() + 0.2
        with pytest.raises(OutOfTime):
            shop.setup(commit)
        assert time.monotonic() - started < 20
        assert shop.seconds >= 0.2
    assert made.repo.git("worktree", "list").count("\n") == 0


def test_a_commit_with_a_file_that_no_filter_brings_is_a_broken_one(made: Slowdown) -> None:
    """As a file of Git LFS that the server has lost."""
    repo = made.repo
    repo.git("config", "filter.lost.clean", "cat")
    repo.git("config", "filter.lost.smudge", "false")
    repo.git("config", "filter.lost.required", "true")
    sha = repo.commit("Lose it", _dot_gitattributes="*.bin filter=lost\n", data_dot_bin="1")
    with workshop(made, []) as shop:
        result = shop.setup(Project.find(repo.root).repository.commit(sha))
    assert isinstance(result, Failure)
    assert "cannot be checked out" in result.detail
    assert repo.git("worktree", "list").count("\n") == 0


def test_a_git_folder_that_cannot_be_written_to_is_no_commit_s_fault(
    made: Slowdown, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = GitError("git worktree add: could not create directory of '.git/worktrees/x': Permission denied")

    def worktree(self: Repository, revision: str) -> Path:
        raise refused

    monkeypatch.setattr(Repository, "worktree", worktree)
    with workshop(made, []) as shop, pytest.raises(GitError, match="Permission denied"):
        shop.setup(commits(made)[1])
