"""perftrack ncu."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perftrack.cli import ncu_run
from perftrack.cli.options import all_metrics_option, bench_option, json_option, project_options

if TYPE_CHECKING:
    from perftrack.app.explanation import Side
    from perftrack.app.project import Project


@click.group("ncu")
def command() -> None:
    """Nsight Compute: profile kernels, read its files, say why one commit's kernels are slower than another's."""


command.add_command(ncu_run.command)


def _project(directory: Path, store: Path | None) -> Project:
    from perftrack.app.project import Project

    return Project.find(directory, store)


def _tell(side: Side) -> None:
    """What a name was taken for, where it could have been taken for something else."""
    from perftrack.core.launches.words import on_line

    if side.ambiguous:
        click.echo(
            f"Warning: {on_line(side.name)} is a file and a revision: this is the file; "
            "git rev-parse tells the SHA",
            err=True,
        )
    if side.dirty:
        click.echo(f"Warning: {side.name} has profiles of uncommitted changes only", err=True)


@command.command("show")
@click.argument("what", nargs=-1, required=True, metavar="REV|FILE...")
@bench_option
@all_metrics_option
@json_option
@project_options
def show(
    what: tuple[str, ...],
    patterns: tuple[str, ...],
    all_metrics: bool,
    as_json: bool,
    store: Path | None,
    directory: Path,
) -> int:
    """Show each launch in a line: of files of Nsight Compute, or of the profiles stored for a commit.

    What is the name of a file is a file, else it is a revision; `-` is standard input. Several files are pages of
    one profile. Reports (.ncu-rep), CSV exports of the raw and details page, live output, selections of metrics
    and summaries per kernel are told apart by what is in them.

    \b
    Examples:
      perftrack ncu show HEAD
      perftrack ncu show HEAD --bench tokenize --json
      perftrack ncu show raw.csv details.csv
      perftrack ncu show raw.csv --all-metrics
    """
    from perftrack.app.explanation import side_of
    from perftrack.app.rooflines import roofs_of
    from perftrack.cli import ncu_view as view
    from perftrack.errors import UsageError

    side = side_of(
        what, patterns, lambda: _project(directory, store), directory, sys.stdin.buffer, everything=all_metrics
    )
    if side.commit is None and patterns:
        raise UsageError("--bench chooses among a commit's cases; files have none", "Leave it out.")
    _tell(side)
    roofs = roofs_of(_project(directory, store), side) if side.commit is not None else {}
    if as_json:
        view.print_side(side, roofs, all_metrics=all_metrics)
    else:
        view.show_side(side, roofs, all_metrics=all_metrics)
    return 0


@command.command("diff")
@click.argument("baseline", metavar="BASE")
@click.argument("candidate", metavar="[CAND]", default="HEAD")
@bench_option
@click.option("--all", "everything", is_flag=True, help="Every finding of every launch, not the top ones.")
@json_option
@project_options
def diff(
    baseline: str,
    candidate: str,
    patterns: tuple[str, ...],
    everything: bool,
    as_json: bool,
    store: Path | None,
    directory: Path,
) -> int:
    """Say what changed between two profiles, launch by launch, and what explains a slowdown.

    Each side is a file, or a revision with stored profiles. Counts are compared exactly, times and rates with a
    band; times only where both were profiled at the same clock and cache control.

    \b
    Examples:
      perftrack ncu diff HEAD~1
      perftrack ncu diff HEAD~1 HEAD --bench tokenize --json
      perftrack ncu diff raw.csv other.csv
    """
    from perftrack.app.explanation import explain_sides, side_of
    from perftrack.app.profiles import STDIN
    from perftrack.cli import ncu_view as view
    from perftrack.errors import UsageError

    if baseline == candidate == STDIN:
        raise UsageError("standard input can be read once", "Name a file or a revision for one side.")
    sides = [
        side_of((name,), patterns, lambda: _project(directory, store), directory, sys.stdin.buffer)
        for name in (baseline, candidate)
    ]
    if patterns and all(side.commit is None for side in sides):
        raise UsageError("--bench chooses among a commit's cases; files have none", "Leave it out.")
    for side in sides:
        _tell(side)
    explained = explain_sides(sides[0], sides[1])
    if as_json:
        view.print_diff(sides[0], sides[1], explained)
    else:
        view.show_diff(sides[0], sides[1], explained, everything=everything)
    return 0


@command.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--rev", "revision", required=True, metavar="REV", help="The commit whose code was profiled.")
@click.option("-b", "--bench", "case", required=True, metavar="CASE", help="The case that was profiled.")
@json_option
@project_options
def import_(
    files: tuple[str, ...], revision: str, case: str, as_json: bool, store: Path | None, directory: Path
) -> int:
    """Store files of Nsight Compute as the profile of a case of a commit. Several files are pages of one profile.

    \b
    Examples:
      perftrack ncu import raw.csv details.csv --rev HEAD --bench total
    """
    from perftrack.app.profiles import STDIN, import_files
    from perftrack.cli import ncu_view as view

    paths = [name if name == STDIN else str(directory / name) for name in files]
    profile, new, known = import_files(_project(directory, store), paths, revision, case, sys.stdin.buffer)
    if not known:
        click.echo(f"Warning: no case named {profile.case_id!r} is recorded; stored all the same", err=True)
    view.show_imported(profile, new=new, as_json=as_json)
    return 0
