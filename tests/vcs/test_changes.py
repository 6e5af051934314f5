"""Uncommitted changes, and the store that Git is to ignore."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.errors import GitError
from perftrack.vcs import Repository
from tests.vcs.conftest import Sandbox

Linear = tuple[Sandbox, list[str]]


def test_a_clean_tree_has_no_changes(linear: Linear) -> None:
    assert linear[0].repository.is_dirty() == ()


def test_changes_of_every_kind_are_listed(linear: Linear) -> None:
    sandbox, _ = linear
    for name in ("gone.txt", "moved.txt", "staged.txt"):
        (sandbox.root / name).write_text(name)
    sandbox.git("add", "-A")
    sandbox.git("commit", "-q", "-m", "More")
    (sandbox.root / "file.txt").write_text("changed")
    (sandbox.root / "gone.txt").unlink()
    sandbox.git("mv", "moved.txt", "there.txt")
    (sandbox.root / "staged.txt").write_text("staged")
    sandbox.git("add", "staged.txt")
    (sandbox.root / "new").mkdir()
    (sandbox.root / "new" / "a b ü.txt").touch()
    expected = {"file.txt", "gone.txt", "moved.txt", "there.txt", "staged.txt", "new/a b ü.txt"}
    assert set(sandbox.repository.is_dirty()) == expected


def test_ignored_files_are_no_changes(linear: Linear) -> None:
    sandbox, _ = linear
    (sandbox.root / ".git" / "info" / "exclude").write_text("*.log\n")
    (sandbox.root / "x.log").touch()
    assert sandbox.repository.is_dirty() == ()


def test_files_that_are_named_are_left_out(linear: Linear) -> None:
    sandbox, _ = linear
    store = sandbox.root / "results" / "perftrack.duckdb"
    store.parent.mkdir()
    for suffix in ("", ".lock", "2"):
        store.with_name(store.name + suffix).touch()
    left = sandbox.repository.is_dirty(ignoring=[store, store.with_name(store.name + ".lock")])
    assert left == ("results/perftrack.duckdb2",)


def test_a_folder_is_left_out_whole(linear: Linear) -> None:
    sandbox, _ = linear
    for name in ("site/index.html", "site/a/b.js", "sites.txt"):
        (sandbox.root / name).parent.mkdir(parents=True, exist_ok=True)
        (sandbox.root / name).touch()
    assert sandbox.repository.is_dirty(ignoring=[sandbox.root / "site"]) == ("sites.txt",)


def test_a_relative_path_to_ignore_is_relative_to_the_root(linear: Linear) -> None:
    (linear[0].root / "x.duckdb").touch()
    assert linear[0].repository.is_dirty(ignoring=[Path("x.duckdb")]) == ()


def test_a_path_outside_the_tree_is_nothing_to_ignore(linear: Linear, tmp_path: Path) -> None:
    (linear[0].root / "x").touch()
    assert linear[0].repository.is_dirty(ignoring=[tmp_path / "x"]) == ("x",)


@pytest.mark.parametrize(
    "setting",
    [
        ("status.showUntrackedFiles", "no"),
        ("status.relativePaths", "false"),
        ("status.short", "true"),
        ("status.branch", "true"),
        ("color.status", "always"),
        ("status.renames", "copies"),
    ],
    ids=lambda s: s[0],
)
def test_the_users_configuration_hides_no_change(linear: Linear, setting: tuple[str, str]) -> None:
    sandbox, _ = linear
    sandbox.git("config", *setting)
    (sandbox.root / "new.txt").touch()
    assert sandbox.repository.is_dirty() == ("new.txt",)


def test_looking_for_changes_does_not_touch_the_index(linear: Linear) -> None:
    sandbox, _ = linear
    index = sandbox.root / ".git" / "index"
    (sandbox.root / "file.txt").touch()  # a new time, the same content: status would refresh the index
    before = (index.stat().st_mtime_ns, index.read_bytes())
    assert sandbox.repository.is_dirty() == ()
    assert (index.stat().st_mtime_ns, index.read_bytes()) == before


def ignored(sandbox: Sandbox, name: str) -> bool:
    (sandbox.root / name).parent.mkdir(parents=True, exist_ok=True)
    (sandbox.root / name).touch()
    return name not in sandbox.repository.is_dirty()


def exclude(sandbox: Sandbox) -> str:
    return (sandbox.root / ".git" / "info" / "exclude").read_text()


@pytest.mark.parametrize(
    "name", ["perftrack.duckdb", "a/b.duckdb", "a b [x]*?.duckdb", "#x.duckdb", "ü.duckdb", "!a"]
)
def test_a_path_of_any_name_is_ignored(linear: Linear, name: str) -> None:
    sandbox, _ = linear
    assert not ignored(sandbox, name)
    sandbox.repository.ensure_ignored(sandbox.root / name)
    assert ignored(sandbox, name)


def test_ignoring_a_path_ignores_nothing_else(linear: Linear) -> None:
    sandbox, _ = linear
    sandbox.repository.ensure_ignored(sandbox.root / "a*.duckdb", sandbox.root / "site")
    for name in ("ab.duckdb", "sub/a*.duckdb", "a*.duckdb.lock", "site.toml", "sub/site"):
        assert not ignored(sandbox, name)


def test_a_folder_is_ignored_whole(linear: Linear) -> None:
    sandbox, _ = linear
    sandbox.repository.ensure_ignored(sandbox.root / "site")
    assert ignored(sandbox, "site/a/b.js")


@pytest.mark.parametrize("name", [".", "", ".."])
def test_the_root_is_never_ignored(linear: Linear, name: str) -> None:
    sandbox, _ = linear
    before = exclude(sandbox)
    sandbox.repository.ensure_ignored(sandbox.root / name)
    assert exclude(sandbox) == before


def test_ignoring_twice_writes_once(linear: Linear) -> None:
    sandbox, _ = linear
    for _ in range(2):
        sandbox.repository.ensure_ignored(sandbox.root / "a.duckdb", sandbox.root / "a.duckdb.lock")
    assert exclude(sandbox).splitlines()[-2:] == ["/a.duckdb", "/a.duckdb.lock"]
    assert exclude(sandbox).count("/a.duckdb\n") == 1


def test_a_store_that_the_project_ignores_itself_is_left_to_it(linear: Linear) -> None:
    sandbox, _ = linear
    (sandbox.root / ".gitignore").write_text("*.duckdb*\n")
    before = exclude(sandbox)
    sandbox.repository.ensure_ignored(sandbox.root / "perftrack.duckdb")
    assert exclude(sandbox) == before


def test_a_project_that_insists_on_tracking_the_store_is_not_written_to_again_and_again(linear: Linear) -> None:
    sandbox, _ = linear
    (sandbox.root / ".gitignore").write_text("!perftrack.duckdb\n")
    for _ in range(3):
        sandbox.repository.ensure_ignored(sandbox.root / "perftrack.duckdb")
    assert exclude(sandbox).count("/perftrack.duckdb\n") == 1


def test_what_excluded_before_still_does(linear: Linear) -> None:
    sandbox, _ = linear
    (sandbox.root / ".git" / "info" / "exclude").write_text("*.log")  # no newline at its end
    sandbox.repository.ensure_ignored(sandbox.root / "perftrack.duckdb")
    assert exclude(sandbox).splitlines() == ["*.log", "/perftrack.duckdb"]


def test_the_info_folder_is_made_where_it_is_missing(linear: Linear) -> None:
    sandbox, _ = linear
    (sandbox.root / ".git" / "info" / "exclude").unlink()
    (sandbox.root / ".git" / "info").rmdir()
    sandbox.repository.ensure_ignored(sandbox.root / "perftrack.duckdb")
    assert ignored(sandbox, "perftrack.duckdb")


def test_a_store_outside_the_tree_is_nobodys_business(linear: Linear, tmp_path: Path) -> None:
    sandbox, _ = linear
    before = exclude(sandbox)
    sandbox.repository.ensure_ignored(tmp_path / "perftrack.duckdb")
    assert exclude(sandbox) == before


def test_a_linked_worktree_shares_the_exclude_file(linear: Linear, tmp_path: Path) -> None:
    sandbox, _ = linear
    sandbox.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    linked = Repository.find(tmp_path / "linked")
    linked.ensure_ignored(linked.root / "perftrack.duckdb")
    (linked.root / "perftrack.duckdb").touch()
    assert linked.is_dirty() == ()


def test_an_exclude_file_that_cannot_be_written_is_named(linear: Linear) -> None:
    sandbox, _ = linear
    path = sandbox.root / ".git" / "info" / "exclude"
    path.unlink()
    path.mkdir()
    with pytest.raises(GitError, match="cannot write") as caught:
        sandbox.repository.ensure_ignored(sandbox.root / "perftrack.duckdb")
    assert "Add to .gitignore: /perftrack.duckdb" in str(caught.value.hint)
