"""Does the automatic search find the best shape of a grid, and with which share of its measurements?

    python tests/bench/ceiling_search.py model  [--seeds 30] [--first 0]
    python tests/bench/ceiling_search.py replay GRID.npz [GRID.npz …] [--seeds 5]
    python tests/bench/ceiling_search.py record GRID.npz [--part 1/2] [--budget 560] [--dtype bfloat16] [--index 0]
                                         [--tune NAME=VALUE …]

model: cards on paper, whose answers are known, several kinds of them. replay: a grid recorded on a real card; the
files are its parts. record: measures such a grid with torch, each shape once in both regimes. A miss is how far
the picked shape lies below the best of all shapes, by what the model or the recording says of both. The share of
shapes is of those in the grid; that of bursts is of two for each, one per regime.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median

from perftrack.ceiling.achievable import achieved, ranked
from perftrack.ceiling.card import CardModel
from perftrack.ceiling.geometry import Tile, fits, wave_layouts
from perftrack.ceiling.grid import Grid, load_grid, merge, save_grid
from perftrack.ceiling.model_rig import ModelRig
from perftrack.ceiling.protocols import Burst, Phase, Rig, RigFacts, SilentProgress
from perftrack.ceiling.readings import highest_clock, read
from perftrack.ceiling.recorded_rig import RecordedRig
from perftrack.ceiling.recorder import record_grid
from perftrack.ceiling.search import search
from perftrack.ceiling.space import space_of
from perftrack.ceiling.sustained import Repeated, choose, gates, repeated
from perftrack.ceiling.tuning import Tuning, parse_tuning
from perftrack.core.ceiling import DataType, Definition, Shape

WITHIN = 0.001
CARDS: tuple[tuple[str, Mapping[str, float]], ...] = (
    ("132 units", {}),
    ("148 units", {"units": 148}),
    ("108 units", {"units": 108}),
    ("uneven kernels", {"roughness": 0.03}),
    ("little power", {"efficiency": 0.75}),
    ("80 units", {"units": 80, "roughness": 0.02}),
)
KS = (1024, 2048, 4096, 6144, 8192, 12288, 16384, 20480, 28672, 40960)
LEAST_SHAPES = 1500
SQUARES = (1024, 2048, 4096, 8192, 12288, 16384)


@dataclass(frozen=True)
class Truth:
    """What a grid's shapes do: flop/s at boost clock, and saturated for those that pass the gates."""

    boost: Mapping[Shape, float]
    held: Mapping[Shape, float]


@dataclass(frozen=True)
class Trial:
    """One search against one grid."""

    name: str
    shapes: int
    seen: int
    bursts: int
    seconds: float
    picks: tuple[Shape, Shape]
    best: tuple[Shape, Shape]
    misses: tuple[float, float]

    @property
    def shares(self) -> tuple[float, float]:
        return self.seen / self.shapes, self.bursts / (2 * self.shapes)


def reference_shapes(units: int, tile: Tile, dtype: DataType, memory_bytes: int) -> tuple[Shape, ...]:
    """At least 1,500: rows and columns of outputs that fill one to eight waves, powers of two, and all K."""
    layouts = wave_layouts(units, tile, lambda p: min(p) >= 1024 and max(p) <= 16384, waves=(1, 2, 4, 8))
    found: tuple[Shape, ...] = ()
    for each in range(1, 13):  # so many layouts per number of waves
        pairs = [p for layout in layouts for p in layout.pairs[:each]]
        ms = sorted({*SQUARES, *(m for m, _ in pairs)})
        ns = sorted({*SQUARES, *(n for _, n in pairs)})
        found = tuple(s for m, n, k in product(ms, ns, KS) if fits(s := Shape(m, n, k), dtype, memory_bytes))
        if len(found) >= LEAST_SHAPES:
            break
    return found


def model_truth(model: CardModel, shapes: Sequence[Shape], tuning: Tuning) -> Truth:
    held = []
    for shape in shapes:
        at = model.sustained(shape)
        held.append(Repeated(shape, (at.rate,), at.clock_mhz, at.power_w))
    return Truth({s: model.boost_rate(s) for s in shapes}, passing(held, tuning, ModelRig(model).facts))


def recorded_truth(grid: Grid, tuning: Tuning) -> Truth:
    top = highest_clock(b for e in grid.entries for b in (e.boost, e.held))
    boosts = ranked(achieved([e.boost], top, tuning.boost_clock_ratio, need=1) for e in grid.entries)
    held = [repeated([read(e.held)]) for e in grid.entries]
    return Truth({a.shape: a.value for a in boosts if a.boost}, passing(held, tuning, grid.facts))


def passing(held: Sequence[Repeated], tuning: Tuning, facts: RigFacts) -> dict[Shape, float]:
    return {r.shape: r.value for r in choose(held, gates(held, tuning, facts)).ordered}


def trial(name: str, rig: Rig, shapes: Sequence[Shape], truth: Truth, tuning: Tuning) -> Trial:
    report = search(rig, tuning=tuning, space=space_of(shapes))
    picks, best, misses = [], [], []
    for definition, rates in ((Definition.MAMF, truth.boost), (Definition.MSMF, truth.held)):
        result = report.of(definition)
        assert result is not None
        assert result.shape is not None
        top = max(rates, key=lambda s: rates[s])
        picks.append(result.shape)
        best.append(top)
        # A shape that the truth rules out would be a wrong answer at any rate.
        misses.append(1 - rates[result.shape] / rates[top] if result.shape in rates else 1.0)
    return Trial(
        name, len(shapes), report.shapes, report.bursts, report.duration_s,
        (picks[0], picks[1]), (best[0], best[1]), (misses[0], misses[1]),
    )  # fmt: skip


def show(trials: Sequence[Trial]) -> None:
    print(
        f"{'case':<22}{'shapes':>7}{'seen':>6}{'share':>7}{'bursts':>7}{'share':>7}{'time':>7}"
        f"  {'MAMF pick':<18}{'miss':>8}  {'MSMF pick':<18}{'miss':>8}"
    )
    for t in trials:
        of_shapes, of_bursts = t.shares
        print(
            f"{t.name:<22}{t.shapes:>7}{t.seen:>6}{of_shapes:>7.1%}{t.bursts:>7}{of_bursts:>7.1%}{t.seconds:>6.0f}s"
            f"  {t.picks[0]!s:<18}{t.misses[0]:>8.3%}  {t.picks[1]!s:<18}{t.misses[1]:>8.3%}"
        )
    for regime, name in enumerate(("MAMF", "MSMF")):
        misses = [t.misses[regime] for t in trials]
        within = sum(m <= WITHIN for m in misses)
        print(
            f"{name}: {within} of {len(trials)} within {WITHIN:.1%} of the grid's best, median miss "
            f"{median(misses):.3%}, worst {max(misses):.3%}"
        )
    for what, shares in (("shapes", [t.shares[0] for t in trials]), ("bursts", [t.shares[1] for t in trials])):
        print(f"share of the grid's {what}: median {median(shares):.1%}, highest {max(shares):.1%}")


def run_model(seeds: int, first: int, tuning: Tuning) -> list[Trial]:
    trials = []
    for seed in range(first, first + seeds):
        name, numbers = CARDS[seed % len(CARDS)]
        model = CardModel(seed=seed, **numbers)  # type: ignore[arg-type]
        shapes = reference_shapes(model.units, model.tile, model.dtype, model.memory_bytes)
        truth = model_truth(model, shapes, tuning)
        trials.append(trial(f"{name}, seed {seed}", ModelRig(model, seed=seed), shapes, truth, tuning))
    return trials


def run_replay(paths: Sequence[Path], seeds: int, tuning: Tuning) -> list[Trial]:
    grid = merge([load_grid(path) for path in paths])
    truth = recorded_truth(grid, tuning)
    print(f"{grid.facts.product}, {grid.facts.dtype}: {len(grid.entries)} shapes recorded")
    for name, rates in (("MAMF", truth.boost), ("MSMF", truth.held)):
        top = sorted(rates, key=lambda s: rates[s], reverse=True)[:5]
        print(f"{name} of the grid: " + ", ".join(f"{s} {rates[s] / 1e12:.1f}" for s in top))
    return [
        trial(f"{grid.facts.product[:14]}, seed {s}", RecordedRig(grid, seed=s), grid.shapes, truth, tuning)
        for s in range(seeds)
    ]


class Lines(SilentProgress):
    """A line every 100 shapes."""

    def __init__(self) -> None:
        self.count, self.began = 0, time.monotonic()

    def phase(self, phase: Phase, total: int | None) -> None:
        print(f"{time.monotonic() - self.began:6.1f} s  {phase} ({total or 'until settled'})", flush=True)

    def measured(self, phase: Phase, burst: Burst, flops_per_s: float) -> None:
        self.count += 1
        if self.count % 100 == 0:
            spent = time.monotonic() - self.began
            print(f"{spent:6.1f} s  {self.count:>5}  {burst.shape} {flops_per_s / 1e12:.1f} Tflop/s", flush=True)

    def skipped(self, shape: Shape, why: str) -> None:
        print(f"          {shape} skipped: {why}", flush=True)


def run_record(path: Path, part: str, budget_s: float, dtype: DataType, index: int, tuning: Tuning) -> None:
    from perftrack.app.rigopen import open_torch

    number, parts = map(int, part.split("/"))
    opened = open_torch("cuda", index, dtype)
    facts = opened.rig.facts
    assert facts.unit_count is not None
    assert facts.tile_hint is not None
    shapes = reference_shapes(facts.unit_count, facts.tile_hint, dtype, facts.memory_bytes or 2**62)
    mine = shapes[number - 1 :: parts]
    print(f"{facts.product}, {dtype}: {len(mine)} of {len(shapes)} shapes")
    grid = record_grid(opened.rig, mine, tuning=tuning, time_budget_s=budget_s, progress=Lines())
    opened.close()
    save_grid(path, grid)
    print(f"{path}: {len(grid.entries)} shapes, {path.stat().st_size / 1e6:.1f} MB")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["model", "replay", "record"])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--budget", type=float, default=560.0)
    parser.add_argument("--dtype", type=DataType, default=DataType.BFLOAT16)
    parser.add_argument("--index", type=int, default=0)
    parser.add_argument("--tune", nargs="+", action="extend", default=[], metavar="NAME=VALUE")
    options = parser.parse_args(arguments)
    tuning = parse_tuning(options.tune)
    if options.what == "record":
        (path,) = options.files
        run_record(path, options.part, options.budget, options.dtype, options.index, tuning)
        return 0
    runs: dict[str, Callable[[], list[Trial]]] = {
        "model": lambda: run_model(options.seeds or 30, options.first, tuning),
        "replay": lambda: run_replay(options.files, options.seeds or 5, tuning),
    }
    trials = runs[options.what]()
    show(trials)
    return 0


if __name__ == "__main__":
    sys.exit(main())
