"""What `perftrack record` answers."""

from __future__ import annotations

from collections.abc import Sequence

import click

from perftrack.app.recording import DryRun, Recorded
from perftrack.cli.documents import case_json, commit_json, measurement_json
from perftrack.cli.output import console, print_json, reasons_json, table
from perftrack.core.launches.words import on_line
from perftrack.core.model import Measurement, Status
from perftrack.core.share import Share, nearest
from perftrack.core.text import printable
from perftrack.core.units import format_duration, format_interval, format_percent


def show_plan(plan: DryRun, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "commits": [commit_json(c) for c in plan.commits],
                "done": plan.done,
                "deepen": plan.cut or None,
                "cases": [case_json(s.case) for s in plan.cases],
                "problems": [{"where": p.where, "message": p.message} for p in plan.problems],
                "processes": plan.processes,
                "max_processes": plan.most_processes,
                "at_most_s": plan.at_most_s,
            }
        )
        return
    for problem in plan.problems:
        click.echo(f"Error: {problem.where}: {printable(problem.message)}", err=True)
    if plan.cut:
        click.echo(f"Warning: {shallow(plan.cut)}", err=True)
    for commit in plan.commits:
        click.echo(f"{commit.sha[:12]} {on_line(commit.subject)}")
    for selected in plan.cases:
        click.echo(f"  {on_line(selected.case.id)}")
    processes = f"{plan.processes}"
    if plan.most_processes > plan.processes:
        processes += f" to {plan.most_processes}"
    if plan.done:
        click.echo(f"{plan.done} commit(s) are done: they are left out")
    click.echo(
        f"{len(plan.commits)} commit(s) × {len(plan.cases)} case(s) × {processes} processes: "
        f"at most about {format_duration(plan.at_most_s)} of warm-up and timed work, set-up and builds not counted"
    )


def shallow(command: str) -> str:
    return f"the clone is shallow and ends within the commits that were asked for: {command} fetches the rest"


def show_recorded(recorded: Sequence[Recorded], *, as_json: bool, briefly: bool = False) -> None:
    for item in recorded:
        for why in item.unprofiled:
            click.echo(f"limitation not-profiled: {item.commit.sha[:12]}: {on_line(why)}", err=True)
    if as_json:
        print_json({"runs": [_recorded_json(r) for r in recorded]})
        return
    for item in recorded:
        click.echo(f"{item.commit.sha[:12]} {on_line(item.commit.subject)}")
        if item.failure:
            kept = "nothing measured" if item.run else "nothing recorded"
            click.echo(f"  {kept}: {indented(item.failure)}")
        if item.complete:
            click.echo("  nothing is missing")
        if item.run is None or not item.run.measurements:
            continue
        if not briefly:
            _show_measurements(item)
        click.echo(f"  run {item.run_id}: {_summary(item)}")
        for limit in item.run.limitations if not briefly else ():
            click.echo(f"  limitation {limit.code}: {on_line(limit.message)}")
        for profile in item.profiles:
            told = f"{profile.case_id}: {len(profile.launches)} launch(es), {profile.collection}"
            click.echo(f"  profiled {on_line(told)}")
    if briefly:
        click.echo(_total(recorded))


def _show_measurements(item: Recorded) -> None:
    assert item.run is not None
    rows = table([("case", "left"), ("metric", "left"), ("value", "right"), ("tier", "left"), ("", "left")])
    for m in item.run.measurements:
        rows.add_row(m.case.id, m.metric, shown_value(m), m.tier.value if m.value is not None else "", note(m))
    console().print(rows)


def _total(recorded: Sequence[Recorded]) -> str:
    measured = sum(r.measured > 0 for r in recorded)
    failed = sum(bool(r.failure) for r in recorded)
    return f"{measured} commit(s) measured" + (f", {failed} could not be" if failed else "")


def indented(text: str) -> str:
    return printable(text).replace("\n", "\n    ")


def shown_value(measurement: Measurement) -> str:
    if measurement.status is not Status.OK:
        return measurement.status.value
    return format_interval(measurement.value, measurement.unit, measurement.interval)


def shown_share(found: Sequence[Share]) -> str:
    """`81 % of MAMF bfloat16`: the share of the limit that is nearest; empty where none is known."""
    share = nearest(found)
    return "" if share is None else f"{format_percent(100 * share.value)} of {share.ceiling.name}"


def note(measurement: Measurement) -> str:
    """The one remark worth a column: why it failed or was skipped, why its tier is C, where a ceiling was read."""
    at = next((r.message for r in measurement.reasons if r.code == "ceiling-at"), "")
    if at and measurement.tier.value != "C":
        return at
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
        "run": item.run_id or None,
        "stored": item.new,
        "failure": item.failure or None,
        "duration_s": run.duration_s if run else None,
        "seed": run.seed if run else None,
        "limitations": reasons_json(run.limitations) if run else [],
        "problems": [{"where": p.where, "message": p.message, "hint": p.hint} for p in item.problems],
        "measurements": [measurement_json(m) for m in run.measurements] if run else [],
        "profiles": [{"case": p.case_id, "launches": len(p.launches)} for p in item.profiles],
        "unprofiled": list(item.unprofiled),
    }


def exit_code(recorded: Sequence[Recorded], *, strict: bool, ranges: bool = False) -> int:
    """0 if every commit has a measured case; 1 if one has none, or, strictly, if anything else is missing.

    Of `ranges`, where nothing may be left to do, one commit with a measured case is enough. A commit that was not
    even stored, as the machine failed and not the commit, is an error in any case.
    """
    asked = [r for r in recorded if not r.complete]
    without = [r for r in asked if r.measured == 0]
    if any(r.run is None for r in without) or (len(without) == len(asked) > 0 if ranges else without):
        return 1
    bad = any(
        r.failure or r.unprofiled or r.problems or any(m.status is Status.FAILED for m in r.run.measurements)
        for r in asked
        if r.run
    )
    return 1 if strict and bad else 0
