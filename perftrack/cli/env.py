"""perftrack env, and env diff."""

from __future__ import annotations

from pathlib import Path

import click

from perftrack.cli.options import json_option, project_options


@click.group("env", invoke_without_command=True)
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda, …")
@click.option("--python", metavar="PATH", help="Interpreter to ask.")
@json_option
@project_options
@click.pass_context
def command(
    ctx: click.Context, device: str, python: str | None, as_json: bool, store: Path | None, directory: Path
) -> int:
    """Show the environment that a measurement taken here would be filed under.

    \b
    Examples:
      perftrack env
      perftrack env --device cpu --json
    """
    if ctx.invoked_subcommand is not None:
        return 0
    from perftrack.app.environment import current
    from perftrack.app.project import Project
    from perftrack.cli.documents import field_json
    from perftrack.cli.output import console, print_json, table
    from perftrack.core.fingerprint import EnvironmentFingerprint

    fingerprint = current(Project.find(directory, store), device, python)
    if as_json:
        fields = [field_json(i, fingerprint) for i in EnvironmentFingerprint.fields()]
        print_json({"id": fingerprint.id, "key": fingerprint.key_id, "fields": fields})
        return 0
    click.echo(f"key {fingerprint.key_id}  (environments with this key may be compared)")
    rows = table([("field", "left"), ("role", "left"), ("value", "left"), ("why", "left")])
    for info in EnvironmentFingerprint.fields():
        value = fingerprint.value(info.name)
        if value is not None:
            rows.add_row(info.label, fingerprint.role(info).value, info.show(value), info.why)
    console().print(rows)
    return 0


@command.command("diff")
@click.argument("baseline", metavar="A")
@click.argument("candidate", metavar="B")
@json_option
@project_options
def diff(baseline: str, candidate: str, as_json: bool, store: Path | None, directory: Path) -> int:
    """Name each field in which two recorded environments differ, and whether it forbids comparing.

    A and B are revisions, or ids or keys of environments as `show` prints them.

    \b
    Examples:
      perftrack env diff HEAD~1 HEAD
      perftrack env diff HEAD~1 HEAD --json
    """
    from perftrack.app.environment import stored_pair
    from perftrack.app.project import Project
    from perftrack.cli.output import console, print_json, table
    from perftrack.core.fingerprint import differences, encode_value

    first, second = stored_pair(Project.find(directory, store), baseline, candidate)
    found = differences(first, second)
    if as_json:
        print_json(
            {
                "comparable": first.matches(second),
                "differences": [
                    {
                        "field": d.field.name,
                        "label": d.field.label,
                        "baseline": encode_value(d.baseline),
                        "candidate": encode_value(d.candidate),
                        "refuses": d.refuses,
                    }
                    for d in found
                ],
            }
        )
        return 0
    if found:
        rows = table([("field", "left"), ("A", "left"), ("B", "left"), ("effect", "left")])
        for d in found:
            rows.add_row(
                d.field.label,
                d.field.show(d.baseline),
                d.field.show(d.candidate),
                "refuses comparison" if d.refuses else "attributed only",
            )
        console().print(rows)
    click.echo("comparable" if first.matches(second) else "not comparable")
    return 0
