"""perftrack config show."""

from __future__ import annotations

from pathlib import Path

import click

from perftrack.cli.options import json_option, project_options


@click.group("config")
def command() -> None:
    """The project's configuration: `perftrack.toml`, or [tool.perftrack] in pyproject.toml."""


@command.command("show")
@json_option
@project_options
def show(as_json: bool, store: Path | None, directory: Path) -> int:
    """Show every setting with its value in force and what it means.

    \b
    Examples:
      perftrack config show
      perftrack config show --json
    """
    from perftrack.app.project import Project
    from perftrack.cli.output import console, print_json, table
    from perftrack.config import shown

    project = Project.find(directory, store)
    values = [(s, _plain(value)) for s, value in shown(project.config)]
    source = str(project.config.path) if project.config.path else None
    if as_json:
        print_json({"file": source, "store": str(project.store.path), "settings": {s.toml: v for s, v in values}})
        return 0
    click.echo(f"file  {source or 'none: defaults'}")
    click.echo(f"store {project.store.path}")
    rows = table([("key", "left"), ("value", "left"), ("meaning", "left")])
    for setting, value in values:
        rows.add_row(setting.toml, "" if value is None else str(value), setting.help)
    console().print(rows)
    return 0


def _plain(value: object) -> object:
    from dataclasses import asdict, is_dataclass

    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return value
