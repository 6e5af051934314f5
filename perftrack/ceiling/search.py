"""The search for the highest matmul rates of a device: which shapes, in which regime, within what time.

Two regimes are looked for at once. Scouts, one burst per shape on a hot device, feed both shortlists; then the
sustainable rate is confirmed on a soaked device, and the achievable one in bursts after idle pauses. Whatever
ends the search early (an interrupt, the time budget, a device that fails), the best so far is reported.
"""

from __future__ import annotations

from collections.abc import Sequence

from perftrack.ceiling.bench import Bench
from perftrack.ceiling.boosting import boost_bursts, confirm_boost, lock_boost, screen
from perftrack.ceiling.candidates import Outlook, long_shapes, outlook
from perftrack.ceiling.caveats import of_start
from perftrack.ceiling.journal import Journal
from perftrack.ceiling.protocols import KernelTuner, Phase, Progress, Rig, ShapeRefusedError, SilentProgress
from perftrack.ceiling.ranking import boost_pool, merged, sustained_shortlist
from perftrack.ceiling.report import Ended, Reporter
from perftrack.ceiling.scouting import explore, sweep, warm_up
from perftrack.ceiling.shapes import check_dtype
from perftrack.ceiling.space import Space
from perftrack.ceiling.sustaining import confirm_sustained, lock_sustained, repeat, soak, take_steady
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import CeilingReport, Ending, Shape
from perftrack.errors import DeviceError, UsageError

SHARED_LEADERS = 3  # of the screened, confirmed saturated as well: the winner's cross-check is then mostly done


def search(
    rig: Rig,
    shapes: Sequence[Shape] | None = None,
    *,
    tuning: Tuning | None = None,
    time_budget_s: float | None = None,
    progress: Progress | None = None,
    space: Space | None = None,
) -> CeilingReport:
    """Search the device for both ceilings, among `shapes` or, where those are None, automatically.

    space: what an automatic search may try; the device's own by default.

    With `time_budget_s` it ends by then, late by one burst at most; parts that did not fit make the report
    partial. KeyboardInterrupt and a failing device end it with the best so far and are not raised.
    Raises UsageError for shapes that the data type cannot have, no shapes, a budget that is not positive, and an
    automatic search on a device whose geometry is not known.
    """
    tuning = tuning or Tuning()
    if time_budget_s is not None and not time_budget_s > 0:
        raise UsageError(f"--time-budget {time_budget_s:g}: expected a positive number of seconds")
    if shapes is not None:
        if not shapes:
            raise UsageError("no shapes to search", "give --m, --n and --k, or --shapes-file")
        check_dtype(shapes, rig.facts.dtype)
    view = outlook(rig.facts, tuning, space) if shapes is None else None
    bench = Bench(rig, Journal(automatic=view is not None), progress or SilentProgress(), time_budget_s, rig.now())
    reporter = Reporter(bench.journal, rig.facts, tuning)
    try:
        _run(bench, view, shapes or (), tuning)
        ended = Ended(Ending.OUT_OF_TIME if bench.journal.cut else Ending.COMPLETE)
        return reporter.report(ended, rig.now() - bench.started)
    except KeyboardInterrupt:
        ended = Ended(Ending.INTERRUPTED)
    except DeviceError as error:
        ended = Ended(Ending.DEVICE_ERROR, error.message)
    return reporter.report(ended, rig.now() - bench.started)


def _run(bench: Bench, view: Outlook | None, shapes: Sequence[Shape], tuning: Tuning) -> None:
    for caveat in of_start(bench.rig.facts, automatic=bench.journal.automatic):
        bench.progress.note(caveat)
    tuner = bench.rig.tuner
    if tuner is not None:
        tuner.pause()
    warm_up(bench, tuning)
    if view is None:
        sweep(bench, shapes, tuning)
    else:
        explore(bench, view, tuning)
    if tuning.scout_only or not bench.journal.scouts:
        return
    scouts = bench.journal.readings()
    layouts = view.layouts if view else ()
    long = long_shapes(view, tuning) if view else ()
    boosted = screen(bench, boost_pool(scouts, layouts, tuning, long=long), tuning)
    sustained = tuple(dict.fromkeys((*sustained_shortlist(scouts, layouts, tuning), *boosted[:SHARED_LEADERS])))
    if tuner is not None:
        tuned = _tune(bench, tuner, merged(sustained, boosted)[: tuning.max_tuned_shapes])
        boosted, sustained = tuned, tuned
    _sustain(bench, sustained, tuning)
    confirm_boost(bench, boosted, tuning)
    lock_boost(bench, tuning)
    _crosscheck(bench, tuning)


def _sustain(bench: Bench, shapes: Sequence[Shape], tuning: Tuning) -> None:
    """The sustainable rate, with an eye on whether the board's other cards idle meanwhile."""
    watch = bench.rig.siblings
    if watch is not None:
        watch.begin()
    try:
        soak(bench, tuning)
        confirm_sustained(bench, shapes, tuning)
        lock_sustained(bench, tuning)
        take_steady(bench, tuning)
    finally:
        if watch is not None:
            bench.journal.siblings = watch.end()


def _tune(bench: Bench, tuner: KernelTuner, shapes: Sequence[Shape]) -> tuple[Shape, ...]:
    """Have the library tune the shortlist; the shapes that it could."""
    done: list[Shape] = []
    longest = 0.0
    with bench.part(Phase.TUNE, len(shapes)):
        for shape in shapes:
            bench.reserve(longest)
            began = bench.rig.now()
            try:
                tuner.tune(shape)
            except ShapeRefusedError as error:
                bench.skip(shape, error.message)
                continue
            longest = max(longest, bench.rig.now() - began)
            done.append(shape)
            bench.journal.tuned += 1
    return tuple(done)


def _crosscheck(bench: Bench, tuning: Tuning) -> None:
    """Measure what is missing for the headline shapes to stand in both regimes."""
    journal = bench.journal
    shapes = Reporter(journal, bench.rig.facts, tuning).headline_shapes()
    with bench.part(Phase.CROSSCHECK, len(shapes)):
        for shape in shapes:
            if not journal.repeats.get(shape):
                repeat(bench, shape, tuning.confirm_reps, tuning)
            if not journal.boosts.get(shape):
                boost_bursts(bench, shape, tuning)
