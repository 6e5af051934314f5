"""perftrack record."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perftrack.cli.options import bench_option, json_option, project_options, sweep_options, verbosity_options

if TYPE_CHECKING:
    from perftrack.app.profiling import Profiler
    from perftrack.app.project import Project
    from perftrack.app.recording import RecordOptions


class _RecordCommand(click.Command):
    """With `--ncu` and `--ncu=SET`: click would take a revision that follows the former for its value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = args[: args.index("--")] if "--" in args else args
        given = ["--ncu=" if a == "--ncu" else a for a in options]
        return super().parse_args(ctx, given + args[len(options) :])


@click.command("record", cls=_RecordCommand)
@click.argument("revisions", nargs=-1, metavar="[REV]...")
@sweep_options
@bench_option
@click.option("--quick", is_flag=True, help="Fewer processes and windows: a first look, marked as such.")
@click.option(
    "-n", "--dry-run", is_flag=True, help="List the commits and cases that would be measured; write nothing."
)
@click.option("--allow-dirty", is_flag=True, help="Record uncommitted changes; kept out of trends and baselines.")
@click.option("--strict", is_flag=True, help="Exit 1 if any case failed or any benchmark file could not be used.")
@click.option(
    "--processes",
    type=click.IntRange(1, 100),
    help="Fresh worker processes a run: fewer are quicker, and their intervals wider. [default: 4]",
)
@click.option(
    "--max-processes",
    type=click.IntRange(1, 100),
    help="Go on up to this many for cases whose interval is too wide. [default: as --processes]",
)
@click.option(
    "--width",
    type=click.FloatRange(0, 1, min_open=True),
    help="With --max-processes: relative half-width at which a case needs no more. [default: 0.005]",
)
@click.option(
    "--lock-clocks", type=click.IntRange(1), metavar="MHZ", help="Lock the GPU's SM clock meanwhile; needs root."
)
@click.option("--power-cap", type=click.IntRange(1), metavar="W", help="With --lock-clocks: also cap the power.")
@click.option("--build", metavar="COMMAND", help="Shell command that builds a commit before it is measured.")
@click.option(
    "--env",
    "environment",
    type=click.Choice(["venv", "current"]),
    help="For revisions: in an environment made for the commit's dependency files, or with the interpreter that "
    "is named. [default: `env` of the configuration; else venv where there are such files and no interpreter is "
    "named]",
)
@click.option(
    "--python", metavar="PATH", help="Interpreter that runs the benchmarks, or that environments are of."
)
@click.option("--device", help="Device to run on instead of the declared one: cpu, cuda, …")
@click.option(
    "--devices",
    default="",
    metavar="LIST",
    help='Spread commits over accelerators, each commit wholly on one: "0,1", or "all".',
)
@click.option(
    "--benchmarks-from",
    type=click.Choice(["checkout", "commit"]),
    default="checkout",
    show_default=True,
    help="For revisions: measure with the benchmark files of this checkout, or of the commit itself.",
)
@click.option("--label", default="", help="A note kept with the run.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), help="Seed of the order of cases. [default: drawn]")
@click.option(
    "--ncu",
    "ncu_set",
    metavar="[=SET]",
    help="Then profile each GPU case with Nsight Compute: basic, or SET, and what explains a slowdown.",
)
@json_option
@verbosity_options
@project_options
def command(
    revisions: tuple[str, ...],
    since: str,
    every: int,
    new: bool,
    missing: bool,
    again: bool,
    limit: int | None,
    order: str,
    all_parents: bool,
    patterns: tuple[str, ...],
    quick: bool,
    dry_run: bool,
    allow_dirty: bool,
    strict: bool,
    processes: int | None,
    max_processes: int | None,
    width: float | None,
    lock_clocks: int | None,
    power_cap: int | None,
    build: str | None,
    environment: str | None,
    python: str | None,
    device: str | None,
    devices: str,
    benchmarks_from: str,
    label: str,
    seed: int | None,
    ncu_set: str | None,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    store: Path | None,
    directory: Path,
) -> int:
    """Measure commits and store the results.

    Without REV: the working tree at HEAD, in place. With REV: each in a worktree of its own, outside of yours,
    built with --build or the configured command.

    A..B, --since, --every, --limit, --new and --missing mean the commits of a history, of which those that are
    done are left out: so the same command goes on after an interruption. Done is a commit that has a run from
    this kind of machine (the same GPU, or for work on the CPU the same processor), even if its build or a
    benchmark failed. Beside the last five a REV alone means its whole history; without a REV it is HEAD's.

    Exit 1 if nothing was measured: of any commit that was named; of a history, of all that was left.

    --ncu profiles once the times are stored, each case in a process of its own. Where that is not possible it is
    said, the times stay, and the exit code is what it is without (with --strict: 1).

    \b
    Examples:
      perftrack record
      perftrack record --quick --bench tokenize
      perftrack record --quick --ncu HEAD
      perftrack record HEAD~2 HEAD~1 HEAD
      perftrack record HEAD~2..HEAD --quick
      perftrack record --since "2 years" --every 10 --order spread --quick
      perftrack record --new --limit 20 --quick
      perftrack record --dry-run --missing
    """
    from perftrack.app import record as app
    from perftrack.app.doctor import left_locked
    from perftrack.app.project import Project
    from perftrack.app.recording import RecordOptions
    from perftrack.app.sweep import Sweep, check
    from perftrack.cli import record_view as view
    from perftrack.cli.progress import RecordProgress
    from perftrack.core.spread import Order
    from perftrack.errors import UsageError

    if power_cap is not None and lock_clocks is None:
        raise UsageError("--power-cap needs --lock-clocks", "Give both, or neither.")
    project = Project.find(directory, store)
    project.device(device)  # before profiling is tried, too
    sweep = Sweep(revisions, since, every, limit, new, missing, again, all_parents, Order(order))
    check(sweep)
    options = RecordOptions(
        sweep=sweep,
        patterns=patterns,
        quick=quick,
        allow_dirty=allow_dirty,
        processes=processes,
        max_processes=max_processes,
        width=width,
        lock_clocks_mhz=lock_clocks,
        power_cap_w=power_cap,
        cache_ratio=verbose,
        build=build,
        python=python,
        device=device,
        benchmarks_from_commit=benchmarks_from == "commit",
        label=label,
        seed=seed,
        environment=environment or "",
        devices=devices,
    )
    if options.in_place and (environment == "venv" or devices):
        given = "--devices" if devices else "--env venv"
        raise UsageError(f"{given} is for commits in worktrees; this is the working tree", "Name commits: HEAD.")
    if dry_run:
        plan = app.dry_run(project, options)
        view.show_plan(plan, as_json=as_json)
        return 0 if plan.cases or plan.done else 1
    if left := left_locked():
        click.echo(f"Warning: {left[0]}\nHint: {left[1]}", err=True)
    if ncu_set is not None:
        options = replace(options, profiler=_profiler(project, options, ncu_set))
    with RecordProgress(quiet=quiet, verbose=verbose) as progress:
        recorded = app.record(project, options, progress)
    view.show_recorded(recorded, as_json=as_json, briefly=sweep.ranges)
    return view.exit_code(recorded, strict=strict, ranges=sweep.ranges)


def _profiler(project: Project, options: RecordOptions, ncu_set: str) -> Profiler:
    """The profiler, tried before anything is measured: that there will be no profiles is told first."""
    from perftrack.app.profiling import open_profiler

    profiler = open_profiler(project, ncu_set, python=options.python, device=options.device)
    if profiler.refusal is not None:
        click.echo(f"Warning: nothing will be profiled: {profiler.refusal.message}", err=True)
        if profiler.refusal.hint:
            click.echo(f"Hint: {profiler.refusal.hint}", err=True)
    return profiler
