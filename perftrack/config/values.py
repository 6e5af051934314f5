"""Parsers of single values of a configuration: each raises ValueError with what is wrong, one argument each."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from perftrack.core.fingerprint import make_policy
from perftrack.core.renames import Renames
from perftrack.core.text import name_flaw
from perftrack.errors import InvalidValueError


def text(raw: object) -> str:
    if not isinstance(raw, str) or "\0" in raw:
        raise ValueError(f"must be a string, not {raw!r}")
    return raw


def address(raw: object) -> str:
    """An http or https address that can stand in a link as it is."""
    given = text(raw)
    if not re.fullmatch(r"https?://[\w.~:/%@!$&*+,;=-]+", given, re.ASCII):
        raise ValueError(f"must be an address like https://example.org/perf, not {raw!r}")
    return given


def one_of(*choices: str) -> Callable[[object], str]:
    def parse(raw: object) -> str:
        if raw not in choices:
            raise ValueError(f"must be {' or '.join(map(repr, choices))}, not {raw!r}")
        return str(raw)

    return parse


def relative(raw: object) -> str:
    path = text(raw)
    if not path or Path(path).is_absolute() or ".." in Path(path).parts:
        raise ValueError(f"must be a path inside the repository, not {raw!r}")
    return path


def pattern(raw: object) -> str:
    """A pattern for Path.rglob: it may look at files below the benchmark folder only."""
    given = text(raw)
    parts = Path(given).parts
    if not parts or Path(given).is_absolute() or ".." in parts or any("**" in p and p != "**" for p in parts):
        raise ValueError(f"must be a file name pattern inside the benchmark folder, not {raw!r}")
    return given


def texts(raw: object) -> tuple[str, ...]:
    if not isinstance(raw, list) or not all(isinstance(item, str) for item in raw):
        raise ValueError(f"must be a list of strings, not {raw!r}")
    if wrong := [f"{item!r} has a NUL character" for item in raw if "\0" in item]:
        raise ValueError(*wrong)
    return tuple(raw)


def patterns(raw: object) -> tuple[str, ...]:
    """Patterns for Path.glob at the root of a tree."""
    given = texts(raw)
    if wrong := [item for item in given if not item or Path(item).is_absolute() or ".." in Path(item).parts]:
        raise ValueError(*(f"must be patterns of files inside the repository, not {item!r}" for item in wrong))
    if wrong := [item for item in given if any("**" in part and part != "**" for part in Path(item).parts)]:
        raise ValueError(*(f"`**` must be a part of its own in {item!r}" for item in wrong))
    return given


def field_names(raw: object) -> tuple[str, ...]:
    names = texts(raw)
    make_policy(key=names)  # raises InvalidValueError, a ValueError, listing what is no field
    return names


def whole(low: int, high: int) -> Callable[[object], int]:
    def parse(raw: object) -> int:
        if not isinstance(raw, int) or isinstance(raw, bool) or not low <= raw <= high:
            raise ValueError(f"must be a whole number from {low} to {high}, not {raw!r}")
        return raw

    return parse


def number(low: float, high: float) -> Callable[[object], float]:
    def parse(raw: object) -> float:
        if not isinstance(raw, int | float) or isinstance(raw, bool) or not low < raw <= high:
            raise ValueError(f"must be a number above {low:g}, at most {high:g}, not {raw!r}")
        return float(raw)

    return parse


def renamed(raw: object) -> dict[str, tuple[str, ...]]:
    """Earlier names of benchmarks by their present ones."""
    if not isinstance(raw, dict):
        raise ValueError(f'must be a table of lists, new = ["old"], not {raw!r}')
    found: dict[str, tuple[str, ...]] = {}
    problems = []
    for name, earlier in raw.items():
        listed = [name, *earlier] if isinstance(earlier, list) else [name]
        wrong = [f"{name!r}: a name {flaw}" for each in listed if (flaw := name_flaw(each))]
        if not isinstance(earlier, list):
            wrong.append(f"{name!r} must be a list of names that it had before, not {earlier!r}")
        problems += wrong
        if not wrong:
            found[name] = tuple(earlier)
    try:
        Renames.of(found)
    except InvalidValueError as error:
        problems.append(error.message)
    if problems:
        raise ValueError(*problems)
    return found


def variables(raw: object) -> dict[str, str]:
    """Environment variables: what the operating system takes as names and values."""
    if not isinstance(raw, dict):
        raise ValueError(f"must be a table of strings, not {raw!r}")
    problems = []
    for name, value in raw.items():
        if not name or "=" in name or "\0" in name:
            problems.append(f"{name!r} cannot name a variable: a name is not empty and has no '=' or NUL")
        if not isinstance(value, str):
            problems.append(f"{name!r} must be a string, not {value!r}")
        elif "\0" in value:
            problems.append(f"the value of {name!r} has a NUL character")
    if problems:
        raise ValueError(*problems)
    return dict(raw)
