"""Descriptors that a benchmark closed, or that are another file by now."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from perftrack.app.descriptors import Descriptors, ReplyLine


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for fd in ends:
        try:
            os.close(fd)
        except OSError:
            continue


def test_what_is_left_alone_is_not_lost(pipe: tuple[int, int]) -> None:
    own = Descriptors({pipe[0]: "in", pipe[1]: "out"})
    os.write(pipe[1], b"x")
    assert own.lost() == ()


def test_a_closed_one_is_lost(pipe: tuple[int, int]) -> None:
    own = Descriptors({pipe[0]: "in", pipe[1]: "out"})
    os.close(pipe[1])
    assert own.lost() == ("out",)


def test_another_file_of_the_same_number_is_a_loss(pipe: tuple[int, int], tmp_path: Path) -> None:
    own = Descriptors({pipe[1]: "out"})
    with (tmp_path / "f").open("w") as other:
        os.dup2(other.fileno(), pipe[1])
        assert own.lost() == ("out",)


def test_a_stream_of_python_s_that_was_closed_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Descriptors({})
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stdout", closed)
    assert own.lost() == ("stdout",)


def test_no_stream_at_all_is_nothing_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert Descriptors({}).lost() == ()


def test_a_reply_survives_the_closing_of_its_descriptor(pipe: tuple[int, int]) -> None:
    line = ReplyLine(pipe[1])
    os.closerange(pipe[1], pipe[1] + 1)
    line.send(b"answer")
    assert os.read(pipe[0], 100) == b"answer"


def test_a_reply_never_goes_to_a_file_that_took_its_number(pipe: tuple[int, int], tmp_path: Path) -> None:
    line = ReplyLine(pipe[1])
    for way in line._ways:
        os.close(way)
    path = tmp_path / "users.txt"
    fds = [os.open(path, os.O_CREAT | os.O_WRONLY)]
    os.dup2(fds[0], pipe[1])
    with pytest.raises(OSError, match="were closed"):
        line.send(b"answer")
    os.close(fds[0])
    assert path.read_bytes() == b""


def test_a_reply_larger_than_the_pipe_is_sent_whole(pipe: tuple[int, int]) -> None:
    line = ReplyLine(pipe[1])
    sent = os.urandom(300_000)
    if os.fork() == 0:
        line.send(sent)
        os._exit(0)
    os.close(pipe[1])
    for way in line._ways[1:]:
        os.close(way)
    read = b""
    while chunk := os.read(pipe[0], 1 << 16):
        read += chunk
    os.wait()
    assert read == sent
