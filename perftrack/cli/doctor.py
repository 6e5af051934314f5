"""perftrack doctor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perftrack.cli.options import json_option, project_options

if TYPE_CHECKING:
    from perftrack.core.checkup import Checkup, Finding
    from perftrack.timing.clocklock import LockRecord


@click.command("doctor")
@click.option("--device", metavar="KIND", help="auto, cpu, cuda, … [default: the configured one, or auto]")
@click.option("--python", metavar="PATH", help="Interpreter that would run the benchmarks.")
@click.option(
    "--restore-clocks", is_flag=True, help="First undo clock locks that a crash left behind. Needs root."
)
@json_option
@project_options
def command(
    device: str | None,
    python: str | None,
    restore_clocks: bool,
    as_json: bool,
    store: Path | None,
    directory: Path,
) -> int:
    """Check whether this machine is fit to measure, and say what to do about what is not.

    Checks where measuring would happen: in a fresh worker process, with the device opened as `record` opens
    it. Sets nothing on any device, except with --restore-clocks. Exit 1 only if nothing can be measured.

    \b
    Examples:
      perftrack doctor
      perftrack doctor --device cpu --json
      perftrack doctor --restore-clocks
    """
    from perftrack.app.doctor import check_up
    from perftrack.cli.output import console
    from perftrack.timing.clocks import restore_pending

    restored = restore_pending() if restore_clocks else ()
    with console(stderr=True).status("checking: starting a device may take a minute"):
        checkup = check_up(directory, store, device, python)
    if as_json:
        _print_json(checkup, restored)
    else:
        if restore_clocks:
            _show_restored(restored)
        _show(checkup)
    return 0 if checkup.possible else 1


def _print_json(checkup: Checkup, restored: Sequence[LockRecord]) -> None:
    from perftrack.cli.output import print_json

    print_json(
        {
            "device": checkup.device,
            "python": checkup.python,
            "possible": checkup.possible,
            "findings": [_finding_json(f) for f in checkup.findings],
            "summary": _counts(checkup.findings),
            "restored": [
                {
                    "card": r.card,
                    "locked_mhz": r.target_mhz,
                    "power_limit_w": None if r.power_limit_mw is None else r.power_limit_mw / 1000,
                    "pid": r.pid,
                }
                for r in restored
            ],
        }
    )


def _finding_json(found: Finding) -> dict[str, object]:
    return {
        "name": found.name,
        "area": found.area,
        "status": found.status.value,
        "seen": found.seen,
        "advice": found.advice,
        "numbers": found.numbers,
        "blocks": found.blocks,
    }


def _counts(findings: Sequence[Finding]) -> dict[str, int]:
    from perftrack.core.checkup import Health

    return {health.value: sum(f.status is health for f in findings) for health in Health}


def _show_restored(restored: Sequence[LockRecord]) -> None:
    if not restored:
        click.echo("no clock lock was left behind: nothing to restore")
    for record in restored:
        limit = (
            "" if record.power_limit_mw is None else f", power limit back to {record.power_limit_mw / 1000:g} W"
        )
        click.echo(f"restored {record.card}: no longer locked to {record.target_mhz} MHz{limit}")


def _show(checkup: Checkup) -> None:
    from rich.text import Text

    from perftrack.cli.output import console, table

    styles = {"ok": "green", "warn": "yellow", "fail": "bold red", "unknown": "magenta"}
    rows = table([("", "left"), ("check", "left"), ("seen, and what to do", "left")])
    for found in checkup.findings:
        text = Text(found.seen)
        if found.advice:
            text.append(f"\n→ {found.advice}", style="bold")
        rows.add_row(Text(found.status.value, styles[found.status.value]), found.name, text)
    console().print(rows)
    counts = ", ".join(f"{count} {name}" for name, count in _counts(checkup.findings).items() if count)
    verdict = "is possible" if checkup.possible else "is NOT possible"
    click.echo(f"measuring on {checkup.device} {verdict}: {counts}")
