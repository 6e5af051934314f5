"""perftrack list."""

from __future__ import annotations

from pathlib import Path

import click

from perftrack.cli.options import json_option, project_options


@click.command("list")
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option("--python", metavar="PATH", help="Interpreter that runs the benchmarks.")
@json_option
@project_options
def command(
    patterns: tuple[str, ...], python: str | None, as_json: bool, store: Path | None, directory: Path
) -> int:
    """List the cases that can be measured here.

    PATTERN is part of a case's name, a glob, FILE, FILE::NAME or ::NAME. Exit 1 if there is no case or a
    benchmark file cannot be used.

    \b
    Examples:
      perftrack list
      perftrack list benchmarks/bench_text.py
      perftrack list ::tokenize
      perftrack list "*size=1000*"
    """
    from perftrack.app.listing import list_cases
    from perftrack.app.project import Project
    from perftrack.cli.documents import case_json
    from perftrack.cli.output import console, print_json, table

    project = Project.find(directory, store)
    catalogue, cases = list_cases(project, patterns, python)
    for problem in catalogue.problems:
        click.echo(f"Error: {problem.where}: {problem.message}", err=True)
        if problem.hint:
            click.echo(f"Hint: {problem.hint}", err=True)
    folder = project.config.benchmarks
    if not catalogue.declared and not catalogue.problems:
        click.echo(f"Error: no benchmark was found in {folder}", err=True)
        click.echo(
            f"Hint: Write a function that returns what to time, put @perftrack.benchmark above it, and save it in "
            f"{folder} as a file named {project.config.pattern}.",
            err=True,
        )
    if as_json:
        print_json(
            {
                "cases": [
                    {
                        **case_json(s.case),
                        "kind": s.declared.kind.value,
                        "source": s.declared.source,
                        "device": s.declared.device,
                        "tags": list(s.declared.tags),
                        "timeout_s": s.declared.timeout_s,
                        "threshold": s.declared.threshold,
                    }
                    for s in cases
                ],
                "problems": [{"where": p.where, "message": p.message, "hint": p.hint} for p in catalogue.problems],
            }
        )
    elif cases:
        rows = table(
            [("case", "left"), ("kind", "left"), ("device", "left"), ("tags", "left"), ("source", "left")]
        )
        for s in cases:
            d = s.declared
            rows.add_row(s.case.id, d.kind.value, d.device, " ".join(d.tags), d.source)
        console().print(rows)
    return 0 if cases and not catalogue.problems else 1
