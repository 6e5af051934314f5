"""Progress of a search: a line that changes on a terminal, one for each visit in CI, nothing with --quiet."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING

import click

from perftrack.cli.output import console
from perftrack.cli.posterior import candidates, posterior_bar
from perftrack.core.launches.words import on_line
from perftrack.core.model import Commit
from perftrack.core.search.bisection import Search
from perftrack.core.search.expectation import expected
from perftrack.core.search.visits import Failure, Outcome, Phase, Probe
from perftrack.core.units import format_duration

if TYPE_CHECKING:
    from rich.status import Status

PHASES = {
    Phase.REPRODUCE: "reproducing",
    Phase.SEARCH: "searching",
    Phase.ENDS: "making sure of the ends",
    Phase.CHECK: "checking on the way to BAD",
    Phase.CONFIRM: "confirming",
}


class SearchProgress:
    """app.bisect's progress for people. Use as a context manager."""

    def __init__(self, *, quiet: bool, verbose: bool) -> None:
        self._quiet, self._verbose = quiet, verbose
        self._live = sys.stderr.isatty() and not quiet
        self._status: Status | None = None

    def __enter__(self) -> SearchProgress:
        if self._live:
            self._status = console(stderr=True).status("")
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def began(self, search: Search, case_id: str, metric: str, *, resumed: bool) -> None:
        count = len(search.graph)
        self._line(
            f"{metric} of {on_line(case_id)}: {count} commit{'' if count == 1 else 's'} can be to blame, "
            f"about {expected(search).measurements:.0f} measurements"
        )
        if search.recorded:
            self._line(f"  {len(search.recorded)} stored run(s) are evidence")
        if resumed:
            self._line(f"  going on after {search.spent.measurements} measurements, {_limits(search)}")

    def building(self, commit: Commit, command: str) -> None:
        self._say(f"  building {commit.sha[:12]}: {on_line(command)}", kept=self._verbose)

    def visiting(self, search: Search, probe: Probe, commit: Commit) -> None:
        what = PHASES[probe.phase]
        if probe.phase is Phase.SEARCH:
            slow = "" if probe.slow is None else f", slow with {100 * probe.slow:.0f} %"
            what = f"{what}: {commit.sha[:12]} {on_line(commit.subject[:50])}{slow}"
        state = f"{what} ({len(probe.order)} process{'' if len(probe.order) == 1 else 'es'})"
        if self._status is not None and not self._verbose:
            self._status.update(f"{summary(search)}\n  {state}")
        elif self._verbose:
            self._line(f"  {state}")

    def measured(self, sha: str, value: float) -> None:
        if self._verbose:
            self._line(f"    {sha[:12]} {value:.6g}")

    def failed(self, sha: str, failure: Failure) -> None:
        first, *rest = failure.detail.strip().splitlines() or [""]
        self._line(f"  {sha[:12]} gave no value ({failure.kind.value}): {on_line(first[:200])}")
        for line in rest if self._verbose else ():
            self._line(f"    {on_line(line)}")

    def learnt(self, search: Search) -> None:
        self._say(f"  {summary(search)}", kept=True)

    def note(self, text: str) -> None:
        self._line(on_line(text))

    def _say(self, text: str, *, kept: bool) -> None:
        """On a terminal what is not to be kept shows until the next; elsewhere it does not show."""
        if self._status is not None and not self._verbose:
            self._status.update(text)
        elif kept:
            self._line(text)

    def _line(self, text: str) -> None:
        if self._quiet:
            return
        if self._status is not None:
            self._status.console.print(text)
        else:
            click.echo(text, err=True)


def _limits(search: Search) -> str:
    settings = search.settings
    limits = [f"to {100 * settings.confidence:g} %"]
    limits += [f"within {settings.measurements} in all"] if settings.measurements is not None else []
    limits += [f"within {format_duration(settings.seconds)} in all"] if settings.seconds is not None else []
    limits += [f"{len(settings.skip)} skipped"] if settings.skip else []
    return ", ".join(limits)


def summary(search: Search) -> str:
    """One line: what was spent, what is to come, and where the culprit may be."""
    spent, seen = search.spent, search.reproduction
    done = f"[{spent.measurements} measured, {format_duration(spent.seconds)}"
    if search.outcome is Outcome.RUNNING:
        done += f", about {max(expected(search).measurements, 1.0):.0f} to come"
    done += "]"
    if not seen.searching:
        return f"{done} GOOD against BAD: p = {seen.p_value:.2g} from {seen.good} and {seen.bad} processes"
    chances = list(search.posterior().values())
    share = search.settings.confidence
    held = candidates(chances, share)
    hold = f"{held} commits hold" if held > 1 else "1 commit holds"
    return f"{done} {posterior_bar(chances)} {hold} {100 * share:g} %"
