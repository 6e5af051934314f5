"""perftrack ceiling: measure, show, knobs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perftrack.cli.options import json_option, project_options, verbosity_options

if TYPE_CHECKING:
    from perftrack.core.ceiling import Shape

DTYPES = (
    "bfloat16", "float16", "float32", "tf32", "float8_e4m3fn", "float8_e4m3fnuz", "mxfp8", "mxfp4", "nvfp4",
)  # fmt: skip
_DIMENSIONS = ("m", "n", "k")


@click.group("ceiling")
def command() -> None:
    """Measure the limits of an accelerator, and show them.

    MAMF is the matmul rate of a burst at boost clock, MSMF what the chip holds when saturated; copy and triad
    are the bandwidth of memory and of the L2 cache. `perftrack show`, `compare` and the site give results as
    shares of them.
    """


@command.command("measure")
@click.option(
    "--dtype",
    "dtypes",
    type=click.Choice(DTYPES),
    multiple=True,
    default=("bfloat16",),
    show_default=True,
    help="What is multiplied; tf32 is float32 on tensor cores. Repeatable.",
)
@click.option(
    "--search",
    "how",
    type=click.Choice(["auto", "grid"]),
    help="auto: find the best shapes anywhere; grid: among those that you give. [default: grid if any is given]",
)
@click.option("--m", metavar="LIST", help="Grid: values of M, such as 1024,2048.")
@click.option("--n", metavar="LIST", help="Grid: values of N.")
@click.option("--k", metavar="LIST", help="Grid: values of K.")
@click.option("--m-range", metavar="RANGE", help='Grid: M as "START STOP [STEP]".')
@click.option("--n-range", metavar="RANGE", help="Grid: N likewise.")
@click.option("--k-range", metavar="RANGE", help="Grid: K likewise.")
@click.option(
    "--shapes-file", type=click.Path(dir_okay=False, path_type=Path), help="Grid: shapes, one MxNxK a line."
)
@click.option("--tune", "knobs", multiple=True, metavar="NAME=VALUE", help="Set a knob of the search. Repeatable.")
@click.option(
    "--time-budget", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="End the search by then."
)
@click.option("--only", type=click.Choice(["matmul", "bandwidth"]), help="Measure only this.")
@click.option(
    "--device", default="", help="cuda, rocm, hpu, xpu, mps. [default: the configured one, else what is there]"
)
@click.option(
    "--devices", default="0", show_default=True, metavar="LIST", help='Which: "0", "0,1", or "all" at once.'
)
@click.option(
    "--telemetry",
    type=click.Choice(["on", "off"]),
    default="on",
    show_default=True,
    help="Clock and power validate a ceiling; off measures without, unvalidated.",
)
@click.option("--python", metavar="PATH", help="Interpreter that has torch.")
@click.option("--label", default="", help="A note kept with the run.")
@click.option("--no-store", is_flag=True, help="Measure only; works outside of a repository.")
@json_option
@verbosity_options
@project_options
def measure(
    dtypes: tuple[str, ...],
    how: str | None,
    m: str | None,
    n: str | None,
    k: str | None,
    m_range: str | None,
    n_range: str | None,
    k_range: str | None,
    shapes_file: Path | None,
    knobs: tuple[str, ...],
    time_budget: float | None,
    only: str | None,
    device: str,
    devices: str,
    telemetry: str,
    python: str | None,
    label: str,
    no_store: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    store: Path | None,
    directory: Path,
) -> int:
    """Search for the highest matmul rates and bandwidths of a device, and store them under HEAD.

    Ctrl-C ends a search with the best so far, which is stored as partial. Exit 1 if nothing was measured or a
    device failed.

    \b
    Examples:
      perftrack ceiling measure
      perftrack ceiling measure --time-budget 60 --only matmul
      perftrack ceiling measure --m 4096 --n 4096 --k-range "1024 9216 1024" --no-store
      perftrack ceiling measure --dtype float16 --only bandwidth --json
    """
    from perftrack.app.ceiling import take_ceilings
    from perftrack.app.deviceceilings import CeilingOptions
    from perftrack.ceiling.tuning import parse_tuning
    from perftrack.cli import ceiling_view as view
    from perftrack.cli.ceiling_progress import CeilingProgress
    from perftrack.core.ceiling import DataType

    if time_budget is not None and not math.isfinite(time_budget):
        raise click.UsageError("--time-budget must be a number of seconds")
    shapes = _shapes(how, {"m": (m, m_range), "n": (n, n_range), "k": (k, k_range)}, shapes_file)
    options = CeilingOptions(
        dtypes=tuple(DataType(d) for d in dict.fromkeys(dtypes)),
        shapes=shapes,
        tuning=parse_tuning(knobs),
        time_budget_s=time_budget,
        kind=device,
        devices=_devices(devices),
        telemetry=telemetry == "on",
        products=only != "bandwidth",
        bandwidth=only != "matmul",
    )
    with CeilingProgress(quiet=quiet, verbose=verbose) as progress:
        taken = take_ceilings(
            directory, store, options, progress.of, python=python, label=label, keep=not no_store
        )
    view.show_taken(taken, as_json=as_json)
    if taken.measured.ended_by is not None:
        raise taken.measured.ended_by
    return view.exit_code(taken)


@command.command("show")
@click.option("--all", "everything", is_flag=True, help="Every stored ceiling, not only those in force.")
@json_option
@project_options
def show(everything: bool, as_json: bool, store: Path | None, directory: Path) -> int:
    """Show the stored ceilings: those that results are held against, by environment.

    Over the commits, as any benchmark: perftrack log ceiling, and the site.

    \b
    Examples:
      perftrack ceiling show
      perftrack ceiling show --all --json
    """
    from perftrack.app.ceilingshow import show_ceilings
    from perftrack.app.project import Project
    from perftrack.cli import ceiling_view as view

    view.show_stored(show_ceilings(Project.find(directory, store), everything=everything), as_json=as_json)
    return 0


@command.command("knobs")
@json_option
def list_knobs(as_json: bool) -> int:
    """List the knobs of the search: what --tune NAME=VALUE takes, with defaults.

    One that is marked changes what a ceiling means, so that its result is a case of its own.

    \b
    Examples:
      perftrack ceiling knobs
    """
    from perftrack.cli import ceiling_view as view

    view.show_knobs(as_json=as_json)
    return 0


def _shapes(
    how: str | None, given: dict[str, tuple[str | None, str | None]], shapes_file: Path | None
) -> tuple[Shape, ...] | None:
    """The shapes of a grid; None for an automatic search. Raises UsageError for options that do not fit."""
    from perftrack.ceiling.shapes import grid, parse_range, parse_values, read_shapes
    from perftrack.errors import UsageError

    named = [n for n in _DIMENSIONS if any(given[n])]
    if how == "auto" and (named or shapes_file):
        raise UsageError(
            "--search auto finds the shapes itself", "Leave out the shapes, or search a grid of them."
        )
    if shapes_file is not None:
        if named:
            raise UsageError(f"--shapes-file and --{named[0]} both say what to search", "Give one of them.")
        return read_shapes(shapes_file)
    if not named:
        if how == "grid":
            raise UsageError("--search grid needs --m, --n and --k, or --shapes-file")
        return None
    if missing := [n for n in _DIMENSIONS if n not in named]:
        raise UsageError(f"--{missing[0]} is missing", "A grid needs values of M, N and K: --m, --n, --k.")
    values = []
    for name in _DIMENSIONS:
        listed, ranged = given[name]
        if listed is not None and ranged is not None:
            raise UsageError(f"--{name} and --{name}-range are two ways to say the same", "Give one of them.")
        if listed is not None:
            values.append(parse_values(f"--{name}", _numbers(f"--{name}", listed)))
        else:
            values.append(parse_range(f"--{name}-range", _numbers(f"--{name}-range", ranged or "")))
    return grid(*values)


def _numbers(option: str, text: str) -> list[int]:
    from perftrack.errors import UsageError

    parts = text.replace(",", " ").replace(":", " ").split()
    try:
        return [int(part) for part in parts]
    except ValueError:
        raise UsageError(f"{option} {text!r}: expected whole numbers", "Such as 1024,2048.") from None


def _devices(text: str) -> tuple[int, ...] | None:
    from perftrack.errors import UsageError

    if text == "all":
        return None
    parts = [p.strip() for p in text.split(",")]
    if not all(p.isascii() and p.isdigit() for p in parts):
        raise UsageError(f"--devices {text!r}: expected numbers of devices", 'Such as "0", "0,1", or "all".')
    return tuple(dict.fromkeys(int(p) for p in parts))
