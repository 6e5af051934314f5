"""perftrack compare."""

from __future__ import annotations

from pathlib import Path

import click

from perftrack.cli.options import bench_option, json_option, project_options


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
@click.option("--markdown", is_flag=True, help="A table for a pull request.")
@json_option
@project_options
def command(
    baseline: str,
    candidate: str,
    patterns: tuple[str, ...],
    threshold: float | None,
    everything: bool,
    pass_inconclusive: bool,
    markdown: bool,
    as_json: bool,
    store: Path | None,
    directory: Path,
) -> int:
    """Compare two recorded commits: a gate for CI.

    Exit 3 if anything regressed; 4 if anything could not be decided; 0 if everything was and nothing got worse.

    \b
    Examples:
      perftrack compare HEAD~1
      perftrack compare HEAD~1 HEAD --all
      perftrack compare HEAD~1 HEAD --markdown
      perftrack compare HEAD~1 HEAD --json
    """
    from perftrack.app.comparison import compare
    from perftrack.app.project import Project
    from perftrack.cli import compare_view as view
    from perftrack.errors import UsageError

    if as_json and markdown:
        raise UsageError("--json and --markdown are two answers to one question", "Give one of them.")
    comparison = compare(
        Project.find(directory, store), baseline, candidate, patterns=patterns, threshold=threshold
    )
    code = comparison.exit_code(pass_inconclusive=pass_inconclusive)
    if as_json:
        view.show_json(comparison, code)
    elif markdown:
        view.show_markdown(comparison, everything=everything)
    else:
        view.show_text(comparison, everything=everything)
    return code
