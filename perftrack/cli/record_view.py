"""What `perftrack record` answers."""

from __future__ import annotations

from collections.abc import Sequence

import click

from perftrack.app.recording import DryRun, Recorded
from perftrack.cli.documents import case_json, commit_json, measurement_json
from perftrack.cli.output import console, print_json, reasons_json, table
from perftrack.core.model import Measurement, Status
from perftrack.core.units import format_duration, format_interval


def show_plan(plan: DryRun, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "commits": [commit_json(c) for c in plan.commits],
                "cases": [case_json(s.case) for s in plan.cases],
                "problems": [{"where": p.where, "message": p.message} for p in plan.problems],
                "processes": plan.processes,
                "at_most_s": plan.at_most_s,
            }
        )
        return
    for problem in plan.problems:
        click.echo(f"Error: {problem.where}: {problem.message}", err=True)
    for commit in plan.commits:
        click.echo(f"{commit.sha[:12]} {commit.subject}")
    for selected in plan.cases:
        click.echo(f"  {selected.case.id}")
    click.echo(
        f"{len(plan.commits)} commit(s) × {len(plan.cases)} case(s) × {plan.processes} processes: "
        f"at most about {format_duration(plan.at_most_s)} of warm-up and timed work, set-up and builds not counted"
    )


def show_recorded(recorded: Sequence[Recorded], *, as_json: bool) -> None:
    if as_json:
        print_json({"runs": [_recorded_json(r) for r in recorded]})
        return
    for item in recorded:
        click.echo(f"{item.commit.sha[:12]} {item.commit.subject}")
        if item.failure:
            click.echo(f"  nothing recorded: {item.failure}")
        if item.run is None:
            continue
        rows = table([("case", "left"), ("metric", "left"), ("value", "right"), ("tier", "left"), ("", "left")])
        for m in item.run.measurements:
            rows.add_row(m.case.id, m.metric, shown_value(m), m.tier.value if m.value is not None else "", note(m))
        console().print(rows)
        click.echo(f"  run {item.run.id}: {_summary(item)}")
        for limit in item.run.limitations:
            click.echo(f"  limitation {limit.code}: {limit.message}")


def shown_value(measurement: Measurement) -> str:
    if measurement.status is not Status.OK:
        return measurement.status.value
    return format_interval(measurement.value, measurement.unit, measurement.interval)


def note(measurement: Measurement) -> str:
    """The one remark worth a column: why it failed or was skipped, or why its tier is C."""
    if measurement.status is not Status.OK or measurement.tier.value == "C":
        return measurement.reasons[0].message.partition("\n")[0][:120] if measurement.reasons else ""
    return ""


def _summary(item: Recorded) -> str:
    assert item.run is not None
    by = {s: sum(m.status is s for m in item.run.measurements) for s in Status}
    parts = [f"{by[Status.OK]} measured"]
    if by[Status.FAILED]:
        parts.append(f"{by[Status.FAILED]} FAILED")
    if by[Status.SKIPPED]:
        parts.append(f"{by[Status.SKIPPED]} skipped")
    if item.problems:
        parts.append(f"{len(item.problems)} benchmark file or declaration problem(s)")
    return f"{', '.join(parts)} in {format_duration(item.run.duration_s)}"


def _recorded_json(item: Recorded) -> dict[str, object]:
    run = item.run
    return {
        "commit": commit_json(item.commit),
        "run": run.id if run else None,
        "stored": item.new,
        "failure": item.failure or None,
        "duration_s": run.duration_s if run else None,
        "seed": run.seed if run else None,
        "limitations": reasons_json(run.limitations) if run else [],
        "problems": [{"where": p.where, "message": p.message, "hint": p.hint} for p in item.problems],
        "measurements": [measurement_json(m) for m in run.measurements] if run else [],
    }


def exit_code(recorded: Sequence[Recorded], *, strict: bool) -> int:
    """0 if every commit has a measured case; 1 if one has none, or, strictly, if anything failed."""
    if not recorded or any(r.measured == 0 for r in recorded):
        return 1
    bad = any(r.problems or any(m.status is Status.FAILED for m in r.run.measurements) for r in recorded if r.run)
    return 1 if strict and bad else 0
