"""From the journal to results, whenever the search ended: the headline, or the best that there was until then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from perftrack.ceiling.achievable import Achieved, ranked
from perftrack.ceiling.caveats import of_mamf, of_msmf, of_search, of_steady
from perftrack.ceiling.journal import Journal, final
from perftrack.ceiling.protocols import Phase, RigFacts
from perftrack.ceiling.ranking import by_sustained
from perftrack.ceiling.readings import any_reason, middle
from perftrack.ceiling.sustained import Gates, Repeated, SteadyWindow, choose, repeated
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import (
    CeilingKind,
    CeilingReport,
    CeilingResult,
    CrossCheck,
    Definition,
    Ending,
    RegimeReading,
    Shape,
)
from perftrack.core.model import Interval

_BOTH = {Phase.SCOUT, Phase.REFINE, Phase.TUNE}
_FEED_MAMF = _BOTH | {Phase.SCREEN, Phase.CONFIRM_BOOST, Phase.LOCK_BOOST}
_FEED_MSMF = _BOTH | {Phase.SOAK, Phase.CONFIRM_SUSTAINED, Phase.LOCK_SUSTAINED}
_FEED_STEADY = _FEED_MSMF | {Phase.STEADY}


@dataclass(frozen=True, slots=True)
class Ended:
    """Why a search is over; `detail` of a device's failure."""

    ending: Ending
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Reporter:
    """Reads the journal; the same journal gives the same report."""

    journal: Journal
    facts: RigFacts
    tuning: Tuning

    def report(self, ended: Ended, duration_s: float) -> CeilingReport:
        found = (*self._achievable(), self._sustainable(), self._steady())
        return CeilingReport(
            results=tuple(r for r in found if r is not None),
            ending=ended.ending,
            crosscheck=self._crosschecks(),
            warnings=of_search(self.journal, self.facts, self.tuning, ended.ending, ended.detail),
            skipped=tuple(self.journal.skipped.values()),
            shapes=len(self.journal.measured),
            bursts=self.journal.bursts,
            duration_s=duration_s,
        )

    def headline_shapes(self) -> dict[Shape, tuple[CeilingKind, ...]]:
        """The headlines' shapes, each with the headlines it has; the achievable one first."""
        roles: dict[Shape, tuple[CeilingKind, ...]] = {}
        runs, result = self._boost_runs(), self._held()
        for shape, kind in (
            (runs[0].shape if runs else None, CeilingKind.MAMF),
            (result.shape if result else None, CeilingKind.MSMF),
        ):
            if shape is not None:
                roles[shape] = (*roles.get(shape, ()), kind)
        return roles

    def _boost_runs(self) -> tuple[Achieved, ...]:
        """Of the shape ahead at boost clock: its replicates, else its confirmation, screen or scout."""
        journal, tuning = self.journal, self.tuning
        if journal.replicates:
            return tuple(journal.replicated(tuning))
        scouts = {shape: [burst] for shape, (burst, _) in journal.scouts.items()}
        for stage in (journal.boosts, journal.screens, scouts):
            order = ranked(journal.achieved(stage, tuning))
            if order:
                return order[:1]
        return ()

    def _held(self) -> Repeated | None:
        """Of the shape ahead when saturated: the locked repeats, else its confirmation or scout."""
        locked, confirmed = final(self.journal.locked), self.journal.confirmed(self.tuning)
        if locked is not None:
            return locked.result
        if confirmed:
            return choose(confirmed, self._gates()).ordered[0]
        scouts = self.journal.readings()
        return repeated([scouts[by_sustained(scouts, self.tuning)[0]]]) if scouts else None

    def _achievable(self) -> tuple[CeilingResult, ...]:
        runs = self._boost_runs()
        if not runs:
            return ()
        settled = len(self.journal.replicates) >= self.tuning.boost_lock_reps
        values = tuple(r.value for r in runs)
        mine = [a for a in self.journal.achieved(self.journal.boosts, self.tuning) if a.shape == runs[0].shape]
        headline = CeilingResult(
            definition=Definition.MAMF,
            protocol=self.tuning.protocol(Definition.MAMF),
            value=median(values),
            interval=interval(values),
            shape=runs[0].shape,
            dtype=self.facts.dtype,
            peak=max(r.peak for r in (*runs, *mine)),
            repeats=values,
            clock_mhz=middle(r.clock_mhz for r in runs),
            power_w=middle(r.power_w for r in runs),
            temperature_c=middle(r.temperature_c for r in runs),
            event_reasons=any_reason(r.event_reasons for r in runs),
            validated=all(r.boost for r in runs),
            partial=not settled or self._cut(_FEED_MAMF),
            warnings=of_mamf(self.journal, self.facts, self.tuning, runs),
        )
        peaks = tuple(r.peak for r in runs)
        return headline, replace(
            headline,
            definition=Definition.MAMF_PEAK,
            protocol=self.tuning.protocol(Definition.MAMF_PEAK),
            value=median(peaks),
            interval=interval(peaks),
            repeats=peaks,
        )

    def _sustainable(self) -> CeilingResult | None:
        result, locked = self._held(), final(self.journal.locked)
        if result is None:
            return None
        gates = self._gates()
        flaw = gates.flaw(result)
        return CeilingResult(
            definition=Definition.MSMF,
            protocol=self.tuning.protocol(Definition.MSMF),
            value=result.value,
            interval=interval(result.rates),
            shape=result.shape,
            dtype=self.facts.dtype,
            peak=result.peak,
            repeats=result.rates,
            clock_mhz=result.clock_mhz,
            power_w=result.power_w,
            temperature_c=result.temperature_c,
            event_reasons=result.event_reasons,
            validated=flaw is None and gates.saturated_clock_mhz is not None,
            partial=locked is None or self._cut(_FEED_MSMF),
            warnings=of_msmf(self.journal, self.facts, gates, flaw),
        )

    def _steady(self) -> CeilingResult | None:
        """The shape that held the most over its steady windows; over any windows where none was steady."""
        steady = [w for w in self.journal.steady if w.steady(self.tuning)]
        groups: dict[Shape, list[SteadyWindow]] = {}
        for window in steady or self.journal.steady:
            groups.setdefault(window.shape, []).append(window)
        if not groups:
            return None
        wanted = self.tuning.steady_reps
        best = max(groups.values(), key=lambda ws: (len(ws) >= wanted, median(w.rate for w in ws)))
        rates = tuple(w.rate for w in best)
        clock, power = middle(w.clock_mhz for w in best), middle(w.power_w for w in best)
        gates, held = self._gates(), Repeated(best[0].shape, rates, clock, power)
        saturated = gates.saturated_clock_mhz is not None and not gates.suspect(held) and not gates.boosting(held)
        return CeilingResult(
            definition=Definition.MSMF_STEADY,
            protocol=self.tuning.protocol(Definition.MSMF_STEADY),
            value=median(rates),
            interval=interval(rates),
            shape=best[0].shape,
            dtype=self.facts.dtype,
            repeats=rates,
            clock_mhz=clock,
            power_w=power,
            temperature_c=middle(w.temperature_c for w in best),
            event_reasons=any_reason(w.event_reasons for w in best),
            validated=bool(steady) and saturated,
            partial=len(rates) < self.tuning.steady_reps or self._cut(_FEED_STEADY),
            warnings=of_steady(best, self.tuning),
        )

    def _crosschecks(self) -> tuple[CrossCheck, ...]:
        """Each headline's shape as both regimes saw it, confirmed or not at all."""
        boosts = {a.shape: a for a in self.journal.achieved(self.journal.boosts, self.tuning)}
        held = {r.shape: r for r in self.journal.confirmed(self.tuning)}
        rows = []
        for shape, roles in self.headline_shapes().items():
            boost, saturated = boosts.get(shape), held.get(shape)
            rows.append(
                CrossCheck(
                    shape,
                    roles,
                    RegimeReading(boost.value, boost.clock_mhz, boost.power_w) if boost else None,
                    RegimeReading(saturated.value, saturated.clock_mhz, saturated.power_w) if saturated else None,
                )
            )
        return tuple(rows)

    def _gates(self) -> Gates:
        return self.journal.gates(self.tuning, self.facts)

    def _cut(self, phases: set[Phase]) -> bool:
        return not phases.isdisjoint(self.journal.cut)


def interval(values: Sequence[float]) -> Interval | None:
    """Where a further repeat will read, at 95 %, as core.estimate has it; None for fewer than two."""
    from perftrack.core.estimate import estimate
    from perftrack.core.model import ProcessSamples, Window

    if len(values) < 2:
        return None
    return estimate([ProcessSamples(0, tuple(Window((v,)) for v in values))]).interval
