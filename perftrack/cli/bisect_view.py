"""What `perftrack bisect` answers: for people, for an issue, for programs."""

from __future__ import annotations

import click

from perftrack.app.bisect import Bisected
from perftrack.app.bisectplan import BisectPlan
from perftrack.cli.bisect_story import lines_of
from perftrack.cli.documents import commit_json
from perftrack.cli.ncu_documents import findings_json
from perftrack.cli.output import interval_json, print_json
from perftrack.core.launches.words import on_line
from perftrack.core.search.remainder import remainder_of
from perftrack.core.search.visits import Outcome


def show(answer: Bisected, *, markdown: bool) -> None:
    """The answer in the form in which people paste it into an issue."""
    click.echo("\n".join(lines_of(answer, markdown=markdown)))


def show_json(answer: Bisected) -> None:
    blame, search, story = answer.blame, answer.search, answer.story
    rest = remainder_of(search)
    print_json(
        {
            "outcome": blame.outcome.value,
            "case": blame.case_id,
            "metric": blame.metric,
            "unit": blame.unit,
            "direction": blame.direction.value,
            "good": blame.good,
            "bad": blame.bad,
            "culprit": None if blame.culprit is None else commit_json(answer.range.commits[blame.culprit]),
            "block": [commit_json(answer.range.commits[sha]) for sha in blame.commits],
            "probability": blame.probability,
            "confidence": blame.confidence,
            "merge": blame.merge,
            "posterior": [{"sha": sha, "probability": p} for sha, p in search.posterior().items()],
            "credible": [{"commits": list(b.commits), "probability": b.probability} for b in search.credible()]
            if search.reproduction.searching
            else [],
            "confirmed": {
                "before": blame.before or None,
                "after": blame.after or None,
                "effect": blame.effect,
                "interval": interval_json(blame.interval),
                "p_value": blame.p_value,
                "is_log": blame.logs,
                "share_of_difference": blame.explained,
                "share_interval": interval_json(rest.interval if rest else None),
            },
            "rest": [{"good": p.good, "bad": p.bad, "share_of_difference": p.share} for p in rest.parts]
            if rest and blame.outcome is Outcome.FOUND
            else [],
            "reproduction": {
                "p_value": search.reproduction.p_value,
                "established": search.reproduction.established,
                "good_processes": search.reproduction.good,
                "bad_processes": search.reproduction.bad,
            },
            "measurements": blame.measurements,
            "builds": blame.builds,
            "duration_s": blame.seconds,
            "recorded_runs": len(search.recorded),
            "seed": blame.seed,
            "lane": blame.lane,
            "failed": {
                side.commit: {"kind": side.failure.kind.value, "detail": side.failure.detail}
                for visit in search.visits
                for side in visit.sides
                if side.failure is not None
            },
            "narrowed_from": list(blame.earlier),
            "files": [{"path": f.path, "added": f.added, "removed": f.removed} for f in story.files],
            "message": story.message,
            "findings": [] if story.diff is None else findings_json(story.diff),
            "notes": list(answer.notes),
            "stored": not answer.unstored,
            "exit_code": answer.exit_code,
        }
    )


def plan_json(planned: BisectPlan) -> None:
    graph, commits = planned.range.graph, planned.range.commits
    print_json(
        {
            "case": planned.selected.case.id,
            "metric": planned.metric or None,
            "good": graph.good,
            "bad": graph.bad,
            "base": graph.base,
            "commits": len(graph),
            "merges": planned.range.merges,
            "skipped": planned.skipped,
            "recorded_runs": len(planned.past.recorded),
            "suspects": planned.past.suspects,
            "probes": [commit_json(commits[sha]) for sha in planned.probes],
            "expected": [{"deviations": gap, "measurements": count} for gap, count in planned.expected],
        }
    )


def plan_text(planned: BisectPlan) -> None:
    graph, commits = planned.range.graph, planned.range.commits
    metric = f"{planned.metric} of " if planned.metric else ""
    click.echo(f"would search {metric}{on_line(planned.selected.case.id)}")
    click.echo(
        f"  {graph.good[:12]} to {graph.bad[:12]}: {len(graph)} commit(s) can be to blame, "
        f"{planned.range.merges} of them merges, {planned.skipped} to be skipped"
    )
    if graph.base is not None:
        click.echo(f"  GOOD is no ancestor of BAD: their histories part at {graph.base[:12]}")
    past = planned.past
    click.echo(
        f"  from history: {len(past.recorded)} run(s) as evidence, "
        + (
            f"changes that point at {past.suspects} commit(s)"
            if past.suspects
            else "no change that points anywhere"
        )
    )
    click.echo("  likely the first to be measured:")
    for sha in planned.probes:
        click.echo(f"    {sha[:12]} {on_line(commits[sha].subject[:70])}")
    click.echo("  measurements to expect, by how far the ends lie apart in standard deviations of a process:")
    click.echo("    " + ", ".join(f"{gap:g}: about {count:.0f}" for gap, count in planned.expected))
