"""What the commands of `perftrack ncu` answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

import click

from perftrack.app.explanation import Explanation, Side
from perftrack.cli import ncu_documents as documents
from perftrack.cli.documents import commit_json
from perftrack.cli.output import console, print_json, table
from perftrack.core.caseroof import CaseRoof
from perftrack.core.launches.launch import Dim3, Launch, LaunchSummary, Profile
from perftrack.core.launches.words import diff_lines, name, on_line
from perftrack.core.roofline import Placement, Roof
from perftrack.core.roofline import Side as Limit
from perftrack.core.text import printable
from perftrack.core.units import format_percent, format_value

Roofs = Mapping[str, CaseRoof]  # by case id

ROWS = 1000  # of launches: a table is for reading, and laying out its columns takes longer than reading the file


def print_profile(profile: Profile, *, all_metrics: bool, more: Mapping[str, object] | None = None) -> None:
    how = {k: v for k, v in documents.profile_json(profile).items() if k not in ("case", "run", "dirty")}
    launches = documents.case_launches_json([profile], {}, all_metrics=all_metrics)
    print_json({**(more or {}), **how, "launches": launches})


def print_side(side: Side, roofs: Roofs, *, all_metrics: bool) -> None:
    if side.commit is None:
        print_profile(side.profiles[0], all_metrics=all_metrics)
        return
    print_json(
        {
            "commit": commit_json(side.commit),
            "dirty": side.dirty,
            "profiles": [documents.profile_json(p) for p in side.profiles],
            "launches": documents.case_launches_json(side.profiles, roofs, all_metrics=all_metrics),
        }
    )


def show_side(side: Side, roofs: Roofs, *, all_metrics: bool) -> None:
    if side.commit is not None:
        click.echo(f"{side.commit.sha[:12]} {on_line(side.commit.subject)}")
    for profile in side.profiles:
        if side.commit is not None:
            click.echo(f"\n{on_line(profile.case_id)}")
        show_profile(profile, roofs.get(profile.case_id), all_metrics=all_metrics)


def show_profile(profile: Profile, roof: CaseRoof | None = None, *, all_metrics: bool) -> None:
    """A line for each launch; columns that no launch has a value for are left out."""
    if how := _how(profile):
        click.echo(how)
    summaries = [launch.summary for launch in profile.launches]
    cells = [(title, justify, [show(s) for s in summaries]) for title, justify, show in _COLUMNS]
    kept = [c for c in (*cells, *_roofline((roof or CaseRoof()).over(profile))) if any(c[2])]
    rows = table([("kernel", "left"), *((title, justify) for title, justify, _ in kept)])
    for i, launch in enumerate(profile.launches[:ROWS]):
        rows.add_row(name(launch), *(values[i] for _, _, values in kept))
    console().print(rows)
    if len(summaries) > ROWS:
        click.echo(f"{len(summaries) - ROWS} more launch(es) are not shown; --json has all of them")
    for summary in summaries:
        for text in summary.unparsed:
            click.echo(f"unparsed {printable(text)}")
    for text in profile.limitations:
        click.echo(f"limitation {printable(text)}")
    if all_metrics:
        for launch in profile.launches:
            _show_metrics(launch)


Column = tuple[str, str, list[str]]


def _roofline(placed: Sequence[Placement]) -> list[Column]:
    """Where launches stand under the roof: not told where all that is known of it stands in other columns."""
    measured = any(p.against is Roof.MEASURED for p in placed)
    if not measured and all(p.intensity is None for p in placed):
        return []
    intensities = ["" if p.intensity is None else f"{p.intensity:.3g}" for p in placed]
    title = "of ceiling" if measured else "of ncu's peak"
    return [("flop/byte", "right", intensities), (title, "left", [_under(p) for p in placed])]


_UNITS = {Limit.MEMORY: "DRAM", Limit.COMPUTE: "SM"}


def _under(placed: Placement) -> str:
    """`81 % copy`: how near the launch is to what limits it."""
    if placed.fraction is None or placed.side is None:
        return ""
    peak = placed.memory if placed.side is Limit.MEMORY else placed.compute
    measured = placed.against is Roof.MEASURED and peak is not None
    name = peak.name if measured and peak is not None else _UNITS[placed.side]
    return f"{format_percent(100 * placed.fraction)} {name}"


def _how(profile: Profile) -> str:
    """In which state of things it was taken: durations compare only where that agrees."""
    taken = f"{datetime.fromtimestamp(profile.taken_at, UTC):%Y-%m-%d %H:%M} UTC" if profile.taken_at else ""
    parts = (
        f"ncu {profile.ncu_version}" if profile.ncu_version else "",
        profile.collection,
        f"clocks {profile.clock_control}" if profile.clock_control else "",
        f"caches flushed {profile.cache_control}" if profile.cache_control else "",
        taken,
        profile.source,
    )
    return on_line(", ".join(p for p in parts if p))


def _show_metrics(launch: Launch) -> None:
    click.echo(f"\n{name(launch)}")
    rows = table([("section", "left"), ("metric", "left"), ("value", "right"), ("unit", "left")])
    for counter in launch.counters:
        value = counter.value if isinstance(counter.value, str) else f"{counter.value:.10g}"
        rows.add_row(*map(printable, (counter.section, counter.name, value, counter.unit)))
    console().print(rows)


def show_diff(baseline: Side, candidate: Side, explained: Explanation, *, everything: bool) -> None:
    for title, side in (("baseline ", baseline), ("candidate", candidate)):
        what = f"{side.commit.sha[:12]} {on_line(side.commit.subject)}" if side.commit else on_line(side.name)
        click.echo(f"{title} {what}")
    for case in explained.cases:
        click.echo(f"\n{on_line(case.case_id)}" if case.case_id else "")
        for line in diff_lines(case.diff, everything=everything):
            click.echo(f"  {line}")
    for what, names in (("baseline", explained.only_baseline), ("candidate", explained.only_candidate)):
        if names:
            click.echo(f"\nonly the {what} has a profile of {on_line(', '.join(names))}")


def print_diff(baseline: Side, candidate: Side, explained: Explanation) -> None:
    print_json(
        {
            "baseline": documents.side_json(baseline),
            "candidate": documents.side_json(candidate),
            "cases": [{"case": c.case_id or None, **documents.diff_json(c.diff)} for c in explained.cases],
            "only_baseline": list(explained.only_baseline),
            "only_candidate": list(explained.only_candidate),
        }
    )


def show_imported(profile: Profile, *, new: bool, as_json: bool) -> None:
    if as_json:
        how = documents.profile_json(profile)
        launches = documents.case_launches_json([profile], {})
        print_json({"sha": profile.sha, "stored": new, "profile": how, "launches": launches})
        return
    source = on_line(profile.source)
    done = f"stored from {source}" if new else f"of {source} were stored already"
    click.echo(f"{profile.sha[:12]} {on_line(profile.case_id)}: {len(profile.launches)} launch(es) {done}")
    for text in profile.limitations:
        click.echo(f"limitation {printable(text)}")


def _shape(shape: Dim3 | None) -> str:
    if shape is None:
        return ""
    sizes: Sequence[int] = shape
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes = sizes[:-1]
    return "×".join(map(str, sizes))


def _value(field: str, unit: str) -> Callable[[LaunchSummary], str]:
    def show(summary: LaunchSummary) -> str:
        value = getattr(summary, field)
        return "" if value is None else format_value(value, unit)

    return show


def _percent(field: str) -> Callable[[LaunchSummary], str]:
    """Of columns whose heading says that it is a percentage."""

    def show(summary: LaunchSummary) -> str:
        value = getattr(summary, field)
        return "" if value is None else _bare(value)

    return show


def _bare(percent: float) -> str:
    return format_percent(percent).removesuffix(" %")


def _plain(field: str) -> Callable[[LaunchSummary], str]:
    def show(summary: LaunchSummary) -> str:
        value = getattr(summary, field)
        return "" if value is None else f"{value:.4g}"

    return show


def _occupancy(summary: LaunchSummary) -> str:
    shares = [summary.occupancy_achieved_pct, summary.occupancy_theoretical_pct]
    if shares == [None, None]:
        return ""
    return " of ".join("–" if s is None else _bare(s) for s in shares)


def _limiter(summary: LaunchSummary) -> str:
    """What holds occupancy back, where anything does."""
    if summary.occupancy_theoretical_pct is not None and summary.occupancy_theoretical_pct >= 100.0:
        return ""
    return (summary.occupancy_limiter or "").replace(" and ", ", ")


def _stall(summary: LaunchSummary) -> str:
    if not summary.top_stalls:
        return ""
    top = summary.top_stalls[0]
    return top.reason if top.share_pct is None else f"{top.reason} {top.share_pct:.0f} %"


def _bound(summary: LaunchSummary) -> str:
    return summary.bound.value.removesuffix("-bound")


# Title, alignment, and how a launch shows it; empty where there is nothing to show.
_COLUMNS: tuple[tuple[str, str, Callable[[LaunchSummary], str]], ...] = (
    ("×", "right", lambda s: str(s.instances) if s.instances > 1 else ""),
    ("grid", "right", lambda s: _shape(s.grid)),
    ("block", "right", lambda s: _shape(s.block)),
    ("time", "right", _value("duration_s", "s")),
    ("DRAM", "right", _value("dram_bytes_per_s", "B/s")),
    ("DRAM %", "right", _percent("dram_pct")),
    ("mem %", "right", _percent("mem_pct")),
    ("SM %", "right", _percent("sm_pct")),
    ("occupancy %", "right", _occupancy),
    ("limited by", "left", _limiter),
    ("regs", "right", _plain("registers")),
    ("waves", "right", _plain("waves")),
    ("L2 hit %", "right", _percent("l2_hit_pct")),
    ("waits for", "left", _stall),
    ("bound", "left", _bound),
)
