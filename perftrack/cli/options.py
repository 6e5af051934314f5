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


def verbosity_options(command: Command) -> Command:
    """`--quiet` and `--verbose`."""
    command = click.option("-q", "--quiet", is_flag=True, help="No progress, only errors and the answer.")(command)
    return click.option("-v", "--verbose", is_flag=True, help="Details of every case on stderr.")(command)
