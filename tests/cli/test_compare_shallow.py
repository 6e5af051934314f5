"""perftrack compare where the store knows more commits than the clone."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.scratch import Scratch, git_environment
from tests.stored import Stored, made, noisy, timed


@pytest.fixture
def shallow(tmp_path: Path) -> Stored:
    """A clone of two of twelve commits, with the store of all of them."""
    whole = made(tmp_path / "whole")
    whole.commits(12)
    values = noisy(12, cv=0.005)
    whole.record_runs([whole.run(s, timed("work", float(v))) for s, v in zip(whole.shas, values, strict=True)])
    own = tmp_path / "shallow"
    source = f"file://{whole.repo.root}"
    subprocess.run(["git", "clone", "-q", "--depth", "2", source, str(own)], check=True, env=git_environment())
    shutil.copy(whole.store.path, own)
    return Stored(Scratch(own), whole.shas[-2:])


def test_a_shallow_clone_is_told_that_it_knows_too_little_of_the_noise(shallow: Stored) -> None:
    before = shallow.call("compare", "HEAD~1", "HEAD")
    assert before.code == 4
    assert "the clone is shallow" in before.out
    assert "git fetch --unshallow" in before.out
    shallow.repo.git("fetch", "-q", "--unshallow")
    after = shallow.call("compare", "HEAD~1", "HEAD", "--all")
    assert "shallow" not in after.out


def test_an_accepted_change_between_says_what_the_candidate_was_compared_with(shallow: Stored) -> None:
    shallow.repo.git("fetch", "-q", "--unshallow")
    answer = shallow.call("accept", "work", "--at", "HEAD~3", "--reason", "keeps offsets")
    assert answer.code == 0, answer.err
    sha = shallow.repo.git("rev-parse", "HEAD~3")[:12]
    told = f"compared with {sha}, at which an earlier change is accepted: keeps offsets"
    assert told in shallow.call("compare", "HEAD~6", "HEAD", "--all").out
