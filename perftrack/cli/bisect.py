"""perftrack bisect."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from perftrack.cli.options import json_option, project_options, verbosity_options

if TYPE_CHECKING:
    from perftrack.app.bisectoptions import BisectOptions
    from perftrack.app.project import Project


@click.command("bisect")
@click.argument("good", default="", metavar="GOOD")
@click.argument("bad", default="", metavar="BAD")
@click.option("-b", "--bench", default="", metavar="CASE", help="The case: its name, or a pattern that means one.")
@click.option("--metric", default="", metavar="NAME", help="The metric. [default: the case's first, as `time`]")
@click.option(
    "--budget",
    metavar="AMOUNT",
    help="The most to spend in all: a number of measurements (200), or a time (90s, 30m, 2h).",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0.5, 1.0, min_open=True, max_open=True),
    help="Probability with which to name a culprit. [default: 0.99]",
)
@click.option("--skip", multiple=True, metavar="REV", help="Never measure this commit, or range A..B. Repeatable.")
@click.option("--first-parent", is_flag=True, help="Blame a merge as a whole: only the line of first parents.")
@click.option("--build", metavar="COMMAND", help="Shell command that builds each commit.")
@click.option(
    "--env",
    type=click.Choice(["venv", "current"]),
    help="In an environment made for each commit's dependency files, or with the interpreter that is named. "
    "[default: as `record` has it for commits]",
)
@click.option(
    "--python", metavar="PATH", help="Interpreter that runs the benchmarks, or that environments are of."
)
@click.option(
    "--keep-builds",
    type=click.IntRange(4, 10_000),
    default=16,
    show_default=True,
    help="Built commits to keep at hand meanwhile.",
)
@click.option("--live-only", is_flag=True, help="Leave stored runs out of it.")
@click.option("--no-profile", is_flag=True, help="Do not explain a culprit with Nsight Compute.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), help="Seed of the orders. [default: drawn]")
@click.option("--resume", is_flag=True, help="Go on with the search that was left.")
@click.option("--restart", is_flag=True, help="Begin anew, whatever was left.")
@click.option("--dry-run", is_flag=True, help="Say what would be measured, and measure nothing.")
@click.option("--markdown", is_flag=True, help="The answer as Markdown, for an issue.")
@json_option
@verbosity_options
@project_options
def command(
    good: str,
    bad: str,
    bench: str,
    metric: str,
    budget: str | None,
    confidence: float | None,
    skip: tuple[str, ...],
    first_parent: bool,
    build: str | None,
    env: str | None,
    python: str | None,
    keep_builds: int,
    live_only: bool,
    no_profile: bool,
    seed: int | None,
    resume: bool,
    restart: bool,
    dry_run: bool,
    markdown: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    store: Path | None,
    directory: Path,
) -> int:
    """Find the commit at which a case got worse, and how sure that is.

    Measures GOOD and BAD in turns until their difference is beyond doubt, then the commits between that tell most,
    in worktrees, each in fresh processes beside an end. Raw times are weighed, so noise costs measurements and not
    correctness; commits that cannot be built keep their probability. The culprit and its parent are measured
    again to confirm it. Ctrl-C, a kill or a reboot lose nothing: --resume goes on.

    Exit 0 if what is to blame was named; 4 if not: the difference does not reproduce, or the budget ended.

    \b
    Examples:
      perftrack bisect --bench total HEAD~2 HEAD --dry-run
      perftrack bisect --bench total HEAD~2 HEAD
      perftrack bisect --bench total HEAD~2 HEAD --budget 30m --markdown
    """
    from perftrack.app.bisectoptions import BisectOptions, Budget
    from perftrack.app.project import Project
    from perftrack.errors import UsageError

    if as_json and markdown:
        raise UsageError("--json and --markdown are two answers to one question", "Give one of them.")
    if resume and restart:
        raise UsageError("--resume and --restart contradict one another", "Give one of them.")
    if confidence is not None and confidence != confidence:  # noqa: PLR0124 - NaN is in every range
        raise UsageError("--confidence must be a number")
    options = BisectOptions(
        good=good,
        bad=bad,
        bench=bench,
        metric=metric,
        budget=None if budget is None else Budget.parse(budget),
        confidence=confidence,
        skip=skip,
        first_parent=first_parent,
        build=build,
        python=python,
        env=env,
        keep=keep_builds,
        live_only=live_only,
        resume=resume,
        restart=restart,
        profile=not no_profile,
        seed=seed,
    )
    project = Project.find(directory, store)
    if dry_run:
        return _plan(project, options, as_json)
    return _search(project, options, as_json, markdown, quiet, verbose)


def _plan(project: Project, options: BisectOptions, as_json: bool) -> int:
    from perftrack.app.bisectplan import plan
    from perftrack.app.bisectresume import as_left
    from perftrack.cli import bisect_view as view

    planned = plan(project, as_left(project, options))
    if as_json:
        view.plan_json(planned)
    else:
        view.plan_text(planned)
    return 0


def _search(
    project: Project, options: BisectOptions, as_json: bool, markdown: bool, quiet: bool, verbose: bool
) -> int:
    from perftrack.app.bisect import bisect
    from perftrack.app.doctor import left_locked
    from perftrack.cli import bisect_view as view
    from perftrack.cli.bisect_progress import SearchProgress

    if left := left_locked():
        click.echo(f"Warning: {left[0]}\nHint: {left[1]}", err=True)
    with SearchProgress(quiet=quiet, verbose=verbose) as progress:
        answer = bisect(project, options, progress)
    if as_json:
        view.show_json(answer)
    else:
        view.show(answer, markdown=markdown)
    if answer.unstored:
        hint = "Put that right; then perftrack bisect --resume stores it."
        click.echo(f"Error: this answer is not stored: {answer.unstored}\nHint: {hint}", err=True)
    return answer.exit_code
