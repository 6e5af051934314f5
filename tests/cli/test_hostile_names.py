"""Names that a merged or imported store may hold: every command shows them escaped, each in its row."""

from __future__ import annotations

import pytest

from tests.stored import Stored, made, noisy, timed

NAME = "esc\x1b[31m\nrow\u202e"
SHOWN = "esc\\x1b[31m\\nrow\\u202e"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Stored:
    own = made(tmp_path_factory.mktemp("hostile") / "repository")
    own.commits(30)
    values = noisy(30, (20, 1.2))
    own.record_runs([own.run(sha, timed(NAME, float(v))) for sha, v in zip(own.shas, values, strict=True)])
    return own


@pytest.mark.parametrize(
    "command",
    [("show",), ("compare", "HEAD~15"), ("log", "esc"), ("detect",), ("accept", NAME, "--at", "no-such")],
    ids=lambda c: c[0],
)
def test_a_name_with_control_characters_is_shown_escaped(stored: Stored, command: tuple[str, ...]) -> None:
    answer = stored.call(*command)
    said = answer.out + answer.err
    assert not [c for c in said if c in "\x1b\u202e"]
    assert SHOWN in said or command[0] == "accept"


def test_an_error_is_shown_escaped(stored: Stored) -> None:
    answer = stored.call("compare", "no\x1b[31mrevision\u202e")
    assert answer.code == 1
    assert "\\x1b[31m" in answer.err
    assert not [c for c in answer.err if c in "\x1b\u202e"]
