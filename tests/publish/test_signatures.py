"""Files are kept by what they were made from, as long as nothing about them is in doubt."""

from pathlib import Path

import pytest

from perftrack.publish.marker import MARKER
from perftrack.publish.signatures import SIGNATURES
from perftrack.publish.write import open_site


def build(output: Path, content: bytes = b"one", signature: str = "s") -> bool:
    """Whether the file was kept."""
    with open_site(output) as site:
        kept = site.keep("a/file.js", signature)
        if not kept:
            site.add("a/file.js", content, signature)
        site.add("index.html", b"front")
        site.publish()
    return kept


def test_a_file_is_kept_while_its_signature_is_the_same(tmp_path: Path) -> None:
    assert [build(tmp_path), build(tmp_path), build(tmp_path, b"two", "t")] == [False, True, False]
    assert (tmp_path / "a/file.js").read_bytes() == b"two"


@pytest.mark.parametrize("harm", ["grown", "gone", "linked"])
def test_a_file_that_is_not_as_it_was_is_made_again(tmp_path: Path, harm: str) -> None:
    build(tmp_path)
    file = tmp_path / "a/file.js"
    if harm == "grown":
        file.write_bytes(b"one more")
    else:
        file.unlink()
    if harm == "linked":
        (tmp_path / "other").write_bytes(b"one")
        file.symlink_to(tmp_path / "other")
    assert not build(tmp_path)
    assert file.read_bytes() == b"one" and not file.is_symlink()


@pytest.mark.parametrize("name", [SIGNATURES, MARKER])
def test_nothing_is_kept_where_the_last_build_left_no_full_account(tmp_path: Path, name: str) -> None:
    build(tmp_path)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content + b" " if name == MARKER else content[:-1])
    assert not build(tmp_path)
