"""perftrack check."""

from __future__ import annotations

from pathlib import Path

import click

from perftrack.cli.options import json_option, project_options, verbosity_options


@click.command("check")
@click.option(
    "-b", "--bench", required=True, metavar="CASE", help="The case: its name, or a pattern that means one."
)
@click.option("--baseline", required=True, metavar="REV", help="The commit that is known to be fast.")
@click.option("--metric", default="", metavar="NAME", help="The metric. [default: the case's first, as `time`]")
@click.option(
    "--threshold", type=click.FloatRange(0, 10, min_open=True), help="Relative change that counts as slower."
)
@click.option(
    "--rounds", type=click.IntRange(6, 500), default=30, show_default=True, help="Most processes a side."
)
@click.option("--build", metavar="COMMAND", help="Shell command that builds each side.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), help="Seed of the orders. [default: drawn]")
@click.option("--git-bisect", is_flag=True, help="Exit codes for `git bisect run`.")
@json_option
@verbosity_options
@project_options
def command(
    bench: str,
    baseline: str,
    metric: str,
    threshold: float | None,
    rounds: int,
    build: str | None,
    seed: int | None,
    git_bisect: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    store: Path | None,
    directory: Path,
) -> int:
    """Is HEAD slower than a baseline in one case? Both are measured now, in fresh processes that take turns.

    Exit 0 if not, 3 if it is, 4 if that could not be decided. With --git-bisect: 0 good, 1 bad, 125 can't tell
    (skip), 128 and above: git stops.
    perftrack bisect needs fewer measurements and says how sure it is; this is for those who want git's own.

    \b
    Examples:
      perftrack check --bench total --baseline HEAD~2
      perftrack check --bench total --baseline HEAD --git-bisect
    """
    import math

    from perftrack.app.check import check, misconfigured
    from perftrack.app.live import LiveOptions
    from perftrack.app.project import Project
    from perftrack.cli.check_view import show_json, show_text
    from perftrack.cli.progress import RecordProgress
    from perftrack.errors import ConfigError, UsageError

    if threshold is not None and math.isnan(threshold):
        raise UsageError("--threshold must be a number")
    options = LiveOptions((), threshold, rounds, build=build, seed=seed)
    try:
        project = Project.find(directory, store)
        with RecordProgress(quiet=quiet, verbose=verbose) as progress:
            checked = check(project, bench, baseline, metric, options, progress)
    except ConfigError as error:
        if not git_bisect:
            raise
        checked = misconfigured(directory, baseline, error)
    code = checked.exit_code(git_bisect=git_bisect)
    if as_json:
        show_json(checked, code)
    else:
        show_text(checked)
    return code
