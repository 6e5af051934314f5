"""Warming up, then one burst for each candidate shape, on a device that stays hot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, pstdev

from perftrack.ceiling.bench import Bench
from perftrack.ceiling.candidates import Outlook, first_look, neighbours, whole_k
from perftrack.ceiling.journal import unseen
from perftrack.ceiling.protocols import Phase
from perftrack.ceiling.ranking import boost_pairs, seeds, sustained_pairs
from perftrack.ceiling.readings import read
from perftrack.ceiling.tuning import Tuning, Warmup
from perftrack.core.ceiling import Shape

WARMUP_SHAPES = (Shape(4096, 4096, 4096), Shape(2048, 2048, 2048), Shape(1024, 1024, 1024))
WARMUP_BURST_S = 0.1
# Throughput is level once the last four bursts vary by less than 2 % and their mean is within 1 % of that of the
# four before them.
WINDOW = 4
LEVEL_CV = 0.02
LEVEL_DRIFT = 0.01

FIRST_LOOK_SHARE = 0.28


def warm_up(bench: Bench, tuning: Tuning, shapes: Sequence[Shape] = WARMUP_SHAPES) -> None:
    """Run until throughput is level, so that no scout is flattered by a cold card."""
    with bench.part(Phase.WARMUP):
        started, rates = bench.rig.now(), list[float]()
        while (spent := bench.rig.now() - started) < tuning.warmup_max_s:
            if tuning.warmup is Warmup.ADAPTIVE and spent >= tuning.warmup_min_s and level(rates):
                return
            burst = next((b for s in shapes if (b := bench.burst(s, WARMUP_BURST_S)) is not None), None)
            if burst is None:
                return
            rates.append(read(burst).rate)
        bench.journal.warmed = tuning.warmup is Warmup.FIXED or level(rates)


def level(rates: Sequence[float]) -> bool:
    """Whether throughput has stopped moving, from one rate per burst."""
    if len(rates) < 2 * WINDOW:
        return False
    recent, before = rates[-WINDOW:], rates[-2 * WINDOW : -WINDOW]
    mean = fmean(recent)
    return pstdev(recent) < LEVEL_CV * mean and abs(mean - fmean(before)) < LEVEL_DRIFT * fmean(before)


def sweep(bench: Bench, shapes: Sequence[Shape], tuning: Tuning) -> None:
    """Scout every shape that was asked for."""
    with bench.part(Phase.SCOUT, len(shapes)):
        scout(bench, shapes, tuning)


def explore(bench: Bench, view: Outlook, tuning: Tuning) -> None:
    """The automatic search's scouting: first look, all K for the outputs that led, neighbours of the best."""
    journal = bench.journal
    look = first_look(view, tuning)
    with bench.part(Phase.SCOUT, len(look), share=FIRST_LOOK_SHARE):
        scout(bench, look, tuning)
    scouts = journal.readings()
    leaders = boost_pairs(scouts, tuning), sustained_pairs(scouts, tuning)
    deeper = tuple(unseen(whole_k(view, *leaders), journal))
    with bench.part(Phase.SCOUT, len(deeper)):
        scout(bench, deeper, tuning)
    if tuning.refine:
        _refine(bench, view, tuning)


def scout(bench: Bench, shapes: Iterable[Shape], tuning: Tuning) -> None:
    """One burst per shape that was not seen yet."""
    for shape in unseen(shapes, bench.journal):
        burst = bench.burst(shape, tuning.scout_s, warmup_s=tuning.scout_warmup_s)
        if burst is not None:
            bench.journal.scouts[shape] = burst, read(burst)


def _refine(bench: Bench, view: Outlook, tuning: Tuning) -> None:
    """Look around the best shapes, then around those that turned out better, until there is none."""
    looked: set[Shape] = set()
    for _ in range(tuning.refine_rounds):
        fresh = [s for s in seeds(bench.journal.readings(), view.wave_pairs, tuning) if s not in looked]
        looked.update(fresh)
        shapes = tuple(unseen(neighbours(view, fresh, tuning), bench.journal))
        if not shapes:
            return
        with bench.part(Phase.REFINE, len(shapes)):
            scout(bench, shapes, tuning)
