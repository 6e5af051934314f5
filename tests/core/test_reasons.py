from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import perftrack
from perftrack.core.reasons import REASONS, reason
from perftrack.errors import InvalidValueError

PACKAGE = Path(perftrack.__file__).parent


def blanks(code: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(REASONS[code]) if name}


def calls() -> Iterator[tuple[str, ast.Call]]:
    """Every `reason("code", …)` in the package, with where it is."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "reason" and node.args:
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}", node


@pytest.mark.parametrize("code", REASONS)
def test_sentence_can_be_filled(code: str) -> None:
    filled = reason(code, **dict.fromkeys(blanks(code), 1.0))
    assert filled.code == code
    assert "{" not in filled.message


def test_facts_with_braces_are_kept_as_they_are() -> None:
    assert reason("benchmark-failed", detail="{oops} {0}").message == "{oops} {0}"


def test_a_code_that_is_not_in_the_table_is_an_error() -> None:
    with pytest.raises(InvalidValueError, match="no-such-code"):
        reason("no-such-code")


def test_a_missing_fact_is_an_error() -> None:
    with pytest.raises(InvalidValueError, match="fields"):
        reason("fingerprint-mismatch")


def test_every_use_in_the_package_gives_a_known_code_and_its_facts() -> None:
    wrong = []
    for where, call in calls():
        if not isinstance(call.args[0], ast.Constant):
            continue
        code = call.args[0].value
        given = {k.arg for k in call.keywords}
        if code not in REASONS or (None not in given and not blanks(code) <= given):
            wrong.append(f"{where}: {code}")
    assert not wrong


def test_every_code_is_written_somewhere() -> None:
    text = "\n".join(p.read_text(encoding="utf-8") for p in PACKAGE.rglob("*.py") if p.name != "reasons.py")
    assert [c for c in REASONS if f'"{c}"' not in text] == []
