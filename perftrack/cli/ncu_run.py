"""perftrack ncu run."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perftrack.cli.options import all_metrics_option, json_option, project_options

if TYPE_CHECKING:
    from perftrack.config import Config


@click.command("run", context_settings={"allow_interspersed_args": False})
@click.option(
    "--set", "set_name", default="basic", show_default=True, help="Section set: basic, detailed, full, …"
)
@click.option("--metrics", multiple=True, metavar="NAME[,NAME]...", help="Metrics besides the set. Repeatable.")
@click.option("--only-metrics", is_flag=True, help="Only what --metrics names, no set.")
@click.option(
    "--clock-control",
    type=click.Choice(["none", "base", "boost"]),
    help="What ncu does to the clocks. [default: none, or the configured]",
)
@click.option(
    "--cache-control",
    type=click.Choice(["all", "none"]),
    help="Caches flushed before each pass. [default: all, or the configured]",
)
@click.option("--launches", type=click.IntRange(1), metavar="N", help="Profile only the first N launches.")
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="End it after this long."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also keep the report, as FILE.ncu-rep.",
)
@click.option("-f", "--force", is_flag=True, help="With -o: replace a file that is there.")
@all_metrics_option
@json_option
@project_options
@click.argument("program", nargs=-1, required=True, metavar="-- COMMAND...", type=click.UNPROCESSED)
def command(
    set_name: str,
    metrics: tuple[str, ...],
    only_metrics: bool,
    clock_control: str | None,
    cache_control: str | None,
    launches: int | None,
    timeout: float | None,
    output: Path | None,
    force: bool,
    all_metrics: bool,
    as_json: bool,
    store: Path | None,
    directory: Path,
    program: tuple[str, ...],
) -> int:
    """Profile a command's kernel launches and show each in a line. What the command prints goes to stderr.

    Exit 1 if nothing could be profiled, or the command failed.

    \b
    Examples:
      perftrack ncu run -- python train.py
      perftrack ncu run --set full --launches 5 -o profile -- python train.py
      perftrack ncu run --only-metrics --metrics smsp__inst_executed.sum --json -- python train.py
    """
    from perftrack.app.profiles import run_command
    from perftrack.cli import ncu_view as view
    from perftrack.errors import UsageError
    from perftrack.ncu.selection import DIFF_METRICS, Selection, check_set
    from perftrack.ncu.tool import find_tool

    named = tuple(name for given in metrics for name in given.split(",") if name)
    if only_metrics and not named:
        raise UsageError("--only-metrics needs --metrics", "Name some, or leave it out.")
    if timeout is not None and not math.isfinite(timeout):
        raise UsageError("--timeout must be a number of seconds", "Leave it out to wait for ever.")
    if not only_metrics:
        check_set(set_name)
    keep = _report_path(output, force=force) if output is not None else None
    config, ncu = _configured(directory, store)
    selection = Selection(
        "" if only_metrics else set_name,
        named if only_metrics else (*DIFF_METRICS, *named),
        clock_control or config.ncu_clock_control,
        cache_control or config.ncu_cache_control,
        launches,
    )
    sys.stderr.flush()
    profile, status = run_command(
        find_tool(ncu),
        selection,
        program,
        sys.stderr.fileno(),
        folder=directory,
        timeout_s=timeout,
        keep=keep,
        everything=all_metrics,
    )
    if as_json:
        view.print_profile(
            profile, all_metrics=all_metrics, more={"command": list(program), "exit_status": status}
        )
    else:
        view.show_profile(profile, all_metrics=all_metrics)
    if status:
        click.echo(f"Warning: the command exited with {status}: its launches may not be all", err=True)
    return 1 if status else 0


def _report_path(output: Path, *, force: bool) -> Path:
    from perftrack.errors import UsageError

    path = output if output.suffix == ".ncu-rep" else output.with_name(output.name + ".ncu-rep")
    if path.exists() and not force:
        raise UsageError(f"{path} is there already", "Give --force to replace it, or another name to -o.")
    return path


def _configured(directory: Path, store: Path | None) -> tuple[Config, str]:
    """The project's configuration and its ncu; the defaults outside of one."""
    from perftrack.app.project import Project
    from perftrack.config import Config
    from perftrack.errors import GitError

    try:
        project = Project.find(directory, store)
    except GitError:
        return Config(), ""
    return project.config, project.program(project.config.ncu)
