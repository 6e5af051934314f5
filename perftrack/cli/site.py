"""perftrack site: build, serve."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from perftrack.cli.options import json_option, project_options

if TYPE_CHECKING:
    from perftrack.publish.site import BuildReport

Command = TypeVar("Command", bound=Callable[..., Any])


@click.group("site")
def command() -> None:
    """The static site of trend charts."""


def _output_option(command: Command) -> Command:
    return click.option(
        "-o",
        "--output",
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder to write. [default: perftrack-site]",
    )(command)


@command.command("build")
@_output_option
@click.option("--base-url", help="Where it will be published; only needed for absolute links.")
@click.option(
    "--samples",
    type=click.IntRange(0),
    metavar="N",
    help="Show samples of the N newest runs; they are most of a site's size. [default: 50]",
)
@json_option
@project_options
def build(
    output: Path | None,
    base_url: str | None,
    samples: int | None,
    as_json: bool,
    store: Path | None,
    directory: Path,
) -> int:
    """Render the store into static files that open from disk or any server.

    Only what changed is written, and a build that is stopped leaves the site as it was.

    \b
    Examples:
      perftrack site build
      perftrack site build --output public --samples 10
    """
    from perftrack.app.project import Project
    from perftrack.publish.hire import hired

    project = Project.find(directory, store)
    target = output if output is not None else project.root / project.config.site
    with closing(hired(project.store.path)) as crew:
        from perftrack.app.publish import build as build_site
        from perftrack.cli.output import print_json
        from perftrack.publish.runs import SAMPLED_RUNS

        report = build_site(project, target, base_url, SAMPLED_RUNS if samples is None else samples, crew)
    for warning in report.warnings:
        click.echo(f"Warning: {warning}", err=True)
    if as_json:
        print_json(
            {
                "path": str(report.path),
                "pages": report.pages,
                "files": report.files,
                "written": report.written,
                "unchanged": report.unchanged,
                "removed": report.removed,
                "bytes": report.bytes,
                "warnings": list(report.warnings),
            }
        )
        return 0
    click.echo(_summary(report))
    click.echo(f"{report.path / 'index.html'}")
    return 0


@command.command("serve")
@_output_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any free one.")
@click.option(
    "--stop-after", type=click.FloatRange(0), metavar="SECONDS", help="End by itself. [default: at Ctrl-C]"
)
@project_options
def serve(
    output: Path | None, host: str, port: int, stop_after: float | None, store: Path | None, directory: Path
) -> int:
    """Show the site on this machine, and build it again whenever something was recorded.

    \b
    Examples:
      perftrack site serve --port 0 --stop-after 1
    """
    import threading

    from perftrack.app.project import Project
    from perftrack.app.siteserve import ServeEvents
    from perftrack.app.siteserve import serve as serve_site
    from perftrack.publish.server import is_loopback

    project = Project.find(directory, store)
    target = output if output is not None else project.root / project.config.site
    if not is_loopback(host):
        click.echo(
            f"Warning: {host} may be reached from other machines, and the site asks for no password.", err=True
        )
    stop = threading.Event()
    if stop_after is not None:
        timer = threading.Timer(stop_after, stop.set)
        timer.daemon = True
        timer.start()
    events = ServeEvents(
        started=lambda address: click.echo(f"{address}   (Ctrl-C to stop)"),
        built=lambda report: click.echo(_summary(report), err=True),
        failed=lambda error: click.echo(f"Error: {error.message}; the site stays as it was.", err=True),
    )
    try:
        serve_site(project, target, host, port, events, stop=stop)
    except KeyboardInterrupt:
        click.echo("Stopped.", err=True)
    return 0


def _summary(report: BuildReport) -> str:
    return (
        f"{report.pages} pages, {report.bytes / 1e6:.1f} MB: {report.written} file(s) written, "
        f"{report.unchanged} unchanged, {report.removed} removed"
    )
