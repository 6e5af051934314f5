"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def project_options(command: Command) -> Command:
    """`-C` and `--store`: where the project is, and its store."""
    for option in (
        click.option(
            "--store",
            type=click.Path(dir_okay=False, path_type=Path),
            help="The store. [env: PERFTRACK_STORE; default: perftrack.duckdb at the repository's root]",
        ),
        click.option(
            "-C",
            "directory",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            default=Path(),
            help="Run as if started in this directory.",
        ),
    ):
        command = option(command)
    return command


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")(command)


def all_metrics_option(command: Command) -> Command:
    return click.option("--all-metrics", is_flag=True, help="Every metric of every launch, in base units.")(
        command
    )


def bench_option(command: Command) -> Command:
    return click.option(
        "-b",
        "--bench",
        "patterns",
        multiple=True,
        metavar="PATTERN",
        help="Only cases that match: part of a case's name, a glob, FILE, FILE::NAME or ::NAME. Repeatable.",
    )(command)


def sweep_options(command: Command) -> Command:
    """Which commits of a history, and in which order."""
    for option in (
        click.option(
            "--all-parents", is_flag=True, help="Also the commits of merged branches, not only first parents."
        ),
        click.option(
            "--order",
            type=click.Choice(["newest", "oldest", "spread"]),
            default="newest",
            show_default=True,
            help="Newest or oldest first, or evenly spread: the coarse picture first.",
        ),
        click.option(
            "--limit", type=click.IntRange(1), metavar="N", help="At most N commits of those that are left."
        ),
        click.option("--again", is_flag=True, help="Measure also the commits that are done."),
        click.option(
            "--missing",
            is_flag=True,
            help="Commits that lack a result of one of the checkout's cases, and of them those cases alone: new "
            "ones, and what failed, builds included.",
        ),
        click.option("--new", is_flag=True, help="Commits of the history that are not done."),
        click.option(
            "--every",
            type=click.IntRange(1),
            default=1,
            metavar="N",
            help="One commit in N of the history, counted from its beginning.",
        ),
        click.option(
            "--since",
            default="",
            metavar="DATE",
            help="Commits since a date (2026-01-31), a time, or an age (2 weeks), by their committer's clock.",
        ),
    ):
        command = option(command)
    return command


def verbosity_options(command: Command) -> Command:
    """`--quiet` and `--verbose`."""
    command = click.option("-q", "--quiet", is_flag=True, help="No progress, only errors and the answer.")(command)
    return click.option("-v", "--verbose", is_flag=True, help="Details of every case on stderr.")(command)
