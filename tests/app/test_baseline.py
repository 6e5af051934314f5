"""The baseline that a candidate has without one being named."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.app.baseline import Baseline, baseline_of
from perftrack.app.project import Project
from perftrack.config import Config
from perftrack.core.ancestry import Start
from perftrack.core.history import lane_of
from perftrack.errors import GitError
from perftrack.store import Store
from perftrack.vcs import Repository
from tests.app.builders import environment, measurement
from tests.store import builders
from tests.vcs.conftest import Sandbox, apart, empty, linear

__all__ = ("apart", "empty", "linear")  # fixtures of the repositories

Linear = tuple[Sandbox, list[str]]
LANE = lane_of(measurement(fingerprint=environment("one")))
OTHER = lane_of(measurement(fingerprint=environment("two")))


def project(sandbox: Sandbox, *measured: str, cpu: str = "one", dirty: bool = False) -> Project:
    store = Store(sandbox.root.parent / "store.duckdb")
    for sha in measured:
        run = builders.run(measurement(fingerprint=environment(cpu)), sha=sha, dirty=dirty)
        store.add_run(run, [sandbox.repository.commit(sha)])
    return Project(sandbox.root, sandbox.repository, Config(), store)


def sha_of(baseline: Baseline) -> str | None:
    return baseline.commit.sha if baseline.commit else None


def test_on_the_main_line_it_is_the_first_parent(linear: Linear) -> None:
    sandbox, line = linear
    found = baseline_of(project(sandbox, *line), "HEAD", [LANE])
    assert (sha_of(found), found.skipped, found.found) == (line[3], 0, "first parent")


def test_unmeasured_ancestors_are_skipped_and_counted(linear: Linear) -> None:
    sandbox, line = linear
    found = baseline_of(project(sandbox, line[1], line[4]), "HEAD", [LANE])
    assert (sha_of(found), found.skipped) == (line[1], 2)
    assert "2 unmeasured skipped" in found.found


def test_a_commit_measured_in_another_lane_alone_is_unmeasured(linear: Linear) -> None:
    sandbox, line = linear
    project(sandbox, line[3], cpu="two")
    found = project(sandbox, line[1])
    assert sha_of(baseline_of(found, "HEAD", [LANE])) == line[1]
    assert sha_of(baseline_of(found, "HEAD", [LANE, OTHER])) == line[3]
    assert sha_of(baseline_of(found, "HEAD")) == line[3]


def test_a_run_with_uncommitted_changes_is_no_baseline(linear: Linear) -> None:
    sandbox, line = linear
    project(sandbox, line[3], dirty=True)
    assert sha_of(baseline_of(project(sandbox, line[2]), "HEAD", [LANE])) == line[2]


def test_a_branch_is_compared_from_the_merge_base_and_never_with_itself(linear: Linear) -> None:
    sandbox, line = linear
    sandbox.git("checkout", "-q", "-b", "topic", line[2])
    own = [sandbox.commit("One"), sandbox.commit("Two")]
    found = baseline_of(project(sandbox, *line, *own), own[1], [LANE])
    assert (sha_of(found), found.found) == (line[2], "merge base with main")


def test_a_branch_that_merged_the_main_branch_starts_from_what_it_merged(linear: Linear) -> None:
    sandbox, line = linear
    sandbox.git("checkout", "-q", "-b", "topic", line[1])
    own = [sandbox.commit("One"), sandbox.merge("main"), sandbox.commit("Two")]
    assert sha_of(baseline_of(project(sandbox, *line, *own), own[2], [LANE])) == line[4]


def test_a_merged_branch_is_compared_with_where_it_left_the_main_line(linear: Linear) -> None:
    sandbox, line = linear
    sandbox.git("checkout", "-q", "-b", "topic", line[2])
    own = [sandbox.commit("One"), sandbox.commit("Two")]
    sandbox.git("checkout", "-q", "main")
    merge = sandbox.merge("topic")
    known = project(sandbox, *line, *own, merge)
    assert sha_of(baseline_of(known, own[1], [LANE])) == line[2]
    assert sha_of(baseline_of(known, merge, [LANE])) == line[4]


def test_what_is_not_pushed_is_compared_with_what_is(linear: Linear) -> None:
    sandbox, line = linear
    sandbox.git("update-ref", "refs/remotes/origin/main", line[2])
    found = baseline_of(project(sandbox, *line), "HEAD", [LANE])
    assert (sha_of(found), found.found) == (line[2], "merge base with origin/main")


def test_an_orphan_branch_has_its_own_line(linear: Linear) -> None:
    sandbox, line = linear
    sandbox.git("checkout", "-q", "--orphan", "apart")
    own = [sandbox.commit("Root"), sandbox.commit("Next")]
    found = baseline_of(project(sandbox, *line, *own), own[1], [LANE])
    assert (sha_of(found), found.lineage.start) == (own[0], Start.PARENT)


def test_the_first_commit_has_none_and_says_what_to_do(linear: Linear) -> None:
    sandbox, line = linear
    found = baseline_of(project(sandbox, *line), line[0], [LANE])
    assert (found.commit, found.skipped) == (None, 0)
    assert "no ancestor" in found.hint


def test_nothing_measured_names_the_commit_to_record(linear: Linear) -> None:
    sandbox, line = linear
    found = baseline_of(project(sandbox, line[4]), line[4], [LANE])
    assert (found.commit, found.skipped) == (None, 4)
    assert f"perftrack record {line[3][:12]}" in found.hint


def test_a_shallow_clone_that_ends_too_early_is_told_how_to_deepen(linear: Linear, tmp_path: Path) -> None:
    sandbox, line = linear
    measured = project(sandbox, line[0])
    sandbox.git("clone", "-q", "--depth=2", f"file://{sandbox.root}", str(tmp_path / "shallow"))
    repository = Repository.find(tmp_path / "shallow")
    found = baseline_of(Project(repository.root, repository, Config(), measured.store), "HEAD", [LANE])
    assert found.commit is None
    assert "git fetch --unshallow" in found.hint


def test_an_unknown_candidate_is_an_error(linear: Linear) -> None:
    with pytest.raises(GitError):
        baseline_of(project(linear[0], linear[1][0]), "no-such-branch", [LANE])
