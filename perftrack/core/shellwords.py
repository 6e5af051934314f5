"""A command line given as one string, split into arguments as a shell would. Standard library only."""

from __future__ import annotations

import re
import shlex

from perftrack.errors import InvalidValueError

_QUOTED = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"""", re.DOTALL)
_SYNTAX = re.compile(r"&&|\|\||[|;<>`]|\$\(|&(?=\s|$)|\n")


def split_command(text: str) -> tuple[str, ...]:
    """The arguments of a command that runs without a shell.

    Raises InvalidValueError (a ValueError) for what only a shell would understand, and for an open quote.
    """
    found = _SYNTAX.search(_QUOTED.sub(" ", text.strip()))
    if found:
        raise InvalidValueError(
            f"{found[0]!r} is shell syntax, and commands run without a shell; quote it, "
            f'or use run = ["sh", "-c", "…"]'
        )
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise InvalidValueError(f"{text!r} cannot be split into arguments: {error}") from error
