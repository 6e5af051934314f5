"""Measured ceilings as runs of the store: cases like any other, so that the log, the site and merging know them.

A ceiling depends on the environment and not on the tree, so its run belongs to HEAD and is never dirty. What a
case has no place for (shape, peak, how the search went) is in the run's settings, under the case's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from perftrack._version import __version__
from perftrack.app.ceilings import L2_SETTING, PARTIAL, UNVALIDATED
from perftrack.app.deviceceilings import DeviceCeilings, Part
from perftrack.core.ceiling import DEFINITION_VERSION, CeilingResult, DataType, Definition, Shape
from perftrack.core.ceilingcase import METRIC, SOURCE, ceiling_case, definition_of
from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.model import (
    Cache,
    Case,
    Direction,
    Evidence,
    Measurement,
    ProcessSamples,
    Protocol,
    Reason,
    Run,
    Scalar,
    Status,
    Timer,
    Window,
)
from perftrack.core.reasons import reason
from perftrack.core.tiers import TierEvidence, judge_tier

_IN_CACHE = (Definition.COPY_L2, Definition.TRIAD_L2)


def run_of(measured: DeviceCeilings, sha: str, *, started_at: float, label: str = "") -> Run | None:
    """One device's ceilings as a run; None where it has none."""
    rows = [(part, result) for part in measured.parts for result in part.results]
    if not rows:
        return None
    host = next((str(p.fingerprint.host) for p, _ in rows if p.fingerprint.host), "")
    return Run(
        sha=sha,
        started_at=round(started_at, 6),
        duration_s=round(measured.duration_s, 3),
        seed=0,
        dirty=False,
        measurements=tuple(_measurement(part, result) for part, result in rows),
        limitations=tuple(dict.fromkeys(w for p in measured.parts for w in p.warnings)),
        perftrack_version=__version__,
        host=host,
        label=label,
        settings=_settings(measured),
    )


def _measurement(part: Part, result: CeilingResult) -> Measurement:
    evidence = Evidence(
        clock_mhz=() if result.clock_mhz is None else (result.clock_mhz,),
        event_reasons=result.event_reasons,
        power_w=result.power_w,
        temperature_c=result.temperature_c,
    )
    repeats = result.repeats or (result.value,)
    seen = part.circumstances
    tier, why = judge_tier(
        TierEvidence(
            locked=seen.locked,
            windows=(evidence,),
            processes=1,
            exclusivity=seen.exclusivity,
            unknown_key_fields=part.fingerprint.unknown_key_fields,
            no_evidence_why=seen.no_evidence_why or "none was read",
            company=seen.company,
        )
    )
    limits = list(result.warnings)
    if result.partial:
        limits.append(reason(PARTIAL))
    if not result.validated:
        limits.append(reason(UNVALIDATED))
    if len(repeats) == 1:
        limits.append(reason("one-sample"))
    cache = Cache.HOT if result.definition in _IN_CACHE else Cache.COLD
    return Measurement(
        case=ceiling_case(result),
        metric=METRIC,
        unit=result.definition.unit,
        direction=Direction.HIGHER,
        status=Status.OK,
        protocol=Protocol(Timer.EVENT, cache, DEFINITION_VERSION),
        tier=tier,
        fingerprint=part.fingerprint,
        value=result.value,
        interval=result.interval,
        reasons=(*_where(result), *why),
        limitations=tuple(limits),
        processes=(ProcessSamples(0, tuple(Window((r,), evidence) for r in repeats)),),
        tags=("ceiling",),
        source=SOURCE,
    )


def _where(result: CeilingResult) -> tuple[Reason, ...]:
    parts = [] if result.shape is None else [str(result.shape)]
    if result.clock_mhz is not None:
        parts.append(f"{result.clock_mhz:.0f} MHz")
    if result.power_w is not None:
        parts.append(f"{result.power_w:.0f} W")
    return (reason("ceiling-at", where=", ".join(parts)),) if parts else ()


def _settings(measured: DeviceCeilings) -> dict[str, Scalar]:
    found: dict[str, Scalar] = {"ceiling": measured.name}
    for part in measured.parts:
        if part.facts.l2_bytes:
            found[L2_SETTING] = part.facts.l2_bytes
        if part.report is not None:
            found[f"{part.dtype} search"] = part.search
            found[f"{part.dtype} ending"] = part.report.ending.value
            found[f"{part.dtype} shapes"] = part.report.shapes
            found[f"{part.dtype} bursts"] = part.report.bursts
        for result in part.results:
            name = ceiling_case(result).id
            found[f"{name} protocol"] = result.protocol
            if result.shape is not None:
                found[f"{name} shape"] = str(result.shape)
            if result.peak is not None:
                found[f"{name} peak"] = result.peak
    return found


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A ceiling read back. `repeats`: in its unit. None where it was not read, or an older run did not keep it."""

    case: Case
    definition: Definition
    dtype: DataType | None
    measurement: Measurement
    fingerprint: EnvironmentFingerprint
    shape: Shape | None
    peak: float | None
    protocol: str
    clock_mhz: float | None
    power_w: float | None

    @property
    def partial(self) -> bool:
        return self._has(PARTIAL)

    @property
    def validated(self) -> bool:
        return not self._has(UNVALIDATED)

    def _has(self, code: str) -> bool:
        return any(r.code == code for r in self.measurement.limitations)


def results_in(run: Run) -> tuple[StoredResult, ...]:
    """The ceilings of a stored run, in its order."""
    return tuple(r for m in run.measurements if (r := _read(m, run.settings)) is not None)


def _read(measurement: Measurement, settings: Mapping[str, Scalar]) -> StoredResult | None:
    case = measurement.case
    definition = definition_of(case)
    if definition is None or measurement.fingerprint is None:
        return None
    peak, shape = settings.get(f"{case.id} peak"), settings.get(f"{case.id} shape")
    evidence = [w.evidence for p in measurement.processes for w in p.windows]
    dtype = dict(case.params).get("dtype")
    return StoredResult(
        case=case,
        definition=definition,
        dtype=next((d for d in DataType if d.value == dtype), None),
        measurement=measurement,
        fingerprint=measurement.fingerprint,
        shape=_shape(shape),
        peak=float(peak) if isinstance(peak, int | float) else None,
        protocol=str(settings.get(f"{case.id} protocol", "")),
        clock_mhz=_first(c for e in evidence for c in e.clock_mhz),
        power_w=_first(e.power_w for e in evidence),
    )


def _shape(text: Scalar) -> Shape | None:
    sizes: Sequence[str] = str(text).split("x") if text else ()
    return Shape(*map(int, sizes)) if len(sizes) == 3 and all(s.isdigit() for s in sizes) else None


def _first(values: Iterable[float | None]) -> float | None:
    return next((v for v in values if v is not None), None)
