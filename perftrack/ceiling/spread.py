"""Ceilings of several devices side by side: how far apart they lie, and which device is the slowest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from perftrack.core.ceiling import CeilingReport, CeilingResult, Definition


@dataclass(frozen=True, slots=True)
class NodeSpread:
    """One definition over a node's devices, fastest first. `partial`: some device's search ended early.

    `missing`: devices that have no number for it. Devices have shapes of their own, so a difference may be
    one of shapes too: `shapes_differ`.
    """

    definition: Definition
    results: tuple[tuple[str, CeilingResult], ...]
    missing: tuple[str, ...] = ()

    @property
    def fastest(self) -> tuple[str, float]:
        name, result = self.results[0]
        return name, result.value

    @property
    def slowest(self) -> tuple[str, float]:
        name, result = self.results[-1]
        return name, result.value

    @property
    def median(self) -> float:
        return median(r.value for _, r in self.results)

    @property
    def spread(self) -> float:
        """(fastest - slowest) / median; 0 for one device."""
        return (self.fastest[1] - self.slowest[1]) / self.median

    @property
    def deficit(self) -> float:
        """How far the slowest lies below the median, as a share of it."""
        return 1 - self.slowest[1] / self.median

    @property
    def partial(self) -> bool:
        return any(r.partial for _, r in self.results)

    @property
    def shapes_differ(self) -> bool:
        return len({r.shape for _, r in self.results}) > 1


def node_spread(reports: Mapping[str, CeilingReport]) -> tuple[NodeSpread, ...]:
    """Per definition that any device has a number for, in the order of Definition. Keys name the devices."""
    rows = []
    for definition in Definition:
        found = {name: result for name, report in reports.items() if (result := report.of(definition)) is not None}
        if found:
            order = sorted(found.items(), key=lambda item: item[1].value, reverse=True)
            missing = tuple(name for name in reports if name not in found)
            rows.append(NodeSpread(definition, tuple(order), missing))
    return tuple(rows)
