"""The table on a terminal: what it says of the whole, and that no name steers the terminal."""

from __future__ import annotations

import pytest

from perftrack.cli.compare_view import average, headline, show_text
from perftrack.core.share import Ceilings
from tests.cli.comparisons import broken, comparison, counted, undecided


def shown(capsys: pytest.CaptureFixture[str], *judgements, everything: bool = False) -> str:
    show_text(comparison(*judgements), Ceilings(), everything=everything)
    return capsys.readouterr().out


def test_names_units_and_messages_cannot_steer_the_terminal(capsys):
    out = shown(capsys, counted("a\x1b[2Jb", 1, 2, unit="\x1b[31m"), broken("b", "\x1b]0;title\x07\nx"))
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "a\\x1b[2Jb" in out


def test_a_noisy_larger_change_is_below_a_quiet_smaller_one(capsys):
    out = shown(capsys, counted("quiet", 1000, 1010, threshold=0.005), undecided("noisy"))
    assert out.index("quiet") < out.index("noisy")


def test_the_unchanged_are_counted_and_shown_only_if_asked_for(capsys):
    one = (counted("quiet", 1, 1), counted("grew", 1, 2))
    hidden = shown(capsys, *one)
    assert "note 1 unchanged not shown" in hidden
    assert "quiet" not in hidden
    assert "quiet" in shown(capsys, *one, everything=True)


def test_opposite_changes_are_both_in_the_headline_and_cancel_only_in_the_average():
    found = comparison(counted("up", 1, 2), counted("down", 2, 1), broken("b", "x"))
    assert headline(found) == "1 regression, 1 improvement, 1 failed"
    (line,) = average(found)
    assert line == "geometric mean of size (lower is better): +0 % over 2 cases"
