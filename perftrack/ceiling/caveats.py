"""What a reader must know beside the numbers: conditions that did not hold, or that nothing could show to hold."""

from __future__ import annotations

from collections.abc import Sequence

from perftrack.ceiling.achievable import Achieved
from perftrack.ceiling.journal import Journal
from perftrack.ceiling.protocols import RigFacts
from perftrack.ceiling.sustained import Gates, SteadyWindow
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import Ending
from perftrack.core.model import Reason
from perftrack.core.reasons import reason

SKEW = 0.1  # siblings that idle for less were starting or finishing beside this search
NAMED = 3


def of_start(facts: RigFacts, *, automatic: bool) -> tuple[Reason, ...]:
    """What is known before anything is measured."""
    found = []
    if not facts.telemetry:
        found.append(reason("ceiling-unvalidated"))
    elif not facts.power_separates:
        found.append(reason("power-not-separating", telemetry=facts.telemetry))
    if automatic and not facts.geometry_checked:
        found.append(reason("geometry-unchecked", product=facts.product))
    return tuple(found)


def of_search(
    journal: Journal, facts: RigFacts, tuning: Tuning, ending: Ending, detail: str = ""
) -> tuple[Reason, ...]:
    """Of the search as a whole."""
    found = []
    if ending is not Ending.COMPLETE:
        found.append(reason("search-ended-early", why=_why(journal, ending, detail)))
    found += of_start(facts, automatic=journal.automatic)
    top, rated = journal.top_clock_mhz, facts.max_clock_mhz
    if top is not None and rated and top < tuning.boost_clock_ratio * rated:
        found.append(reason("clock-below-rated", clock_mhz=top, rated_mhz=rated))
    if not journal.warmed:
        found.append(reason("warmup-capped"))
    if journal.skipped:
        found.append(reason("shapes-skipped", count=len(journal.skipped), detail=_skips(journal)))
    if journal.tuned:
        found.append(reason("kernels-tuned", count=journal.tuned))
    return tuple(found)


def of_mamf(journal: Journal, facts: RigFacts, tuning: Tuning, runs: Sequence[Achieved]) -> tuple[Reason, ...]:
    """Of the achievable rate."""
    top = journal.top_clock_mhz
    if top is None:
        return (reason("no-clock-readings"),) if facts.telemetry else ()
    if all(r.boost for r in runs):
        return ()
    return (reason("no-boost-clock", clock_mhz=tuning.boost_clock_ratio * top),)


def of_msmf(journal: Journal, facts: RigFacts, gates: Gates, flaw: str | None) -> tuple[Reason, ...]:
    """Of the sustainable rate."""
    found = []
    confirmed = any(journal.repeats.values())
    if confirmed and facts.power_separates and gates.saturated_clock_mhz is None:
        found.append(reason("no-saturated-anchor"))
    if flaw is not None:
        found.append(reason("sustained-fallback", flaw=flaw))
    if not journal.soaked:
        found.append(reason("soak-capped"))
    idle = [s for s in journal.siblings if s.share >= SKEW]
    if idle:
        shares = ", ".join(f"{s.index}: {s.share:.0%}" for s in idle)
        found.append(reason("siblings-idle", count=len(idle), shares=shares))
    return tuple(found)


def of_steady(windows: Sequence[SteadyWindow], tuning: Tuning) -> tuple[Reason, ...]:
    """Of the steady window."""
    if all(w.steady(tuning) for w in windows):
        return ()
    drop = max(w.drop for w in windows)
    return (reason("not-steady", drop_pct=100 * drop, limit_pct=100 * tuning.steady_drop),)


def _why(journal: Journal, ending: Ending, detail: str) -> str:
    if ending is Ending.INTERRUPTED:
        return "interrupted"
    if ending is Ending.DEVICE_ERROR:
        return f"the device failed: {detail}"
    return f"no time left for {', '.join(dict.fromkeys(journal.cut))}"


def _skips(journal: Journal) -> str:
    """The first few, with why."""
    few = [f"{s.shape} ({s.why})" for s in list(journal.skipped.values())[:NAMED]]
    return ", ".join(few) + (", …" if len(journal.skipped) > NAMED else "")
