"""Progress of the search for ceilings: a bar a device on a terminal, plain lines in CI. All on stderr."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

import click

from perftrack.ceiling.protocols import Burst, Phase, RigFacts
from perftrack.core.ceiling import CeilingReport, CeilingResult, Definition, Shape
from perftrack.core.model import Reason
from perftrack.core.units import format_duration, format_value

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

LINE_EVERY_S = 10.0


class CeilingProgress:
    """Makes a listener for each device. Use as a context manager."""

    def __init__(self, *, quiet: bool, verbose: bool) -> None:
        self.quiet = quiet
        self.verbose = verbose
        self.bar: Bar | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> CeilingProgress:
        if sys.stderr.isatty() and not self.quiet:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            from perftrack.cli.output import console

            self.bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=20),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=console(stderr=True),
                transient=True,
            )
            self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bar is not None:
            self.bar.stop()

    def of(self, name: str) -> DeviceLines:
        return DeviceLines(name, self)

    def line(self, text: str, *, always: bool = False) -> None:
        """One line; devices are measured at once, so one at a time."""
        if self.quiet and not always:
            return
        with self._lock:
            if self.bar is not None:
                self.bar.console.print(text)
            else:
                click.echo(text, err=True)


class DeviceLines:
    """app.ceilingsearch's DeviceProgress for people."""

    def __init__(self, name: str, owner: CeilingProgress) -> None:
        self._name = name
        self._owner = owner
        self._task = owner.bar.add_task(name, total=None) if owner.bar is not None else None
        self._phase: Phase | None = None
        self._total: int | None = None
        self._seen: set[Shape] = set()
        self._best = 0.0
        self._last_line = 0.0

    def opened(self, facts: RigFacts) -> None:
        reads = f"clock and power by {facts.telemetry}" if facts.telemetry else "no telemetry: unvalidated"
        self._say(f"{facts.product}, {facts.dtype}, {reads}")

    def bandwidth(self, result: CeilingResult) -> None:
        self._say(f"{result.definition}: {format_value(result.value, result.definition.unit)}")

    def missing(self, definition: Definition, why: str) -> None:
        self._say(f"{definition} was not measured: {why}", always=True)

    def ended(self, report: CeilingReport) -> None:
        self._say(
            f"{report.ending.value}: {report.shapes} shapes, {report.bursts} bursts in "
            f"{format_duration(report.duration_s)}"
        )
        if self._task is not None and self._owner.bar is not None:
            self._owner.bar.update(self._task, visible=False)

    def phase(self, phase: Phase, total: int | None) -> None:
        self._phase, self._total, self._best = phase, total, 0.0
        self._seen.clear()
        self._last_line = time.monotonic()
        self._say(f"{phase.value}" + (f": {total} shapes" if total else ""))
        self._draw()

    def measured(self, phase: Phase, burst: Burst, flops_per_s: float) -> None:
        self._seen.add(burst.shape)
        self._best = max(self._best, flops_per_s)
        if self._owner.verbose:
            self._say(f"  {_told(burst, flops_per_s)}")
        elif self._task is None and time.monotonic() - self._last_line >= LINE_EVERY_S:
            self._last_line = time.monotonic()
            of = f"/{self._total}" if self._total else ""
            self._say(f"  {len(self._seen)}{of} shapes, best {format_value(self._best, 'flop/s')}")
        self._draw()

    def skipped(self, shape: Shape, why: str) -> None:
        self._say(f"  {shape} skipped: {why}", always=self._owner.verbose)

    def note(self, reason: Reason) -> None:
        self._say(f"  {reason.message}")

    def _draw(self) -> None:
        if self._task is None or self._owner.bar is None or self._phase is None:
            return
        best = f" {format_value(self._best, 'flop/s')}" if self._best else ""
        self._owner.bar.update(
            self._task,
            description=f"{self._name} {self._phase.value}{best}",
            total=self._total,
            completed=len(self._seen),
        )

    def _say(self, text: str, *, always: bool = False) -> None:
        self._owner.line(f"{self._name} {text}", always=always)


def _told(burst: Burst, rate: float) -> str:
    clocks = [c for c in burst.clock_mhz if c is not None]
    powers = [p for p in burst.power_w if p is not None]
    parts = [f"{burst.shape} {format_value(rate, 'flop/s')}"]
    if clocks:
        parts.append(f"{min(clocks):.0f} to {max(clocks):.0f} MHz")
    if powers:
        parts.append(f"{sum(powers) / len(powers):.0f} W")
    return ", ".join(parts)
