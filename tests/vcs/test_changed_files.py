"""What a commit says and what it changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.errors import GitError
from perftrack.vcs.changes import ChangedFile, changed_files, changed_paths, message_of, private_folder
from tests.vcs.conftest import Sandbox


def test_changed_files_come_with_their_lines_most_first(empty: Sandbox) -> None:
    before = empty.commit("one")
    (empty.root / "long.txt").write_text("a\n" * 9)
    (empty.root / "data.bin").write_bytes(bytes(range(256)))
    (empty.root / "tab\tand é.txt").write_text("x\n")
    empty.git("add", "-A")
    after = empty.commit("two")
    found = changed_files(empty.root, before, after)
    assert found[0] == ChangedFile("long.txt", 9, 0)
    assert {f.path for f in found} == {"long.txt", "data.bin", "tab\tand é.txt", "file.txt"}
    assert ChangedFile("data.bin", None, None) in found


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_a_first_commit_changed_all_that_it_has(tmp_path: Path, form: str) -> None:
    sandbox = Sandbox(tmp_path)
    sandbox.git("init", "-q", f"--object-format={form}")
    sha = sandbox.commit("one")
    assert [f.path for f in changed_files(tmp_path, None, sha)] == ["file.txt"]


def test_equal_commits_changed_nothing(empty: Sandbox) -> None:
    sha = empty.commit("one")
    assert changed_files(empty.root, sha, sha) == ()


def test_an_external_diff_of_the_users_does_not_run(empty: Sandbox) -> None:
    before, after = empty.commit("one"), empty.commit("two")
    empty.git("config", "diff.external", "false")
    assert [f.path for f in changed_files(empty.root, before, after)] == ["file.txt"]


def test_paths_of_many_pairs_come_in_their_order(empty: Sandbox) -> None:
    first = empty.commit("one")
    (empty.root / "folder").mkdir()
    (empty.root / "folder" / "tab\tand\n:é.txt").write_text("x\n")
    (empty.root / "data.bin").write_bytes(bytes(range(256)))
    empty.git("add", "-A")
    second = empty.commit("two")
    third = empty.commit("three")
    new = {"data.bin", "folder/tab\tand\n:é.txt", "file.txt"}
    found = changed_paths(empty.root, [(first, third), (second, second), (second, third), (first, third)])
    assert [set(paths) for paths in found] == [new, set(), {"file.txt"}, new]
    assert changed_paths(empty.root, []) == []


def test_commits_that_differ_in_nothing_that_is_a_file_are_told_from_others(empty: Sandbox) -> None:
    first, second = empty.commit("one"), empty.commit("two")
    nothing = empty.git("hash-object", "-t", "tree", "-w", "/dev/null")
    blob = empty.git("rev-parse", "HEAD:file.txt")
    listed = f"100644 blob {blob}\tfile.txt\n040000 tree {nothing}\tnone\n"
    tree = empty.git("mktree", given=listed.encode())
    bare = empty.git("commit-tree", "-m", "three", tree)
    found = changed_paths(empty.root, [(second, bare), (first, second), (bare, second)])
    assert found == [(), ("file.txt",), ()]


def test_a_message_is_whole(empty: Sandbox) -> None:
    sha = empty.commit("Subject\n\nWhy it is so.\nSecond line.")
    assert message_of(empty.root, sha) == "Subject\n\nWhy it is so.\nSecond line."


def test_an_unknown_commit_is_an_error(empty: Sandbox) -> None:
    sha = empty.commit("one")
    with pytest.raises(GitError):
        changed_files(empty.root, "0" * 40, sha)
    with pytest.raises(GitError):
        changed_paths(empty.root, [(sha, "0" * 40)])
    with pytest.raises(GitError):
        message_of(empty.root, "0" * 40)


def test_worktrees_share_the_private_folder(empty: Sandbox) -> None:
    empty.commit("one")
    assert private_folder(empty.root) == (empty.root / ".git" / "perftrack").resolve()
    with empty.repository.worktree("HEAD") as tree:
        assert private_folder(tree) == private_folder(empty.root)
