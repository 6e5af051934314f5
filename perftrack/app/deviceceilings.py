"""What is asked of a measuring of ceilings, what it tells on the way, and what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from perftrack.app.remoterig import Circumstances
from perftrack.ceiling.protocols import Progress as SearchProgress
from perftrack.ceiling.protocols import RigFacts
from perftrack.ceiling.spread import NodeSpread, node_spread
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import CeilingReport, CeilingResult, DataType, Definition, Ending, Shape
from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.model import Reason
from perftrack.errors import PerftrackError


@dataclass(frozen=True, slots=True)
class CeilingOptions:
    """What was asked. shapes None: found automatically. devices None: every one there is."""

    dtypes: tuple[DataType, ...] = (DataType.BFLOAT16,)
    shapes: tuple[Shape, ...] | None = None
    tuning: Tuning = field(default_factory=Tuning)
    time_budget_s: float | None = None
    kind: str = "auto"
    devices: tuple[int, ...] | None = (0,)
    telemetry: bool = True
    products: bool = True
    bandwidth: bool = True
    policy: str = ""


class DeviceProgress(SearchProgress, Protocol):
    """What the measuring of one device tells. Called from a thread of its own."""

    def opened(self, facts: RigFacts) -> None: ...
    def bandwidth(self, result: CeilingResult) -> None: ...
    def missing(self, definition: Definition, why: str) -> None: ...
    def ended(self, report: CeilingReport) -> None: ...


@dataclass(frozen=True, slots=True)
class Part:
    """What one data type's rig gave. `bandwidth` is with the first type's; `report` None: no search was asked."""

    dtype: DataType
    facts: RigFacts
    fingerprint: EnvironmentFingerprint
    circumstances: Circumstances
    report: CeilingReport | None
    bandwidth: tuple[CeilingResult, ...] = ()
    search: str = "auto"
    notes: tuple[Reason, ...] = ()

    @property
    def results(self) -> tuple[CeilingResult, ...]:
        return (*(self.report.results if self.report else ()), *self.bandwidth)

    @property
    def warnings(self) -> tuple[Reason, ...]:
        return (*self.notes, *(self.report.warnings if self.report else ()))


@dataclass(frozen=True, slots=True)
class DeviceCeilings:
    """One device's ceilings. `failure`: what kept it from more, the device's own failure in a search aside."""

    name: str
    parts: tuple[Part, ...]
    failure: PerftrackError | None
    duration_s: float

    @property
    def failed(self) -> bool:
        """Whether something broke: no device, no such product, or a device error that ended a search."""
        ends = [p.report.ending for p in self.parts if p.report]
        return self.failure is not None or Ending.DEVICE_ERROR in ends


@dataclass(frozen=True, slots=True)
class Measured:
    """Every device's ceilings, and what ended the measuring early: Ctrl-C, a signal; None where nothing did."""

    devices: tuple[DeviceCeilings, ...]
    ended_by: BaseException | None = None


def spreads(devices: Sequence[DeviceCeilings]) -> tuple[tuple[DataType, NodeSpread], ...]:
    """How far apart the devices lie, by type and definition, where at least two have a number for it."""
    found = []
    for dtype in dict.fromkeys(p.dtype for d in devices for p in d.parts):
        reports = {d.name: _whole(p) for d in devices for p in d.parts if p.dtype is dtype}
        found += [(dtype, row) for row in node_spread(reports) if len(row.results) > 1]
    return tuple(found)


def _whole(part: Part) -> CeilingReport:
    return replace(part.report or CeilingReport((), Ending.COMPLETE), results=part.results)
