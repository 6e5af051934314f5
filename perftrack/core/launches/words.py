"""What differs between two profiles, in words for people; safe to show, whatever kernels are called."""

from __future__ import annotations

from collections.abc import Iterator

from perftrack.core.launches.diff import PairDiff, ProfileDiff
from perftrack.core.launches.findings import Finding, FindingCode
from perftrack.core.launches.kernelname import short
from perftrack.core.launches.launch import Launch
from perftrack.core.text import printable

TOP_LAUNCHES, TOP_FINDINGS = 2, 3
_APART = "durations are not compared"


def top_findings(diff: ProfileDiff) -> list[tuple[Launch, Finding]]:
    """What explains most of the change: a few findings of the few launches whose time changed the most."""
    ordered = sorted(diff.pairs, key=lambda p: -abs(p.headline.weight))
    shown = [p for p in ordered if _said(p)][:TOP_LAUNCHES]
    return [(p.pair.candidate, f) for p in shown for f in _said(p)[:TOP_FINDINGS]]


def top_lines(diff: ProfileDiff) -> list[str]:
    """The top findings, and which launches are new or gone."""
    lines = [f"{name(launch)}: {printable(finding.message)}" for launch, finding in top_findings(diff)]
    for what, launches in (("added", diff.added), ("removed", diff.removed)):
        if launches:
            names = ", ".join(name(launch) for launch in launches[:TOP_LAUNCHES])
            more = f" and {len(launches) - TOP_LAUNCHES} more" if len(launches) > TOP_LAUNCHES else ""
            lines.append(f"{what}: {names}{more}")
    return lines


def diff_lines(diff: ProfileDiff, *, everything: bool) -> Iterator[str]:
    """Every launch with what became of its time, and why below it; what holds for all is said once."""
    if not diff.conditions.comparable:
        yield f"{_APART}: {'; '.join(diff.conditions.obstacles)}"
    for note in diff.conditions.notes:
        yield f"note {printable(note)}"
    quiet = 0
    for pair in diff.pairs:
        told = list(pair.findings) if everything else _said(pair)
        if not told and not everything:
            quiet += 1
            continue
        yield f"{name(pair.pair.candidate)}: {pair.headline.message.partition(f'; {_APART}')[0]}"
        for finding in told:
            yield f"  - {printable(finding.message)}"
    for what, launches in (("added", diff.added), ("removed", diff.removed)):
        for launch in launches:
            yield f"{what}: {name(launch)}"
    if quiet:
        yield f"{quiet} launch(es) with nothing to tell apart; --all shows them"


def name(launch: Launch) -> str:
    """The kernel, shortened, with what tells it from others of its name; safe to show, whatever it is called."""
    summary = launch.summary
    again = f" #{summary.occurrence + 1}" if summary.occurrence else ""
    where = f" in {summary.nvtx}" if summary.nvtx else ""
    return on_line(f"{short(summary.kernel)}{again}{where}")


def on_line(text: str) -> str:
    """Foreign text that may not end the line it is shown on: also line feeds and tabs are escaped."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def _said(pair: PairDiff) -> list[Finding]:
    """Without what is only said for completeness: which code it was, and what one side did not collect."""
    quiet = {FindingCode.NOT_BOTH, FindingCode.CODE_CHANGED}
    changed = [f for f in pair.findings if f.code not in quiet]
    return [] if [f.code for f in changed] == [FindingCode.SAME_CODE] and not pair.headline.weight else changed
