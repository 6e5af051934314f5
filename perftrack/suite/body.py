"""The text of a benchmark that its identity rests on: what it does, not what it is called or who it is for."""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Callable

from perftrack.suite.place import source_of

# Ours add names, parameters and tags: a new parameter does not make the other cases another benchmark.
_OWN = frozenset({"benchmark", "metric"})
_NAME = re.compile(r"(def\s+)\w+")


def body_of(function: Callable[..., object]) -> str:
    """The function's source without its name, comments, blank lines and perftrack's own decorators.

    Where the source is lost, or is no definition by itself (a lambda), it is the code as it is.
    """
    source = source_of(function)
    try:
        text = textwrap.dedent(source)
        (definition,) = ast.parse(text).body
        if not isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef):
            return source
        lines = _uncommented(text)
    except (SyntaxError, ValueError, tokenize.TokenError):
        return source
    kept = [ast.unparse(d) for d in definition.decorator_list if not _is_own(d)]
    body = [_NAME.sub(r"\1", lines[definition.lineno - 1], count=1), *lines[definition.lineno :]]
    return "\n".join(line.rstrip() for line in (*kept, *body) if line.strip())


def _is_own(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return name in _OWN


def _uncommented(text: str) -> list[str]:
    lines = text.split("\n")  # as tokenize counts them
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    return lines
