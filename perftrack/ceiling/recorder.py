"""Records a grid: each shape once after an idle pause, then each once on a hot device, from small to large.

A shape after one of its own size inherits little heat and clock that are not its own; in shuffled order, 0.05 s of
warm-up left shapes at up to 8 % above the clock that they hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from perftrack.ceiling.bench import Bench
from perftrack.ceiling.boosting import boost_burst
from perftrack.ceiling.grid import Grid, Recorded, thinned
from perftrack.ceiling.journal import Journal
from perftrack.ceiling.protocols import Burst, Phase, Progress, Rig, SilentProgress
from perftrack.ceiling.scouting import warm_up
from perftrack.ceiling.sustaining import soak
from perftrack.ceiling.tuning import Tuning
from perftrack.core.ceiling import Shape
from perftrack.errors import DeviceError

BOOST_IDLE_S = 0.05  # less than a search takes: a grid has many shapes
BOOST_PASS_ENDS_BY = 0.55


def record_grid(
    rig: Rig,
    shapes: Sequence[Shape],
    *,
    tuning: Tuning | None = None,
    time_budget_s: float | None = None,
    progress: Progress | None = None,
) -> Grid:
    """Measure the shapes in both regimes. Those that a refusal, the time budget or Ctrl-C kept out are left out.

    A device that fails ends it with what there is, unless that is nothing: then its DeviceError is raised.
    """
    tuning = tuning or Tuning()
    journal = Journal()
    bench = Bench(rig, journal, progress or SilentProgress(), time_budget_s, rig.now())
    boosts: dict[Shape, Burst] = {}
    held: dict[Shape, Recorded] = {}
    try:
        warm_up(bench, tuning)
        with bench.part(Phase.CONFIRM_BOOST, len(shapes), share=BOOST_PASS_ENDS_BY):
            for shape in shapes:
                burst = boost_burst(bench, shape, tuning, idle_s=BOOST_IDLE_S)
                if burst is not None:
                    boosts[shape] = burst
        soak(bench, tuning, share=1.0)
        with bench.part(Phase.SCOUT, len(boosts), share=1.0):
            for shape in sorted(boosts, key=lambda s: s.flops):
                burst = bench.burst(shape, tuning.sustain_s, warmup_s=tuning.sustain_warmup_s)
                if burst is not None:
                    period = (burst.ended_at - burst.started_at) / len(burst.seconds)
                    held[shape] = Recorded(boosts[shape], thinned(burst), max(period, min(burst.seconds)))
    except KeyboardInterrupt:
        pass
    except DeviceError:
        if not held:
            raise
    return Grid(rig.facts, tuple(held.values()))
