"""perftrack site build."""

from __future__ import annotations

from pathlib import Path

import click

from perftrack.cli.options import json_option, project_options


@click.group("site")
def command() -> None:
    """The static site of trend charts."""


@command.command("build")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write. [default: perftrack-site]",
)
@click.option("--base-url", help="Where it will be published; only needed for absolute links.")
@json_option
@project_options
def build(output: Path | None, base_url: str | None, as_json: bool, store: Path | None, directory: Path) -> int:
    """Render the store into static files that open from disk or any server.

    \b
    Examples:
      perftrack site build
      perftrack site build --output public
    """
    from perftrack.app.project import Project
    from perftrack.app.publish import build as build_site
    from perftrack.cli.output import print_json

    project = Project.find(directory, store)
    target = output if output is not None else project.root / project.config.site
    report = build_site(project, target, base_url)
    if as_json:
        print_json(
            {
                "path": str(report.path),
                "pages": report.pages,
                "written": report.written,
                "unchanged": report.unchanged,
                "removed": report.removed,
                "bytes": report.bytes,
            }
        )
        return 0
    click.echo(
        f"{report.pages} pages, {report.bytes / 1e6:.1f} MB: {report.written} file(s) written, "
        f"{report.unchanged} unchanged, {report.removed} removed"
    )
    click.echo(f"{report.path / 'index.html'}")
    return 0
