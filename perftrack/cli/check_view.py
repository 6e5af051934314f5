"""What `perftrack check` answers."""

from __future__ import annotations

import click

from perftrack.app.check import Answer, Checked
from perftrack.cli.compare_view import change, change_interval
from perftrack.cli.documents import commit_json
from perftrack.cli.output import interval_json, print_json, reasons_json
from perftrack.core.launches.words import on_line

WORDS = {Answer.GOOD: "good", Answer.BAD: "bad", Answer.SKIP: "can't tell"}


def show_text(checked: Checked) -> None:
    """One line, and what stood in the way of a verdict."""
    commit = checked.candidate
    told = f"{WORDS[checked.answer]}: {commit.sha[:12]} {on_line(commit.subject)}"
    judged = checked.judged
    if judged is not None and judged.effect is not None:
        told += f": {change(judged)} ({change_interval(judged)}) against {checked.baseline.sha[:12]}"
    click.echo(told)
    why = checked.why or _small(checked)
    if not why and checked.answer is Answer.SKIP:
        why = judged.reasons[0].message if judged is not None and judged.reasons else "nothing was measured"
    if why:
        click.echo(f"  {on_line(why.strip())}")


def _small(checked: Checked) -> str:
    """A change that is there and too small to count: to git a search for it must not look like none."""
    judged = checked.judged
    if checked.answer is not Answer.GOOD or judged is None or judged.interval is None or judged.interval.lo <= 0.0:
        return ""
    return "it is slower, by less than what counts: a smaller --threshold makes it count"


def show_json(checked: Checked, exit_code: int) -> None:
    judged = checked.judged
    print_json(
        {
            "baseline": commit_json(checked.baseline),
            "candidate": commit_json(checked.candidate),
            "answer": checked.answer.name.lower(),
            "case": judged.subject.case.id if judged else None,
            "metric": judged.subject.metric if judged else None,
            "verdict": judged.verdict.value if judged else None,
            "effect": judged.effect if judged else None,
            "interval": interval_json(judged.interval) if judged else None,
            "reasons": reasons_json(judged.reasons) if judged else [],
            "why": checked.why,
            "exit_code": exit_code,
        }
    )
