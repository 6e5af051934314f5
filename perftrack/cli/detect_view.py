"""What `perftrack detect` answers, and how changes are shown wherever they are."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

import click

from perftrack.app.changecauses import sides
from perftrack.app.creeping import CreepReport
from perftrack.app.detect import LOUD, ChangeEvent, Detection
from perftrack.app.order import Order
from perftrack.app.project import Project
from perftrack.app.silences import SilenceReport
from perftrack.cli.detect_documents import change_json, creep_json, event_json, silence_json
from perftrack.cli.output import print_json, unknown_epoch
from perftrack.core.changes.appraisal import CaseChange
from perftrack.core.changes.changepoint import ChangeKind, ChangePoint, Shift
from perftrack.core.changes.silence import SilenceKind
from perftrack.core.changes.watch import Standing
from perftrack.core.launches.words import on_line, top_lines
from perftrack.core.model import Commit, Interval
from perftrack.core.text import printable
from perftrack.core.units import format_change, format_value

SHOWN_CHANGES = 10  # of an event; --all shows all


def show_json(project: Project, detection: Detection) -> None:
    commits = subjects(project, detection)
    shas = detection.order.shas
    release = detection.release
    print_json(
        {
            "head": shas[-1],
            "release": None if release is None else {"name": release.name, "sha": release.sha},
            "changes": [change_json(c, shas) for c in detection.changes],
            "events": [event_json(e, shas, commits) for e in detection.events],
            "creep": [creep_json(c) for c in detection.creeps],
            "silence": [silence_json(s, shas) for s in detection.silences],
            "summary": {
                **{standing.value: detection.count(standing) for standing in Standing},
                "regression": sum(c.alarming for c in detection.changes),
                "creep": len(detection.creeps),
                "silence": len(detection.silences),
                "lanes": detection.lanes,
                "lanes_decided": detection.decided,
                "commits_outside": detection.outside,
                "exit_code": detection.exit_code,
            },
        }
    )


def show_text(project: Project, detection: Detection, *, everything: bool) -> None:
    commits = subjects(project, detection)
    shown = [e for e in detection.events if everything or any(c.standing in LOUD for c in e.changes)]
    for event in shown:
        for line in _event_lines(event, detection, commits, everything=everything):
            click.echo(on_line(line))
        click.echo()
    for creep in detection.creeps:
        click.echo(on_line(_creep_line(creep)))
    for silence in detection.silences:
        click.echo(on_line(_silence_line(silence, detection.order)))
    for note in _notes(detection, everything=everything):
        click.echo(f"note {on_line(note)}")
    click.echo(headline(detection))


def subjects(project: Project, detection: Detection) -> dict[str, Commit]:
    """The commits that the answer names, by SHA."""
    shas = detection.order.shas
    named = {shas[at] for e in detection.events for at in (e.first, e.last, e.most_likely)}
    return {c.sha: c for c in project.repository.commits(sorted(named))}


def headline(detection: Detection) -> str:
    """How much of each kind, worst first."""
    alerts = [c for c in detection.changes if c.standing is Standing.ALERT]
    counts = (
        (sum(c.worse for c in alerts), "regression"),
        (len(detection.creeps), "creep"),
        (sum(not c.worse for c in alerts), "improvement"),
        (detection.count(Standing.SUSPECT), "suspect"),
        (detection.count(Standing.ACCEPTED), "accepted"),
        (len(detection.silences), "silent"),
    )
    told = ", ".join(f"{n} {what}" for n, what in counts if n)
    if not detection.decided:
        told = f"{told}; " if told else ""
        return f"{told}nothing to decide: no lane has the commits that a change shows in"
    return f"{told or 'no change'} in {detection.decided} lane(s)"


def change_text(change: ChangePoint, unit: str) -> str:
    """`+3.1 % (+2.6 % … +3.6 %)`, or both levels where there is no ratio."""
    if change.ratio is None or change.interval is None:
        return f"{format_value(change.before, unit)} → {format_value(change.after, unit)}"
    ends = Interval(math.log(change.interval.lo), math.log(change.interval.hi))
    shown = format_change(math.log(change.ratio))
    if ends.lo == ends.hi:
        return shown
    return f"{shown} ({format_change(ends.lo)} … {format_change(ends.hi)})"


def mark(change: ChangePoint) -> str:
    """The way the value went."""
    return "▲" if change.direction is Shift.UP else "▼"


def range_text(first: str, last: str, count: int) -> str:
    return first[:12] if first == last else f"{first[:12]}..{last[:12]} ({count} commits)"


def _event_lines(
    event: ChangeEvent, detection: Detection, commits: Mapping[str, Commit], *, everything: bool
) -> Iterator[str]:
    order, devices = detection.order, detection.devices
    sha = order.shas[event.most_likely]
    where = range_text(order.shas[event.first], order.shas[event.last], event.last - event.first + 1)
    drift = all(c.change.kind is ChangeKind.GRADUAL for c in event.changes)
    likely = "steepest at" if drift else "most likely"
    commit = commits.get(sha)
    named = f"{where}, {likely} {sha[:12]}" if event.last > event.first else where
    yield f"{named} {printable(commit.subject[:70]) if commit else ''}".rstrip()
    steps = event.last - event.first + 1
    if not drift and event.candidates and len(event.candidates) < steps:
        listed = ", ".join(order.shas[at][:12] for at in event.candidates[:5])
        more = " …" if len(event.candidates) > 5 else ""
        yield f"  {len(event.candidates)} of {steps} commits changed the code: {listed}{more}"
    own = [c for c in event.changes if everything or c.standing in LOUD]
    shown = own if everything else own[:SHOWN_CHANGES]
    for change in shown:
        yield f"  {_change_line(change, devices if len(devices) > 1 else {})}"
        for why in change.reasons:
            yield f"      {printable(why.message)}"
        if change.standing is Standing.SUSPECT:
            before, after = (p.sha[:12] for p in sides(change))
            yield f"      perftrack record {before} {after}"
    if len(own) > len(shown):
        yield f"  {len(own) - len(shown)} more; --all lists them"
    if narrower := _bisect_command(event, order):
        yield f"  to narrow it down: {narrower}"
    for hint in event.hints:
        yield f"  cause? {printable(hint.message)}"
    for case, diff in event.diffs.items():
        for line in top_lines(diff):
            yield f"  cause? {case}: {line}"


def _bisect_command(event: ChangeEvent, order: Order) -> str:
    """What finds the commit, where several can have made a case slower in one step; else empty."""
    sure = [c for c in event.changes if c.alarming and c.change.kind is not ChangeKind.GRADUAL]
    if not sure or len(event.candidates) < 2 or event.first == 0:
        return ""
    good, bad = order.shas[event.first - 1][:12], order.shas[event.last][:12]
    return f"perftrack bisect {good} {bad} --bench {shlex.quote(printable(sure[0].case.id))}"


def _change_line(change: CaseChange, devices: Mapping[str, str]) -> str:
    """`devices`: by lane, where there are several to tell apart."""
    lane = change.trend.lane
    where = f" on {printable(devices[lane])}, lane {lane}" if lane in devices else ""
    kind = "" if change.change.kind is ChangeKind.STEP else f", {change.change.kind.value}"
    standing = "" if change.standing is Standing.ALERT else f", {change.standing.value}"
    known = ", known" if change.known else ""
    found = change_text(change.change, change.series.unit)
    return (
        f"{mark(change.change)} {change.verdict.value:<11} {change.case.id} {change.series.metric} {found}"
        f"{where}{kind}{standing}{known} [{change.id}]"
    )


def _creep_line(report: CreepReport) -> str:
    own, seen = report.lane.series, report.creep
    ends = f"{format_change(math.log(seen.interval.lo))} … {format_change(math.log(seen.interval.hi))}"
    known = ", known" if report.known else ""
    return (
        f"creep {own.case.id} {own.metric}: {format_change(math.log(seen.ratio))} ({ends}) since "
        f"{report.release.name}, in no single step{known} [{report.id}]"
    )


def _silence_line(report: SilenceReport, order: Order) -> str:
    silence, known = report.silence, ", known" if report.known else ""
    if silence.kind is SilenceKind.CASE and silence.last is not None:
        where = f"{silence.name} on {silence.device}: last at {order.shas[silence.last][:12]}"
        missing = f"missing from {silence.missing} measured commit(s) since: {report.detail}"
        return f"silent case {where}, {missing}{known} [{silence.id}]"
    last = datetime.fromtimestamp(silence.last_at or 0.0, UTC).date().isoformat()
    what = f"silent {silence.kind.value} {silence.name}"
    if silence.kind is SilenceKind.ALL:
        what = "silence: nothing was recorded lately"
    return f"{what}: last run on {last}{known} [{silence.id}]"


def _notes(detection: Detection, *, everything: bool) -> Iterator[str]:
    if short := detection.lanes - detection.decided:
        yield f"{short} of {detection.lanes} lane(s) are too short, or have nothing since, to show a change"
    if detection.outside:
        line = "in HEAD's history" if detection.order.all_parents else "on HEAD's line of first parents"
        yield f"results of {detection.outside} commit(s) are not {line}, and left out"
        if detection.shallow:
            yield "the clone is shallow, and lacks older commits: git fetch --unshallow"
    if any(s.silence.kind is SilenceKind.CASE for s in detection.silences):
        yield "a renamed case is joined by `aliases`; a retired one may be silent by `silence-ignore`"
    yield from map(unknown_epoch, detection.unknown_epochs)
    hidden = [c for c in detection.changes if c.standing not in LOUD]
    if hidden and not everything:
        yield f"{len(hidden)} small, past or recovered change(s); --all lists them"
