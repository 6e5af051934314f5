"""A made-up history with measured ceilings in two environments: some in force, and one that was tuned."""

from __future__ import annotations

from dataclasses import replace

from perftrack.core.ceiling import CeilingResult, DataType, Definition
from perftrack.core.ceilingcase import ceiling_case
from perftrack.core.history import Series, lane_id
from perftrack.core.model import Direction, Interval, MeasurementTier
from perftrack.core.reasons import reason
from perftrack.core.share import Ceilings, StoredCeiling
from tests.publish.synthetic import EVENT, NEW_DRIVER, OLD_DRIVER, SyntheticHistory

MAMF = CeilingResult(
    Definition.MAMF, "v1/mamf-median5", 8.5e14, Interval(8.49e14, 8.51e14), dtype=DataType.BFLOAT16
)
TUNED = replace(MAMF, protocol="v1/mamf-median5/boost_iterations=50", value=8.6e14)
COPY = CeilingResult(Definition.COPY_DEVICE, "v1/copy-device", 4.2e12, Interval(4.19e12, 4.21e12))


class Topped(SyntheticHistory):
    """Ceilings are measured with the first and the last run, the last ones on the new driver."""

    def _make_series(self) -> list[Series]:
        made = super()._make_series()
        model = next(s for s in made if s.metric == "time" and s.case.benchmark == "softmax")
        ends = (model.points[0], OLD_DRIVER), (model.points[-1], NEW_DRIVER)
        for result in (MAMF, TUNED, COPY):
            points = tuple(
                replace(
                    point, value=result.value, interval=result.interval, lane=lane_id(where, EVENT), dirty=False,
                    tier=MeasurementTier.B, reasons=(reason("clocks-unlocked"),),
                )
                for point, where in ends
            )  # fmt: skip
            unit = result.definition.unit
            case = ceiling_case(result)
            made.append(Series(case, "rate", unit, Direction.HIGHER, (), "perftrack ceiling", points))
        return made

    def ceilings(self) -> Ceilings:
        by_key = {}
        for where, at in ((OLD_DRIVER, 0), (NEW_DRIVER, -1)):
            own = self.runs()[at]
            by_key[where.key_id] = tuple(
                StoredCeiling(
                    where.key_id, r.definition, r.dtype, r.value, r.interval, own.id, own.sha, own.started_at
                )
                for r in (MAMF, COPY)
            )
        return Ceilings(by_key)
