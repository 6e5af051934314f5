"""Streams: the answer on stdout, everything else on stderr; JSON without non-finite numbers."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from perftrack.core.model import Interval, Reason

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

SCHEMA_VERSION = 1


def print_json(document: Mapping[str, object]) -> None:
    """One document; `schema_version` first."""
    whole = {"schema_version": SCHEMA_VERSION, **document}
    click.echo(json.dumps(_finite(whole), indent=2, ensure_ascii=False, allow_nan=False))


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(k): _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    return value


def reasons_json(reasons: Iterable[Reason]) -> list[dict[str, str]]:
    return [{"code": r.code, "message": r.message} for r in reasons]


def interval_json(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.lo, interval.hi]


def unknown_epoch(sha: str) -> str:
    """What is said of an accepted change that the clone lacks."""
    return f"perftrack-epochs.toml has an epoch at {sha[:12]}, which this clone lacks: it accepts nothing"


def console(*, stderr: bool = False) -> Console:
    """Rich on a terminal, plain text elsewhere. NO_COLOR is honoured by rich itself."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    # Off a terminal rich assumes 80 columns and would fold tables that a log can show whole.
    width = None if stream.isatty() else 200
    return Console(file=stream, highlight=False, markup=False, width=width, soft_wrap=False)


def table(columns: Sequence[tuple[str, str]]) -> Table:
    """A plain table; `columns` are (heading, "left" or "right"). What a cell says stays in its row, escaped."""
    from rich import box
    from rich.console import RenderableType
    from rich.table import Table

    from perftrack.core.launches.words import on_line

    class Rows(Table):
        def add_row(self, *cells: RenderableType | None, **options: Any) -> None:
            super().add_row(*(on_line(c) if isinstance(c, str) else c for c in cells), **options)

    made = Rows(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading, justify in columns:
        made.add_column(heading, justify="right" if justify == "right" else "left", overflow="fold")
    return made


def sparkline(values: Sequence[float]) -> str:
    """One block character a value, from lowest to highest."""
    if not values:
        return ""
    lo, hi = min(values), max(values)
    if hi <= lo:
        return "▄" * len(values)
    return "".join("▁▂▃▄▅▆▇█"[min(7, int(8 * (v - lo) / (hi - lo)))] for v in values)
