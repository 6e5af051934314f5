"""Bytes of files: how much of them, and in which encoding."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from perftrack.errors import ProfileError
from perftrack.ncu.source import load, name_of, text_lines


def test_a_file_that_is_not_there_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match=r"none\.csv cannot be read: No such file"):
        load(tmp_path / "none.csv", "none.csv")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="cannot be read: Is a directory"):
        load(tmp_path, "folder")


def test_a_source_without_end_is_refused_at_the_limit() -> None:
    with pytest.raises(ProfileError, match="zeros: more than 1 MiB"):
        load(Path("/dev/zero"), "zeros", limit=2**20)


def test_a_stream_is_read_up_to_the_limit() -> None:
    assert load(io.BytesIO(b"x" * 10), "it", limit=10) == b"x" * 10
    with pytest.raises(ProfileError, match="it: more than"):
        load(io.BytesIO(b"x" * 11), "it", limit=10)


def test_a_stream_that_fails_is_refused() -> None:
    closed = os.fdopen(os.open(os.devnull, os.O_WRONLY), "wb")
    with closed, pytest.raises(ProfileError, match="it cannot be read"):
        load(closed, "it")


def test_a_text_stream_in_the_wrong_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "page.csv"
    path.write_bytes(b"\xff\xfe\xff")
    with path.open(encoding="utf-8") as stream, pytest.raises(ProfileError, match="not text in utf-8"):
        load(stream, "it")


def test_the_path_of_a_report_stays_a_path(tmp_path: Path) -> None:
    path = tmp_path / "any"
    path.write_bytes(b"NVR\0" + bytes(10))
    assert load(path, "any") == path


def test_a_name_is_given_or_that_of_the_file(tmp_path: Path) -> None:
    assert name_of(tmp_path, "mine") == "mine"
    assert name_of("a/b.csv", None) == "a/b.csv"
    assert name_of(io.BytesIO(), None) == "the input"


@pytest.mark.parametrize(
    ("data", "expected", "is_whole"),
    [
        (b"", [], False),
        (b"a", [b"a"], False),
        (b"a\n", [b"a"], True),
        (b"a\n\nb", [b"a", b"", b"b"], False),
        (b"a\r\nb\r\n", [b"a", b"b"], True),
        (b"\xef\xbb\xbfa\n", [b"a"], True),
        ("ä\n".encode("utf-16"), ["ä".encode()], True),
        ("ä\n".encode("cp1252"), ["ä".encode()], True),
        (b"\x81\n", ["\x81".encode()], True),
    ],
)
def test_lines_of_any_encoding_are_utf8_without_line_feeds(
    data: bytes, expected: list[bytes], is_whole: bool
) -> None:
    found = text_lines(data, "it")
    assert (found.lines, found.is_whole) == (expected, is_whole)


def test_utf16_that_is_cut_off_is_refused() -> None:
    with pytest.raises(ProfileError, match="it:1: utf-16 text that is cut off or damaged"):
        text_lines("abc\n".encode("utf-16")[:-1], "it")
