"""What `perftrack compare` answers."""

from __future__ import annotations

import click

from perftrack.app.comparison import Comparison
from perftrack.cli.documents import commit_json, judgement_json
from perftrack.cli.findings_view import top_lines
from perftrack.cli.ncu_documents import findings_json
from perftrack.cli.output import console, print_json, table
from perftrack.cli.record_view import shown_share
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.model import Interval, Measurement
from perftrack.core.share import Ceilings
from perftrack.core.units import format_change, format_interval

MARKDOWN_LIMIT = 60_000  # GitHub refuses comments over 65,536 characters


def show_json(comparison: Comparison, exit_code: int, ceilings: Ceilings) -> None:
    print_json(
        {
            "baseline": {
                "commit": commit_json(comparison.baseline.commit),
                "runs": list(comparison.baseline.run_ids),
            },
            "candidate": {
                "commit": commit_json(comparison.candidate.commit),
                "runs": list(comparison.candidate.run_ids),
            },
            "cases": [
                {**judgement_json(j, ceilings.shares), "findings": _findings(comparison, j)}
                for j in comparison.judgements
            ],
            "summary": {**{v.value: n for v, n in comparison.counts.items()}, "exit_code": exit_code},
        }
    )


def show_text(comparison: Comparison, ceilings: Ceilings, *, everything: bool) -> None:
    _echo_side("baseline ", comparison.baseline.commit.sha, comparison.baseline.commit.subject)
    _echo_side("candidate", comparison.candidate.commit.sha, comparison.candidate.commit.subject)
    shown = [j for j in comparison.judgements if everything or j.verdict is not Verdict.UNCHANGED]
    shares = [shown_share(ceilings.shares(j.candidate)) if j.candidate else "" for j in shown]
    share_column = [("of ceiling", "right")] if any(shares) else []
    rows = table(
        [
            ("verdict", "left"),
            ("case", "left"),
            ("metric", "left"),
            ("baseline", "right"),
            ("candidate", "right"),
            ("change", "right"),
            ("95 % interval", "right"),
            *share_column,
            ("tier", "left"),
            ("why", "left"),
        ]
    )
    for j, share in zip(shown, shares, strict=True):
        rows.add_row(
            j.verdict.value,
            j.subject.case.id,
            j.subject.metric,
            _value(j.baseline),
            _value(j.candidate),
            change(j),
            change_interval(j),
            *([share] if share_column else []),
            j.tier.value,
            j.reasons[0].message if j.reasons else "",
        )
    if shown:
        console().print(rows)
    for case, diff in comparison.diffs.items():
        for number, line in enumerate(top_lines(diff)):
            click.echo(f"{'' if number else f'profiles of {case} say'}\n  {line}".lstrip("\n"))
    for remark in remarks(comparison):
        click.echo(f"note {remark}")
    click.echo(headline(comparison))


def show_markdown(comparison: Comparison, *, everything: bool) -> None:
    """A comment for a pull request; rows that would pass the size limit are counted instead."""
    lines = [
        "<!-- perftrack -->",
        f"### perftrack: {headline(comparison)}",
        "",
        f"`{comparison.baseline.commit.sha[:12]}` → `{comparison.candidate.commit.sha[:12]}`",
        "",
    ]
    shown = [j for j in comparison.judgements if everything or j.verdict is not Verdict.UNCHANGED]
    if shown:
        lines += [
            "| verdict | case | metric | baseline | candidate | change | 95 % interval |",
            "|---|---|---|--:|--:|--:|--:|",
        ]
    size = sum(map(len, lines))
    for number, j in enumerate(shown):
        row = (
            "| "
            + " | ".join(
                (
                    f"**{j.verdict.value}**" if j.verdict is Verdict.REGRESSION else j.verdict.value,
                    _cell(j.subject.case.id),
                    _cell(j.subject.metric),
                    _value(j.baseline),
                    _value(j.candidate),
                    change(j),
                    change_interval(j),
                )
            )
            + " |"
        )
        size += len(row) + 1
        if size > MARKDOWN_LIMIT:
            lines += ["", f"{len(shown) - number} more row(s) left out for size."]
            break
        lines.append(row)
    lines += ["", *_explanations(comparison, MARKDOWN_LIMIT - size)]
    lines += ["", *(f"- {remark}" for remark in remarks(comparison))]
    click.echo("\n".join(lines))


def _explanations(comparison: Comparison, room: int) -> list[str]:
    """What profiles say of the changed cases, as items of a list, as many as there is room for."""
    items = []
    for case, diff in comparison.diffs.items():
        for line in top_lines(diff):
            item = f"- {_cell(case)}: {_cell(line)}"
            room -= len(item) + 1
            if room > 0:
                items.append(item)
    return items


# What holds for many cases alike is said once below them: what their intervals take from the lane's history.
_REMARKS = ("assumed-lane-noise", "no-lane-history", "fdr")


def remarks(comparison: Comparison) -> list[str]:
    """Each remark once, with the number of cases that it is about."""
    said: dict[str, int] = {}
    for judged in comparison.judgements:
        for r in judged.reasons:
            if r.code in _REMARKS:
                said[r.message] = said.get(r.message, 0) + 1
    return [f"({count} of {len(comparison.judgements)}): {text}" for text, count in said.items()]


def _cell(text: str) -> str:
    """A name as data in a Markdown table: no pipe, backtick, tag, mention or link can take effect."""
    safe = text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("`", "ˋ")
    return f"`{safe}`"


def _findings(comparison: Comparison, judged: Judgement) -> list[dict[str, object]]:
    """What the profiles of both sides say of a changed time; none where they were not asked or are not there."""
    diff = comparison.diffs.get(judged.subject.case.id)
    return findings_json(diff) if diff is not None and judged.subject.metric == "time" else []


def headline(comparison: Comparison) -> str:
    """How many of each verdict, worst first; never an average over signs."""
    parts = [f"{n} {v.value}" for v, n in comparison.counts.items() if n]
    return ", ".join(parts) or "no case to compare"


def change(judged: Judgement) -> str:
    """The change of the value itself, whichever way is better."""
    return format_change(None if judged.effect is None else _raw(judged, judged.effect))


def change_interval(judged: Judgement) -> str:
    if judged.interval is None:
        return "–"
    ends = sorted((_raw(judged, judged.interval.lo), _raw(judged, judged.interval.hi)))
    raw = Interval(ends[0], ends[1])
    return f"{format_change(raw.lo)} … {format_change(raw.hi)}"


def _raw(judged: Judgement, effect: float) -> float:
    return effect if judged.subject.direction.value == "lower" else -effect


def _value(measurement: Measurement | None) -> str:
    if measurement is None:
        return "–"
    if measurement.value is None:
        return measurement.status.value
    return format_interval(measurement.value, measurement.unit, measurement.interval)


def _echo_side(name: str, sha: str, subject: str) -> None:
    click.echo(f"{name} {sha[:12]} {subject}")
