"""perftrack accept."""

from __future__ import annotations

from pathlib import Path

import click

from perftrack.cli.options import project_options


@click.command("accept")
@click.argument("bench", metavar="BENCH")
@click.option("--at", "revision", required=True, metavar="REV", help="The commit that made the change.")
@click.option("--reason", required=True, metavar="TEXT", help="Why it is acceptable: one line.")
@click.option("--metric", default="", metavar="NAME", help="Of this metric alone. [default: all]")
@project_options
def command(bench: str, revision: str, reason: str, metric: str, store: Path | None, directory: Path) -> int:
    """Accept a change of performance: from the commit on, earlier results of BENCH are no baseline.

    BENCH is a benchmark, or one case of it by its id. The acceptance is an entry in perftrack-epochs.toml at the
    repository's root, to be committed with the code: compare then blames nobody for the change, detect does not
    alert, and the lane's noise is learnt anew.

    \b
    Examples:
      perftrack accept tokenize --at HEAD --reason "keeps offsets now"
      perftrack accept "tokenize[size=1000]" --at HEAD~1 --metric time --reason "trades time for memory"
    """
    from perftrack.app.accepting import accept
    from perftrack.app.project import Project
    from perftrack.core.launches.words import on_line

    done = accept(Project.find(directory, store), bench, revision, reason, metric)
    if not done.reached:
        click.echo(f"Warning: {done.commit.sha[:12]} is not in the history of HEAD", err=True)
    what = f"{done.epoch.bench} {metric}".strip()
    click.echo(on_line(f"accepted {what} at {done.commit.sha[:12]} {done.commit.subject}: {done.epoch.reason}"))
    click.echo(f"{done.cases} case(s) begin anew there. Commit {done.path.name}.")
    return 0
