"""perftrack compare."""

from __future__ import annotations

import math
from pathlib import Path

import click
from click.core import ParameterSource

from perftrack.cli.options import bench_option, json_option, project_options, verbosity_options


@click.command("compare")
@click.argument("baseline", metavar="BASE")
@click.argument("candidate", default="HEAD", metavar="[CAND]")
@bench_option
@click.option(
    "--threshold",
    type=click.FloatRange(0, 10, min_open=True),
    help="Relative change that matters, for all cases.",
)
@click.option("--all", "everything", is_flag=True, help="Also list the cases that did not change.")
@click.option(
    "--pass-inconclusive",
    is_flag=True,
    help="Exit 0 although cases are inconclusive, if others were decided.",
)
@click.option("--live", is_flag=True, help="Measure both commits now, in fresh processes that take turns.")
@click.option(
    "--rounds", type=click.IntRange(6, 500), default=30, show_default=True, help="With --live: most rounds a case."
)
@click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="With --live: no new round after this long.",
)
@click.option("--build", metavar="COMMAND", help="With --live: shell command that builds each side.")
@click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), help="With --live: seed of the orders. [default: drawn]"
)
@click.option("--markdown", is_flag=True, help="A table for a pull request.")
@json_option
@verbosity_options
@project_options
def command(
    baseline: str,
    candidate: str,
    patterns: tuple[str, ...],
    threshold: float | None,
    everything: bool,
    pass_inconclusive: bool,
    live: bool,
    rounds: int,
    budget: float,
    build: str | None,
    seed: int | None,
    markdown: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    store: Path | None,
    directory: Path,
) -> int:
    """Compare two commits: a gate for CI. The recorded results, or with --live fresh ones of both.

    Exit 3 if anything regressed; 4 if anything could not be decided; 0 if everything was and nothing got worse.
    With --live both commits are checked out aside and measured in rounds: one fresh process a side, case by
    case in random order, until every interval is narrower than half its threshold.

    \b
    Examples:
      perftrack compare HEAD~1
      perftrack compare HEAD~1 HEAD --all
      perftrack compare HEAD~1 HEAD --markdown
      perftrack compare HEAD~1 HEAD --json
      perftrack compare HEAD~1 HEAD --live --bench total
    """
    from perftrack.app.ceilings import ceilings_in_force
    from perftrack.app.comparison import compare
    from perftrack.app.project import Project
    from perftrack.cli import compare_view as view
    from perftrack.errors import UsageError

    if as_json and markdown:
        raise UsageError("--json and --markdown are two answers to one question", "Give one of them.")
    if (threshold is not None and math.isnan(threshold)) or math.isnan(budget):
        raise UsageError("--threshold and --budget must be numbers")
    if not live and (given := _live_only()):
        raise UsageError(f"{', '.join(given)} only has a meaning with --live", "Add --live, or leave it out.")
    project = Project.find(directory, store)
    if live:
        from perftrack.app.doctor import left_locked
        from perftrack.app.live import LiveOptions, compare_live
        from perftrack.cli.progress import RecordProgress

        if left := left_locked():
            click.echo(f"Warning: {left[0]}\nHint: {left[1]}", err=True)
        options = LiveOptions(patterns, threshold, rounds, budget, build=build, seed=seed)
        with RecordProgress(quiet=quiet, verbose=verbose) as progress:
            comparison = compare_live(project, baseline, candidate, options, progress)
    else:
        comparison = compare(project, baseline, candidate, patterns=patterns, threshold=threshold)
    code = comparison.exit_code(pass_inconclusive=pass_inconclusive)
    if as_json:
        view.show_json(comparison, code, ceilings_in_force(project))
    elif markdown:
        view.show_markdown(comparison, everything=everything)
    else:
        view.show_text(comparison, ceilings_in_force(project), everything=everything)
    return code


def _live_only() -> list[str]:
    """Options given on the command line that stored results have no use for."""
    context = click.get_current_context()
    names = ("rounds", "budget", "build", "seed")
    return [f"--{n}" for n in names if context.get_parameter_source(n) is ParameterSource.COMMANDLINE]
