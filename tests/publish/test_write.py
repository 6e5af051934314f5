"""Writing: only what changed, all or nothing, and never over something else."""

import errno
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from perftrack.errors import PublishError
from perftrack.publish import write
from perftrack.publish.marker import MARKER, STAGING, is_plain
from perftrack.publish.signatures import SIGNATURES
from perftrack.publish.write import Written, open_site

Files = dict[str, bytes]
FIRST: Files = {"index.html": b"one", "a/b.html": b"two", "a/c.html": b"three"}


def build(output: Path, files: Files) -> Written:
    with open_site(output) as site:
        for path, content in files.items():
            site.add(path, content)
        return site.publish()


def tree(root: Path) -> Files:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def site_files(root: Path) -> Files:
    return {path: content for path, content in tree(root).items() if path not in (MARKER, SIGNATURES)}


def test_a_new_site_holds_what_was_added(tmp_path: Path) -> None:
    assert build(tmp_path / "out", FIRST) == Written(3, 0, 0, 11)
    assert site_files(tmp_path / "out") == FIRST


def test_only_changed_files_are_written(tmp_path: Path) -> None:
    build(tmp_path, FIRST)
    before = {path: (tmp_path / path).stat() for path in FIRST}
    assert build(tmp_path, FIRST | {"a/b.html": b"TWO"}) == Written(1, 2, 0, 11)
    after = {path: (tmp_path / path).stat() for path in FIRST}
    assert {p for p in FIRST if before[p].st_ino != after[p].st_ino} == {"a/b.html"}


def test_stale_files_and_empty_folders_go(tmp_path: Path) -> None:
    build(tmp_path, FIRST)
    assert build(tmp_path, {"index.html": b"one"}).removed == 2
    assert site_files(tmp_path) == {"index.html": b"one"}
    assert not (tmp_path / "a").exists()


def test_files_of_others_stay(tmp_path: Path) -> None:
    build(tmp_path, FIRST)
    (tmp_path / "CNAME").write_text("perf.example.org")
    (tmp_path / "a" / "mine.txt").write_text("mine")
    build(tmp_path, {"index.html": b"one"})
    assert site_files(tmp_path) == {"index.html": b"one", "CNAME": b"perf.example.org", "a/mine.txt": b"mine"}


def test_a_folder_with_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(PublishError, match=r"thesis\.tex"):
        build(tmp_path, FIRST)
    assert tree(tmp_path) == {"thesis.tex": b"years of work"}


def test_a_checked_out_branch_without_files_is_accepted(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: elsewhere")
    build(tmp_path, FIRST)
    assert (tmp_path / ".git").read_text() == "gitdir: elsewhere"


def test_a_file_as_output_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("file")
    with pytest.raises(PublishError, match="not a folder"):
        build(tmp_path / "out", FIRST)


def test_a_build_that_fails_before_publishing_leaves_the_old_site(tmp_path: Path) -> None:
    build(tmp_path, FIRST)
    before = tree(tmp_path)
    with pytest.raises(RuntimeError), open_site(tmp_path) as site:
        site.add("index.html", b"new")
        raise RuntimeError
    assert tree(tmp_path) == before


def test_a_first_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), open_site(tmp_path / "out") as site:
        site.add("index.html", b"new")
        raise RuntimeError
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("error", [OSError(errno.EIO, "input/output error"), KeyboardInterrupt()])
@pytest.mark.parametrize("fail_at", range(10))
def test_a_build_that_fails_while_publishing_leaves_the_old_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fail_at: int, error: BaseException
) -> None:
    build(tmp_path, FIRST)
    before = tree(tmp_path)
    calls = 0
    real = os.replace

    def replace(source: str, target: str) -> None:
        nonlocal calls
        calls += 1
        if calls == fail_at + 1:
            raise error
        real(source, target)

    second = {"index.html": b"ONE", "a/b.html": b"TWO", "d/new.html": b"new", "d/other.html": b"other"}
    with open_site(tmp_path) as site:
        for path, content in second.items():
            site.add(path, content)
        monkeypatch.setattr(os, "replace", replace)
        if fail_at < 9:  # signatures, the marker, four files, one that is stale, the marker, signatures
            with pytest.raises(PublishError if isinstance(error, OSError) else KeyboardInterrupt):
                site.publish()
        else:
            site.publish()
        monkeypatch.undo()
    assert tree(tmp_path) == (before if fail_at < 7 else tree(tmp_path))
    assert (site_files(tmp_path) == second) == (fail_at == 9)


def test_a_killed_build_leaves_the_old_site_and_the_next_one_cleans_up(tmp_path: Path) -> None:
    build(tmp_path, FIRST)
    before = tree(tmp_path)
    code = f"""
        import os, signal
        from pathlib import Path
        from perftrack.publish.write import open_site
        with open_site(Path({str(tmp_path)!r})) as site:
            site.add("index.html", b"new")
            os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert {p: c for p, c in tree(tmp_path).items() if not p.startswith(STAGING)} == before
    build(tmp_path, FIRST)
    assert tree(tmp_path) == before


def test_a_kill_between_two_renames_is_healed_by_the_next_build(tmp_path: Path) -> None:
    build(tmp_path, FIRST)
    second: Files = {"index.html": b"ONE", "d/new.html": b"new"}
    code = f"""
        import os, signal
        from pathlib import Path
        from perftrack.publish.write import open_site
        real = Path.replace
        def replace(self, target):
            real(self, target)
            if Path(target).name == "new.html":
                os.kill(os.getpid(), signal.SIGKILL)
        with open_site(Path({str(tmp_path)!r})) as site:
            for path, content in {second!r}.items():
                site.add(path, content)
            Path.replace = replace
            site.publish()
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False)
    assert (tmp_path / "d/new.html").exists()
    build(tmp_path, FIRST)
    assert site_files(tmp_path) == FIRST


def test_two_builds_at_once_are_refused(tmp_path: Path) -> None:
    with open_site(tmp_path), pytest.raises(PublishError, match="another build"):
        build(tmp_path, FIRST)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_has_a_hint(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PublishError) as caught:
        build(tmp_path / "out", FIRST)
    assert "writable" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("number", "hint"),
    [(errno.ENOSPC, "space"), (errno.EROFS, "writable"), (errno.EACCES, "writable"), (errno.EIO, "check")],
)
def test_errors_of_the_system_have_hints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, hint: str
) -> None:
    def refuse(target: str, content: bytes) -> None:
        raise OSError(number, os.strerror(number), target)

    build(tmp_path, FIRST)
    before = tree(tmp_path)
    monkeypatch.setattr(write, "write_file", refuse)
    with pytest.raises(PublishError) as caught:
        build(tmp_path, {"index.html": b"new"})
    monkeypatch.undo()
    assert hint in (caught.value.hint or "")
    assert tree(tmp_path) == before


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "", "a//b", "./a", "a\\b", "a\0b", "."])
def test_paths_that_leave_the_site_are_refused(tmp_path: Path, path: str) -> None:
    assert not is_plain(path)
    with open_site(tmp_path) as site, pytest.raises(PublishError):
        site.add(path, b"x")


def test_a_page_claimed_twice_is_refused(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        site.add("a.html", b"x")
        with pytest.raises(PublishError, match=r"a\.html"):
            site.add("a.html", b"y")


def test_a_linked_folder_does_not_lead_out(tmp_path: Path) -> None:
    build(tmp_path / "out", {"index.html": b"one"})
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out" / "a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PublishError, match="link"):
        build(tmp_path / "out", FIRST)
    assert tree(tmp_path / "elsewhere") == {}


def test_a_linked_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    build(tmp_path / "out", FIRST)
    (tmp_path / "precious").write_bytes(b"precious")
    (tmp_path / "out" / "index.html").unlink()
    (tmp_path / "out" / "index.html").symlink_to(tmp_path / "precious")
    build(tmp_path / "out", FIRST)
    assert (tmp_path / "precious").read_bytes() == b"precious"
    assert not (tmp_path / "out" / "index.html").is_symlink()


@pytest.mark.parametrize("files", ['["../../precious"]', '["/etc/passwd"]', "7", "not json"])
def test_a_marker_that_cannot_be_trusted_is_refused(tmp_path: Path, files: str) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / MARKER).write_text(f'{{"perftrack_site": 1, "files": {files}}}')
    with pytest.raises(PublishError, match=r"outside|damaged"):
        build(tmp_path / "out", FIRST)
    assert (tmp_path / "precious").exists()


def test_the_front_page_is_published_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    real = write.SiteWriter._put

    def put(self: write.SiteWriter, done: list, path: str, staged: str) -> None:
        order.append(path)
        real(self, done, path, staged)

    monkeypatch.setattr(write.SiteWriter, "_put", put)
    build(tmp_path, FIRST)
    assert [path for path in order if path not in (MARKER, SIGNATURES)][-1] == "index.html"
