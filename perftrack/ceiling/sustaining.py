"""Saturated repeats: heating the device, confirming the shortlist, locking in the winner, steady windows."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from perftrack.ceiling.bench import Bench
from perftrack.ceiling.journal import Locked, final
from perftrack.ceiling.protocols import Burst, Phase
from perftrack.ceiling.readings import known, read
from perftrack.ceiling.sustained import Gates, Repeated, choose, repeated, steady_window
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import Shape

SOAK_SIZES = (8192, 4096, 2048, 1024)
SOAK_BURST_S = 0.5
SOAK_CALM = 8  # so many bursts, about 4 s, over which the clock must not fall nor the card warm
CLOCK_SLACK_MHZ = 5.0
RATE_SLACK = 0.002
HEATING_C = 0.5  # readings are whole degrees


def soak(bench: Bench, tuning: Tuning, *, share: float | None = None) -> None:
    """Heat the device until its clock stops falling: a cooler card clocks higher and reads too well.

    What it draws and clocks then is what shapes are held against: a large square surely saturates.
    """
    if tuning.soak_s <= 0:
        return
    with bench.part(Phase.SOAK, share=share):
        started, seen = bench.rig.now(), list[Burst]()
        while bench.rig.now() - started < tuning.soak_s:
            shapes = (Shape(size, size, size) for size in SOAK_SIZES)
            burst = next((b for s in shapes if (b := bench.burst(s, SOAK_BURST_S)) is not None), None)
            if burst is None:
                return
            seen.append(burst)
            bench.journal.soak = tuple(read(b) for b in seen[-SOAK_CALM:])
            if settled(seen):
                return
        bench.journal.soaked = False


def settled(bursts: Sequence[Burst]) -> bool:
    """Whether the clock (throughput where it is not read) stopped falling, and the card stopped warming.

    Judged over the last eight bursts by the means of their halves, as single readings come in steps.
    """
    if len(bursts) < SOAK_CALM:
        return False
    last = [read(b) for b in bursts[-SOAK_CALM:]]
    first, second = last[: SOAK_CALM // 2], last[SOAK_CALM // 2 :]
    clocks = [known([r.clock_mhz for r in half]) for half in (first, second)]
    if all(clocks):
        calm = fmean(clocks[1]) >= fmean(clocks[0]) - CLOCK_SLACK_MHZ
    else:
        calm = fmean(r.rate for r in second) >= fmean(r.rate for r in first) * (1 - RATE_SLACK)
    start, end = last[0].temperature_c, last[-1].temperature_c
    return calm and (start is None or end is None or end - start <= HEATING_C)


def confirm_sustained(bench: Bench, shapes: Sequence[Shape], tuning: Tuning) -> None:
    """Saturated repeats of each shape, then more for those too close to the leader to tell apart."""
    with bench.part(Phase.CONFIRM_SUSTAINED, len(shapes) * tuning.confirm_reps):
        for shape in shapes:
            repeat(bench, shape, tuning.confirm_reps, tuning)
        close = _close(choose(bench.journal.confirmed(tuning), _gates(bench, tuning)).ordered, tuning)
        for result in reversed(close):  # against the order of the first time, so that a drift favours none
            repeat(bench, result.shape, tuning.confirm_reps, tuning)


def lock_sustained(bench: Bench, tuning: Tuning) -> None:
    """Measure the leader again by itself; where it fails a gate this time, the next one."""
    journal = bench.journal
    if not journal.confirmed(tuning):
        return
    gate = _gates(bench, tuning)
    tries = choose(journal.confirmed(tuning), gate).ordered[: tuning.lock_tries]
    with bench.part(Phase.LOCK_SUSTAINED, tuning.lock_reps):
        for candidate in tries:
            bursts = _block(bench, candidate.shape, tuning.lock_reps, tuning)
            if len(bursts) < tuning.lock_reps:
                continue
            result = repeated([read(b) for b in bursts])
            flaw = gate.flaw(result)
            journal.locked.append(Locked(result, flaw))
            if flaw is None:
                return


def take_steady(bench: Bench, tuning: Tuning) -> None:
    """Long windows of the sustainable leaders, then more of the one that held the highest rate."""
    journal = bench.journal
    leaders = _leaders(bench, tuning)[: tuning.steady_top]
    with bench.part(Phase.STEADY, len(leaders) + tuning.steady_reps - 1):
        for shape in leaders:
            for _ in range(tuning.steady_tries):
                _window(bench, shape, tuning)
                if journal.steady_of(shape) and journal.steady_of(shape)[-1].steady(tuning):
                    break
        held = [w for w in journal.steady if w.steady(tuning)]
        if held:
            best = max(held, key=lambda w: w.rate).shape
            for _ in range(tuning.steady_reps - 1):
                _window(bench, best, tuning)


def _leaders(bench: Bench, tuning: Tuning) -> tuple[Shape, ...]:
    """The locked-in winner, then the others that passed the gates."""
    winner = final(bench.journal.locked)
    confirmed = bench.journal.confirmed(tuning)
    others = choose(confirmed, _gates(bench, tuning)).ordered if confirmed else ()
    first = (winner.result.shape,) if winner else ()
    return tuple(dict.fromkeys((*first, *(r.shape for r in others))))


def _window(bench: Bench, shape: Shape, tuning: Tuning) -> None:
    burst = bench.burst(shape, 1.02 * tuning.steady_s, warmup_s=tuning.sustain_warmup_s)
    if burst is not None:
        bench.journal.steady.append(steady_window(burst))


def repeat(bench: Bench, shape: Shape, count: int, tuning: Tuning) -> None:
    """Add saturated repeats of a shape, after its own warm-up."""
    readings = bench.journal.repeats.setdefault(shape, [])
    for i in range(count):
        burst = bench.burst(shape, tuning.sustain_s, warmup_s=0.0 if i else tuning.sustain_warmup_s)
        if burst is None:
            return
        readings.append(read(burst))


def _block(bench: Bench, shape: Shape, count: int, tuning: Tuning) -> list[Burst]:
    bursts = []
    for i in range(count):
        burst = bench.burst(shape, tuning.sustain_s, warmup_s=0.0 if i else tuning.sustain_warmup_s)
        if burst is None:
            break
        bursts.append(burst)
    return bursts


def _gates(bench: Bench, tuning: Tuning) -> Gates:
    return bench.journal.gates(tuning, bench.rig.facts)


def _close(ordered: Sequence[Repeated], tuning: Tuning) -> Sequence[Repeated]:
    """Those within the margin of the leader, if there is more than the leader."""
    close = [r for r in ordered if r.value >= (1 - tuning.confirm_margin) * ordered[0].value]
    return close[: tuning.lock_tries] if len(close) > 1 else []
