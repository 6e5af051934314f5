"""Revisions: what they name, and those that name nothing or too much."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perftrack.errors import GitError
from perftrack.vcs import Repository
from tests.vcs.conftest import Sandbox

Linear = tuple[Sandbox, list[str]]


@pytest.mark.parametrize(("revision", "index"), [("HEAD", 4), ("main", 4), ("HEAD~2", 2), ("main^", 3), ("@", 4)])
def test_expressions_name_commits(linear: Linear, revision: str, index: int) -> None:
    assert linear[0].repository.resolve(revision) == linear[1][index]


def test_an_abbreviated_sha_names_its_commit(linear: Linear) -> None:
    assert linear[0].repository.resolve(linear[1][2][:10]) == linear[1][2]


def test_an_annotated_tag_is_peeled_to_its_commit(linear: Linear) -> None:
    sandbox, shas = linear
    sandbox.git("tag", "-a", "v1", "-m", "First", shas[1])
    assert sandbox.repository.resolve("v1") == shas[1]
    assert sandbox.repository.commit(sandbox.git("rev-parse", "v1")).sha == shas[1]


def test_a_detached_head_is_the_commit_it_is_at(linear: Linear) -> None:
    sandbox, shas = linear
    sandbox.git("checkout", "-q", shas[2])
    assert sandbox.repository.resolve("HEAD") == shas[2]


@pytest.mark.parametrize("revision", ["-x", "--upload-pack=touch owned", "--all", "-", "--end-of-options"])
def test_options_are_refused_as_revisions(linear: Linear, revision: str) -> None:
    with pytest.raises(GitError, match="is not a revision"):
        linear[0].repository.resolve(revision)


@pytest.mark.parametrize(
    "revision", ["nope", "", "HEAD..main", "^HEAD", "main@{upstream}", "a" * 40, "HEAD^{tree}"]
)
def test_what_names_no_single_commit_is_named_in_the_error(linear: Linear, revision: str) -> None:
    with pytest.raises(GitError, match="there is no commit") as caught:
        linear[0].repository.resolve(revision)
    assert repr(revision) in caught.value.message


def test_a_tag_of_a_file_is_no_commit(linear: Linear) -> None:
    linear[0].git("tag", "blob", linear[0].git("rev-parse", "HEAD:file.txt"))
    with pytest.raises(GitError, match="there is no commit 'blob'"):
        linear[0].repository.resolve("blob")


def test_a_branch_and_a_tag_of_one_name_are_ambiguous(linear: Linear) -> None:
    sandbox, shas = linear
    sandbox.git("tag", "both", shas[0])
    sandbox.git("branch", "both", shas[1])
    sandbox.git("config", "core.warnAmbiguousRefs", "false")
    with pytest.raises(GitError, match="'both' is ambiguous"):
        sandbox.repository.resolve("both")
    assert sandbox.repository.resolve("refs/heads/both") == shas[1]


def test_an_abbreviation_that_fits_two_commits_is_ambiguous(empty: Sandbox) -> None:
    lines = []
    for i in range(3000):
        lines.append(f"commit refs/heads/b{i}\ncommitter A <a@b> {i} +0000\ndata 1\nx\n\n")
    empty.git("fast-import", "--quiet", given="".join(lines).encode())
    shas = sorted(empty.git("rev-list", "--all").split())
    twice = next(a[:5] for a, b in itertools.pairwise(shas) if a[:5] == b[:5])
    with pytest.raises(GitError, match=f"'{twice}' is ambiguous"):
        empty.repository.resolve(twice)


def test_a_repository_without_commits_says_so(empty: Sandbox) -> None:
    with pytest.raises(GitError, match="has no commit yet"):
        empty.repository.resolve("HEAD")


def test_a_shallow_clone_is_told_how_to_deepen(linear: Linear, tmp_path: Path) -> None:
    sandbox, shas = linear
    sandbox.git("clone", "-q", "--depth=2", f"file://{sandbox.root}", str(tmp_path / "shallow"))
    shallow = Repository.find(tmp_path / "shallow")
    assert shallow.is_shallow()
    assert not sandbox.repository.is_shallow()
    with pytest.raises(GitError) as caught:
        shallow.resolve(shas[0])
    assert "git fetch --unshallow" in str(caught.value.hint)


@given(revision=st.text(max_size=20))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_a_commit_or_a_git_error(linear: Linear, revision: str) -> None:
    try:
        assert linear[0].repository.resolve(revision) in linear[1]
    except GitError as error:
        assert repr(revision) in error.message
