"""Commits, their order, and what a user's configuration must not change about them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from perftrack.core.model import Commit
from perftrack.errors import GitError
from perftrack.vcs import Repository
from tests.vcs.conftest import Sandbox

Linear = tuple[Sandbox, list[str]]


@pytest.fixture
def forked(empty: Sandbox) -> tuple[Sandbox, dict[str, str]]:
    """base - left - merge (of side) - top, with two commits on the side branch."""
    shas = {"base": empty.commit("Base")}
    empty.git("checkout", "-q", "-b", "side")
    shas |= {"side1": empty.commit("Side 1"), "side2": empty.commit("Side 2")}
    empty.git("checkout", "-q", "main")
    shas |= {"left": empty.commit("Left")}
    shas |= {"merge": empty.merge("side"), "top": empty.commit("Top")}
    return empty, shas


def test_a_commit_has_what_history_shows(linear: Linear) -> None:
    sandbox, shas = linear
    at = 1_700_000_000 + 3 * 60
    assert sandbox.repository.commit("HEAD~2") == Commit(shas[2], (shas[1],), "Ann Author", at, at, "Change 2")


def test_a_root_commit_has_no_parents(linear: Linear) -> None:
    assert linear[0].repository.commit(linear[1][0]).parents == ()


def test_author_and_commit_time_are_told_apart(empty: Sandbox) -> None:
    empty.now = 1_600_000_000
    (empty.root / "x").touch()
    empty.git("add", "x")
    empty.git("commit", "-q", "-m", "x", GIT_AUTHOR_DATE="1500000000 +0200")
    commit = empty.repository.commit("HEAD")
    assert (commit.author_time, commit.commit_time) == (1_500_000_000, 1_600_000_000)


def test_commits_come_in_the_order_asked_for_repeats_included(linear: Linear) -> None:
    sandbox, shas = linear
    asked = [shas[3], "HEAD", shas[0], shas[3], "main~4"]
    assert [c.sha for c in sandbox.repository.commits(asked)] == [shas[3], shas[4], shas[0], shas[3], shas[0]]


def test_no_revisions_are_no_commits(linear: Linear) -> None:
    assert linear[0].repository.commits(()) == ()


def test_one_unknown_sha_among_many_is_named(linear: Linear) -> None:
    with pytest.raises(GitError, match="b" * 40):
        linear[0].repository.commits([linear[1][0], "b" * 40])


def test_history_is_newest_first(linear: Linear) -> None:
    assert linear[0].repository.history() == tuple(reversed(linear[1]))


def test_history_stops_at_the_limit(linear: Linear) -> None:
    assert linear[0].repository.history(limit=2) == tuple(reversed(linear[1][3:]))
    assert [c.sha for c in linear[0].repository.log(limit=2)] == [linear[1][4], linear[1][3]]
    assert linear[0].repository.log(limit=0) == ()


def test_history_starts_at_its_head(linear: Linear) -> None:
    assert linear[0].repository.history("HEAD~3") == (linear[1][1], linear[1][0])


def test_the_first_parents_leave_out_what_was_merged(forked: tuple[Sandbox, dict[str, str]]) -> None:
    sandbox, shas = forked
    expected = tuple(shas[n] for n in ("top", "merge", "left", "base"))
    assert sandbox.repository.history() == expected
    assert tuple(c.sha for c in sandbox.repository.log()) == expected


def test_all_parents_follow_what_was_merged(forked: tuple[Sandbox, dict[str, str]]) -> None:
    sandbox, shas = forked
    history = sandbox.repository.history(first_parent=False)
    assert set(history) == set(shas.values())
    assert history.index(shas["merge"]) < history.index(shas["side2"]) < history.index(shas["side1"])
    assert tuple(c.sha for c in sandbox.repository.log(first_parent=False)) == history


def test_a_merge_names_its_parents_in_order(forked: tuple[Sandbox, dict[str, str]]) -> None:
    sandbox, shas = forked
    assert sandbox.repository.commit("HEAD^").parents == (shas["left"], shas["side2"])


def test_an_octopus_names_all_its_parents(empty: Sandbox) -> None:
    base = empty.commit("Base")
    tips = []
    for name in ("a", "b", "c"):
        empty.git("checkout", "-q", "-b", name, base)
        (empty.root / name).touch()
        empty.git("add", name)
        tips.append(empty.commit("Base"))
    empty.git("checkout", "-q", "main")
    octopus = empty.merge("a", "b", "c")
    assert set(empty.repository.commit(octopus).parents) >= set(tips)
    assert empty.repository.order([octopus, *tips, base])[0] == base
    assert empty.repository.order([octopus, *tips, base])[-1] == octopus


@pytest.mark.parametrize("step", [0, -60])
def test_equal_and_backward_clocks_leave_parents_behind_their_children(empty: Sandbox, step: int) -> None:
    shas = [empty.commit(f"c{i}", at=1_700_000_000 + i * step) for i in range(8)]
    assert empty.repository.history(first_parent=False) == tuple(reversed(shas))
    assert empty.repository.order(sorted(shas)) == tuple(shas)


def test_a_clock_that_was_wrong_on_one_branch_puts_no_parent_before_its_child(empty: Sandbox) -> None:
    base = empty.commit("Base", at=1_700_001_000)
    empty.git("checkout", "-q", "-b", "side")
    side = empty.commit("Side", at=1_700_000_500)
    empty.git("checkout", "-q", "main")
    left = empty.commit("Left", at=1_700_000_100)
    empty.now = 1_700_002_000
    merge = empty.merge("side")
    for found in (
        empty.repository.history(first_parent=False),
        tuple(c.sha for c in empty.repository.log(first_parent=False)),
        tuple(reversed(empty.repository.order([left, base, merge, side]))),
    ):
        assert (found[0], found[-1], set(found)) == (merge, base, {merge, left, side, base})


def test_order_puts_parents_first_over_merges(forked: tuple[Sandbox, dict[str, str]]) -> None:
    sandbox, shas = forked
    order = sandbox.repository.order(sorted(shas.values()))
    assert len(order) == len(shas)
    assert order[0] == shas["base"]
    assert order[-2:] == (shas["merge"], shas["top"])
    assert order.index(shas["side1"]) < order.index(shas["side2"])


def test_order_knows_commits_of_other_branches(linear: Linear) -> None:
    sandbox, shas = linear
    sandbox.git("checkout", "-q", "-b", "other", shas[1])
    other = sandbox.commit("Other")
    sandbox.git("checkout", "-q", "main")
    order = sandbox.repository.order([other, shas[0]])
    assert order == (shas[0], other)


def test_what_is_not_in_history_comes_last_in_the_order_given(linear: Linear) -> None:
    sandbox, shas = linear
    sandbox.git("reset", "-q", "--hard", "HEAD~1")
    gone = ["f" * 40, shas[4], "0" * 40]
    assert sandbox.repository.order([*gone, shas[3], shas[0], shas[3]]) == (shas[0], shas[3], *gone)


def test_a_detached_head_is_in_history(linear: Linear) -> None:
    sandbox, shas = linear
    sandbox.git("checkout", "-q", "--detach")
    loose = sandbox.commit("Loose")
    assert sandbox.repository.order([loose, shas[0]]) == (shas[0], loose)


def test_only_what_head_has_in_its_history_is_reached(linear: Linear) -> None:
    sandbox, shas = linear
    sandbox.git("checkout", "-q", "-b", "other", shas[1])
    other = sandbox.commit("Other")
    assert sandbox.repository.reached([other, *shas, "a" * 40]) == {other, shas[0], shas[1]}


def test_nothing_is_reached_without_any_commit(empty: Sandbox) -> None:
    assert empty.repository.reached(["a" * 40]) == frozenset()


def test_order_works_without_any_commit(empty: Sandbox) -> None:
    assert empty.repository.order(["a" * 40]) == ("a" * 40,)


def test_ancestry(forked: tuple[Sandbox, dict[str, str]]) -> None:
    sandbox, shas = forked
    repository = sandbox.repository
    assert repository.is_ancestor(shas["side1"], "HEAD")
    assert repository.is_ancestor("HEAD", "HEAD")
    assert not repository.is_ancestor(shas["left"], "side")
    assert repository.merge_base("side", "HEAD~2") == shas["base"]


def test_unrelated_histories_have_no_merge_base(linear: Linear) -> None:
    sandbox, _ = linear
    sandbox.git("checkout", "-q", "--orphan", "island")
    sandbox.commit("Island")
    assert sandbox.repository.merge_base("island", "main") is None


def test_text_of_any_language_and_shape_comes_through(empty: Sandbox) -> None:
    subject = 'größer → "schneller"\t<b>&amp;</b> 🚀 %H %x00 $(rm -rf)'
    empty.commit(subject, GIT_AUTHOR_NAME="Žofie Ñúñez")
    commit = empty.repository.commit("HEAD")
    assert (commit.subject, commit.author) == (subject, "Žofie Ñúñez")


def test_an_empty_subject_is_empty(empty: Sandbox) -> None:
    empty.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    assert [c.subject for c in empty.repository.log()] == [""]


def test_bytes_that_are_no_utf8_are_replaced(empty: Sandbox) -> None:
    raw = (
        b"commit refs/heads/main\nauthor J\xfcrgen <j@x> 1 +0000\ncommitter C <c@x> 2 +0000\ndata 5\nab\xff\xfec\n"
    )
    empty.git("fast-import", "--quiet", given=raw)
    (commit,) = empty.repository.log()
    assert (commit.author, commit.subject) == ("J�rgen", "ab��c")
    commit.subject.encode()


def test_a_declared_encoding_is_decoded(empty: Sandbox) -> None:
    message = empty.root / "message"
    message.write_bytes("größer".encode("latin-1"))
    empty.git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "--allow-empty", "-F", str(message))
    assert empty.repository.commit("HEAD").subject == "größer"


@pytest.mark.parametrize(
    "setting",
    [
        ("color.ui", "always"),
        ("log.showSignature", "true"),
        ("format.pretty", "fuller"),
        ("log.decorate", "full"),
        ("log.date", "relative"),
        ("core.quotePath", "true"),
        ("i18n.logOutputEncoding", "ISO-8859-1"),
        ("alias.log", "!touch owned"),
        ("core.pager", "tac"),
        ("log.follow", "true"),
        ("diff.noprefix", "true"),
        ("log.abbrevCommit", "true"),
        ("gpg.program", "false"),
    ],
    ids=lambda s: s[0],
)
def test_the_users_configuration_does_not_change_what_is_read(
    forked: tuple[Sandbox, dict[str, str]], setting: tuple[str, str]
) -> None:
    sandbox, _ = forked
    sandbox.commit("Ändern")
    before = sandbox.repository.log(first_parent=False)
    sandbox.git("config", "--global", *setting)
    assert sandbox.repository.log(first_parent=False) == before
    assert sandbox.repository.commits(c.sha for c in before) == before
    assert not (sandbox.root / "owned").exists()


def test_signatures_are_not_checked_nor_shown(linear: Linear, tmp_path: Path) -> None:
    sandbox, _ = linear
    raw = sandbox.git("cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n  x\n\n", 1
    )
    sha = sandbox.git("hash-object", "-t", "commit", "-w", "--stdin", given=raw.encode())
    checker = tmp_path / "gpg"
    checker.write_text(f"#!/bin/sh\ntouch '{tmp_path}/checked'\necho 'gpg: a line more' >&2\n")
    checker.chmod(0o755)
    sandbox.git("config", "gpg.program", str(checker))
    sandbox.git("config", "log.showSignature", "true")
    assert [c.sha for c in sandbox.repository.log(sha, limit=1)] == [sha]
    assert not (tmp_path / "checked").exists()


def test_notes_do_not_get_into_subjects(linear: Linear) -> None:
    sandbox, _ = linear
    sandbox.git("notes", "add", "-m", "a note", "HEAD")
    sandbox.git("config", "notes.displayRef", "refs/notes/*")
    assert sandbox.repository.log()[0].subject == "Change 4"


def test_a_remote_is_named_without_credentials(linear: Linear) -> None:
    sandbox, _ = linear
    assert sandbox.repository.remote_url() is None
    sandbox.git("remote", "add", "zzz", "https://example.org/z.git")
    assert sandbox.repository.remote_url() == "https://example.org/z.git"
    sandbox.git("remote", "add", "origin", "https://me:s3cr@et@example.org:8443/a@b/c.git?token=1#x")
    assert sandbox.repository.remote_url() == "https://example.org:8443/a@b/c.git"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("git@github.com:o/r.git", "git@github.com:o/r.git"),
        ("ssh://git@example.org/o/r", "ssh://example.org/o/r"),
        ("https://ghp_token@github.com/o/r", "https://github.com/o/r"),
        ("/srv/git/r.git", "/srv/git/r.git"),
    ],
)
def test_urls_of_other_forms(linear: Linear, url: str, shown: str) -> None:
    linear[0].git("remote", "add", "origin", url)
    assert linear[0].repository.remote_url() == shown


def processor_s(work: Callable[[], object]) -> float:
    """Processor time of this process and its children: a shared machine makes wall time say nothing."""
    before, _, after = sum(os.times()[:4]), work(), sum(os.times()[:4])
    return after - before


@pytest.mark.slow
def test_a_hundred_thousand_commits_take_no_quadratic_time(empty: Sandbox) -> None:
    stream = "".join(
        f"commit refs/heads/main\ncommitter A <a@b> {1_600_000_000 + i} +0000\ndata 12\nChange {i:05d}\n"
        for i in range(100_000)
    )
    empty.git("fast-import", "--quiet", given=stream.encode())
    repository = empty.repository
    shas = repository.history()
    assert len(shas) == 100_000
    # About 1.5 s of processor time each (tests/bench/history.py); a machine under load may take a few times that.
    assert processor_s(repository.log) < 20
    assert processor_s(lambda: repository.order(shas)) < 20


def test_a_repository_behind_a_symlink_has_its_real_root(linear: Linear, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(linear[0].root)
    assert Repository.find(tmp_path / "link").root == linear[0].root


def test_a_range_leaves_out_the_history_of_its_start(linear: Linear) -> None:
    sandbox, shas = linear
    assert [c.sha for c in sandbox.repository.log("HEAD", excluding=shas[1])] == [shas[4], shas[3], shas[2]]


def test_a_range_follows_first_parents_unless_told_otherwise(forked: tuple[Sandbox, dict[str, str]]) -> None:
    sandbox, shas = forked
    line = sandbox.repository.history("HEAD", excluding=shas["base"])
    assert line == (shas["top"], shas["merge"], shas["left"])
    every = sandbox.repository.history("HEAD", excluding=shas["base"], first_parent=False)
    assert set(every) == set(line) | {shas["side1"], shas["side2"]}


def test_the_main_branch_is_the_remotes_before_a_local_one(linear: Linear) -> None:
    sandbox, shas = linear
    assert sandbox.repository.main_branch() == "refs/heads/main"
    sandbox.git("update-ref", "refs/remotes/origin/trunk", shas[0])
    sandbox.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    assert sandbox.repository.main_branch() == "refs/remotes/origin/trunk"


def test_a_repository_of_other_branches_has_no_main_branch(linear: Linear) -> None:
    linear[0].git("branch", "-m", "topic")
    assert linear[0].repository.main_branch() is None


def test_the_cut_of_a_shallow_clone_is_known(linear: Linear, tmp_path: Path) -> None:
    sandbox, shas = linear
    assert sandbox.repository.boundary() == frozenset()
    sandbox.git("clone", "-q", "--depth=2", f"file://{sandbox.root}", str(tmp_path / "shallow"))
    assert Repository.find(tmp_path / "shallow").boundary() == {shas[3]}
