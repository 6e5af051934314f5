"""perftrack compare."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from perftrack.cli.options import bench_option, json_option, project_options, verbosity_options

if TYPE_CHECKING:
    from perftrack.app.comparison import Comparison
    from perftrack.app.live import LiveOptions
    from perftrack.app.project import Project


@click.command("compare")
@click.argument("baseline", metavar="[BASE]", required=False)
@click.argument("candidate", default="HEAD", metavar="[CAND]")
@click.option("--candidate", "named", metavar="REV", help="CAND, where no BASE is given.")
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
@click.option("--markdown", is_flag=True, help="A comment for a pull request.")
@click.option(
    "--site-url",
    metavar="URL",
    help="With --markdown: where the site is published, to link to it. [default: site-url of the configuration]",
)
@click.option(
    "--junit",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the verdicts as JUnit XML.",
)
@json_option
@verbosity_options
@project_options
def command(
    baseline: str | None,
    candidate: str,
    named: str | None,
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
    site_url: str | None,
    junit: Path | None,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    store: Path | None,
    directory: Path,
) -> int:
    """Compare two commits: a gate for CI. The recorded results, or with --live fresh ones of both.

    CAND is HEAD where it is not given. Without BASE it is compared with the commit of the main branch that its own
    branch came from, or with its first parent if it is on the main branch; with what is stored, with the nearest
    ancestor from there on that was measured in the same environment. The answer names it.

    Exit 3 if anything regressed; 4 if anything could not be decided; 0 if everything was and nothing got worse.
    With --live both commits are checked out aside and measured in rounds: one fresh process a side, case by
    case in random order, until every interval is narrower than half its threshold.

    \b
    Examples:
      perftrack compare
      perftrack compare --candidate HEAD~1
      perftrack compare HEAD~1
      perftrack compare HEAD~1 HEAD --all
      perftrack compare HEAD~1 HEAD --markdown --site-url https://example.org/perf
      perftrack compare HEAD~1 HEAD --junit perftrack.xml
      perftrack compare HEAD~1 HEAD --json
      perftrack compare HEAD~1 HEAD --live --bench total
    """
    from perftrack.app.ceilings import ceilings_in_force
    from perftrack.app.comparison import compare
    from perftrack.app.project import Project
    from perftrack.cli import compare_view as view
    from perftrack.cli.compare_junit import write_junit
    from perftrack.cli.compare_markdown import markdown as comment_of
    from perftrack.errors import UsageError

    if as_json and markdown:
        raise UsageError("--json and --markdown are two answers to one question", "Give one of them.")
    if (threshold is not None and math.isnan(threshold)) or math.isnan(budget):
        raise UsageError("--threshold and --budget must be numbers")
    if not live and (given := _given("rounds", "budget", "build", "seed")):
        raise UsageError(f"{', '.join(given)} only has a meaning with --live", "Add --live, or leave it out.")
    if site_url is not None and not markdown:
        raise UsageError("--site-url only has a meaning with --markdown", "Add --markdown, or leave it out.")
    if named is not None and _given("candidate"):
        raise UsageError(f"two candidates: {candidate} and --candidate {named}", "Name one of them.")
    candidate = candidate if named is None else named
    project = Project.find(directory, store)
    address = _address(project.config.site_url if site_url is None else site_url)
    if live:
        from perftrack.app.live import LiveOptions

        options = LiveOptions(patterns, threshold, rounds, budget, build=build, seed=seed)
        comparison = _measured(project, baseline, candidate, options, quiet=quiet, verbose=verbose)
    else:
        comparison = compare(project, baseline, candidate, patterns=patterns, threshold=threshold)
    code = comparison.exit_code(pass_inconclusive=pass_inconclusive)
    if junit is not None:
        write_junit(comparison, junit)
    if as_json:
        view.show_json(comparison, code, ceilings_in_force(project))
    elif markdown:
        click.echo(comment_of(comparison, address, everything=everything), nl=False)
    else:
        view.show_text(comparison, ceilings_in_force(project), everything=everything)
    return code


def _measured(
    project: Project, baseline: str | None, candidate: str, options: LiveOptions, *, quiet: bool, verbose: bool
) -> Comparison:
    """Both sides measured now; without a baseline, the commit that the candidate starts from."""
    from dataclasses import replace

    from perftrack.app.baseline import start_of
    from perftrack.app.doctor import left_locked
    from perftrack.app.live import compare_live
    from perftrack.cli.progress import RecordProgress

    if left := left_locked():
        click.echo(f"Warning: {left[0]}\nHint: {left[1]}", err=True)
    found = start_of(project, candidate) if baseline is None else None
    start = found.commit.sha if found is not None and found.commit is not None else baseline
    assert start is not None
    with RecordProgress(quiet=quiet, verbose=verbose) as progress:
        comparison = compare_live(project, start, candidate, options, progress)
    return replace(comparison, found=found)


def _address(given: str) -> str:
    from perftrack.config.values import address
    from perftrack.errors import UsageError

    try:
        return address(given) if given else ""
    except ValueError as error:
        raise UsageError(f"--site-url {error}") from error


def _given(*names: str) -> list[str]:
    """Which of the options or arguments the command line has."""
    context = click.get_current_context()
    return [f"--{n}" for n in names if context.get_parameter_source(n) is ParameterSource.COMMANDLINE]
