"""Command benchmarks as a configuration declares them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from perftrack.config.values import number, text, texts
from perftrack.core.command import CommandSpec
from perftrack.core.shellwords import split_command
from perftrack.core.text import flaw, name_flaw


def commands(raw: object) -> tuple[CommandSpec, ...]:
    """Every command of the list. Raises ValueError with the problems of all of them."""
    if not isinstance(raw, list):
        raise ValueError("must be a list of tables: [[tool.perftrack.command]]")
    found, problems = [], []
    for position, item in enumerate(raw, 1):
        try:
            found.append(_command(item))
        except ValueError as error:
            name = item.get("name") if isinstance(item, dict) else None
            which = name if isinstance(name, str) and name_flaw(name) is None else f"command {position}"
            problems += [f"{which}: {wrong}" for wrong in error.args]
    names = [c.name for c in found]
    problems += [f"two commands are named {n!r}" for n in sorted({n for n in names if names.count(n) > 1})]
    if problems:
        raise ValueError(*problems)
    return tuple(found)


def _command(raw: object) -> CommandSpec:
    if not isinstance(raw, dict):
        raise ValueError(f"must be a table, not {raw!r}")
    allowed = {"name", "run", "metric", "timeout", "threshold", "tags"}
    problems = [f"unknown key {k!r}; it has {', '.join(sorted(allowed))}" for k in sorted(set(raw) - allowed)]
    problems += [f"a command needs `{key}`" for key in ("name", "run") if key not in raw]
    if "name" in raw and (wrong := name_flaw(raw["name"])):
        problems.append(f"name: {wrong}")
    metric = raw.get("metric", "time")
    if metric not in ("time", "stdout-json"):
        problems.append(f'metric must be "time" or "stdout-json", not {metric!r}')
    values: dict[str, object] = {}
    parsers: tuple[tuple[str, Callable[[object], object]], ...] = (
        ("run", _arguments),
        ("timeout", number(0, 86_400)),
        ("threshold", number(0, 10)),
        ("tags", _tags),
    )
    for key, parse in parsers:
        if key in raw:
            try:
                values[key] = parse(raw[key])
            except ValueError as error:
                problems += [f"{key}: {wrong}" for wrong in error.args]
    if problems:
        raise ValueError(*problems)
    timeout, threshold = values.get("timeout"), values.get("threshold")
    return CommandSpec(
        raw["name"],
        values["run"],  # type: ignore[arg-type]
        metric,
        timeout,  # type: ignore[arg-type]
        threshold,  # type: ignore[arg-type]
        values.get("tags", ()),  # type: ignore[arg-type]
    )


def _arguments(raw: object) -> tuple[str, ...]:
    """An argument vector: a list as it is, a string split as a shell would without being one."""
    arguments = texts(raw) if isinstance(raw, list) else split_command(text(raw))
    if not arguments or not arguments[0].strip():
        raise ValueError("must name a program")
    return arguments


def _tags(raw: object) -> tuple[str, ...]:
    tags: Iterable[str] = texts(raw)
    if wrong := [f"{tag!r} {flaw(tag) or 'is blank'}" for tag in tags if flaw(tag) or not tag.strip()]:
        raise ValueError(*wrong)
    return tuple(tags)
