"""What `perftrack compare` answers."""

from __future__ import annotations

import math

import click

from perftrack.app.comparison import Comparison
from perftrack.cli.documents import commit_json, judgement_json
from perftrack.cli.ncu_documents import findings_json
from perftrack.cli.output import console, print_json, table, unknown_epoch
from perftrack.cli.record_view import shown_share
from perftrack.core.geomean import GeometricMean, geometric_means
from perftrack.core.judgement import Judgement, Verdict
from perftrack.core.launches.words import on_line, top_lines
from perftrack.core.model import Interval, Measurement
from perftrack.core.share import Ceilings
from perftrack.core.units import format_change, format_effect, format_interval, format_percent


def show_json(comparison: Comparison, exit_code: int, ceilings: Ceilings) -> None:
    print_json(
        {
            "baseline": {
                "commit": commit_json(comparison.baseline.commit),
                "runs": list(comparison.baseline.run_ids),
                "found": comparison.found.lineage.start.value if comparison.found else None,
                "unmeasured_skipped": comparison.found.skipped if comparison.found else None,
            },
            "candidate": {
                "commit": commit_json(comparison.candidate.commit),
                "runs": list(comparison.candidate.run_ids),
            },
            "cases": [
                {**judgement_json(j, ceilings.shares), "findings": _findings(comparison, j)}
                for j in comparison.judgements
            ],
            "unknown_epochs": list(comparison.unknown_epochs),
            "geometric_means": [_mean_json(m) for m in geometric_means(comparison.judgements)],
            "summary": {**{v.value: n for v, n in comparison.counts.items()}, "exit_code": exit_code},
        }
    )


def show_text(comparison: Comparison, ceilings: Ceilings, *, everything: bool) -> None:
    found = f" ({comparison.found.found})" if comparison.found else ""
    _echo_side("baseline ", comparison.baseline.commit.sha, comparison.baseline.commit.subject, found)
    _echo_side("candidate", comparison.candidate.commit.sha, comparison.candidate.commit.subject)
    for why in comparison.candidate.unmeasured:
        click.echo(f"          {why.code}: {on_line(why.message)[:300]}")
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
            ("detectable", "right"),
            ("lane noise", "right"),
            *share_column,
            ("tier", "left"),
            ("why", "left"),
        ]
    )
    for j, share in zip(shown, shares, strict=True):
        rows.add_row(
            j.verdict.value,
            on_line(j.subject.case.id),
            on_line(j.subject.metric),
            on_line(value_of(j.baseline)),
            on_line(value_of(j.candidate)),
            change(j),
            change_interval(j),
            *noise_of(j),
            *([share] if share_column else []),
            j.tier.value,
            on_line(j.reasons[0].message) if j.reasons else "",
        )
    if shown:
        console().print(rows)
    for case, diff in comparison.diffs.items():
        for number, line in enumerate(top_lines(diff)):
            click.echo(f"{'' if number else f'profiles of {on_line(case)} say'}\n  {line}".lstrip("\n"))
    for remark in remarks(comparison):
        click.echo(f"note {on_line(remark)}")
    if hidden := len(comparison.judgements) - len(shown):
        click.echo(f"note {hidden} unchanged not shown; --all shows them")
    for mean in average(comparison):
        click.echo(mean)
    click.echo(headline(comparison))


# What holds for many cases alike is said once below them.
_REMARKS = ("permutation", "history-cut", "fdr", "since-accepted")


def remarks(comparison: Comparison) -> list[str]:
    """Each remark once: with the number of cases that it is about, or about the whole."""
    said: dict[str, int] = {}
    for judged in comparison.judgements:
        for r in judged.reasons:
            if r.code in _REMARKS:
                said[r.message] = said.get(r.message, 0) + 1
    counted = [f"({count} of {len(comparison.judgements)}): {text}" for text, count in said.items()]
    return [*counted, *map(unknown_epoch, comparison.unknown_epochs)]


def _findings(comparison: Comparison, judged: Judgement) -> list[dict[str, object]]:
    """What the profiles of both sides say of a changed time; none where they were not asked or are not there."""
    diff = comparison.diffs.get(judged.subject.case.id)
    return findings_json(diff) if diff is not None and judged.subject.metric == "time" else []


def _mean_json(mean: GeometricMean) -> dict[str, object]:
    return {
        "metric": mean.metric,
        "unit": mean.unit,
        "direction": mean.direction.value,
        "ratio": math.exp(mean.effect),
        "cases": mean.cases,
        "left_out": mean.left_out,
    }


def headline(comparison: Comparison) -> str:
    """How many of each verdict, worst first; never an average over signs."""
    parts = [f"{n} {v.value}" for v, n in comparison.counts.items() if n]
    return ", ".join(parts) or "no case to compare"


def average(comparison: Comparison) -> list[str]:
    """The geometric mean of each metric in a sentence, with what it leaves out."""
    lines = []
    for mean in geometric_means(comparison.judgements):
        rest = f", {mean.left_out} without a ratio left out" if mean.left_out else ""
        what = f"{on_line(mean.metric)} ({mean.direction.value} is better)"
        lines.append(f"geometric mean of {what}: {format_change(mean.effect)} over {mean.cases} cases{rest}")
    return lines


def noise_of(judged: Judgement) -> tuple[str, str]:
    """The effect that would be detected 4 times in 5, and the lane's run-to-run deviation where it is known."""
    detectable = "" if judged.mde is None else format_effect(judged.mde)
    return detectable, "" if judged.noise is None else format_percent(100 * judged.noise.sigma)


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


def value_of(measurement: Measurement | None) -> str:
    if measurement is None:
        return "–"
    if measurement.value is None:
        return measurement.status.value
    return format_interval(measurement.value, measurement.unit, measurement.interval)


def _echo_side(name: str, sha: str, subject: str, found: str = "") -> None:
    click.echo(f"{name} {sha[:12]} {on_line(subject)}{found}")
