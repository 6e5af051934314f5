"""The search for a culprit, simulated: how often it is right, and what it costs.

    python -m tests.bench.bisect [--runs 300] [--jobs N] [--only PART ...] [--seed 10000]

Over some 1,024 commits one, drawn at random, shifts the level by so many standard deviations (σ) of a process's
median. `right`: the block named is the culprit's, out of all runs. `processes`: measurements until it is named,
those that establish the difference included; `after`: to check and confirm it. `builds`: distinct commits, ends
included. Intervals are 95 %: Wilson's of shares, and of means from their standard errors.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from perftrack.core.search.bisection import Search
from perftrack.core.search.dag import CommitGraph
from perftrack.core.search.reproduction import Reproduction, Standing
from perftrack.core.search.visits import Outcome
from tests.bench.searches import CHEAP, DEAR, SIZE, Run, Task, World, simulate
from tests.commit_graphs import SHAPES, Statistics, line

MOST = {1.0: 195, 1.5: 102, 2.0: 70}  # processes, levels unknown
MOST_KNOWN = {1.0: 80, 1.5: 40, 2.0: 25}
COMMON = ("Gaussian", "heavy tail")


def wilson(hits: int, total: int) -> str:
    """Share with its 95 % Wilson interval, in percent."""
    if not total:
        return "–"
    p, z = hits / total, 1.96
    centre = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return f"{100 * p:.1f} % [{100 * max(0, centre - half):.1f}–{100 * min(1, centre + half):.1f}]"


def share(flags: Sequence[bool]) -> str:
    return wilson(sum(flags), len(flags))


def mean(values: Sequence[float]) -> str:
    array = np.array(values, dtype=float)
    half = 1.96 * array.std(ddof=1) / math.sqrt(len(array)) if len(array) > 1 else 0.0
    return f"{array.mean():.1f} ± {half:.1f}"


@dataclass(frozen=True)
class Bench:
    """Runs tasks over seeds, in this process or in several."""

    runs: int
    seed: int
    mapped: Callable[..., object]

    def all(self, task: Task, runs: int | None = None) -> list[Run]:
        seeds = range(self.seed, self.seed + (runs or self.runs))
        return list(self.mapped(partial(simulate, task), seeds))  # type: ignore[call-overload]

    def unknown(self) -> None:
        _head(
            "levels unknown",
            "right",
            "processes",
            "builds",
            "after",
            "forecast",
            "interval of the effect",
            "target",
        )
        for noise in COMMON:
            for shift, most in MOST.items():
                self._unknown(f"{shift:g}σ {noise}", Task(shift, noise), self.runs, f"≥ 97 %, ≤ {most}, ≤ 27")
        for shift in MOST:
            self._unknown(f"{shift:g}σ Gaussian, dear builds", Task(shift, settings=DEAR), self.runs // 3, "")

    def _unknown(self, label: str, task: Task, count: int, target: str) -> None:
        runs = self.all(task, count)
        _row(
            label,
            *_costs(runs),
            mean([r.after for r in runs]),
            f"{np.mean([r.forecast / (r.processes + r.after) for r in runs]):.2f} of it",
            share([r.covered for r in runs if r.covered is not None]),
            target,
        )

    def known(self) -> None:
        """From 200 recorded processes of each level: nothing is to be reproduced or watched for drift."""
        _head("levels known", "right", "processes", "builds", "target")
        settings = replace(CHEAP, batch_most=1, build_cost=0.0, end_share=0.0, reproduce=False)
        for noise in COMMON:
            for shift, most in MOST_KNOWN.items():
                runs = self.all(Task(shift, noise, settings=settings, known=200))
                _row(f"{shift:g}σ {noise}", *_costs(runs), f"99 %, ≤ {most}")

    def graphs(self) -> None:
        _head(
            "merge graphs, 1.5σ", "right", "processes", "builds", "as one sorted line", "commits, merges", "target"
        )
        for shape, make in SHAPES.items():
            runs = self.all(Task(1.5, shape=shape))
            flat = self.all(Task(1.5, shape=shape, sorted_line=True), self.runs // 3)
            seen = [Statistics.of(make(np.random.default_rng((s, 7)), SIZE)) for s in range(5)]
            described = (
                f"{np.mean([s.commits for s in seen]):.0f}, {100 * np.mean([s.merges for s in seen]):.0f} %"
            )
            _row(shape, *_costs(runs), share([r.right for r in flat]), described, "≥ 98 %")

    def broken(self) -> None:
        _head(
            "10 % broken, in fives; 1.5σ",
            "block holds it",
            "processes",
            "builds",
            "commits in the block",
            "target",
        )
        for shape in ("line", "pull requests"):
            runs = self.all(Task(1.5, shape=shape, broken=True))
            _row(shape, *_costs(runs), mean([r.block for r in runs if r.named]), "≥ 99 %, ≤ 2")

    def nothing(self) -> None:
        _head("no difference", "names one", "processes", "begins a search", "target")
        for noise in COMMON:
            runs = self.all(Task(0.0, noise), 2 * self.runs)
            begun = share([r.builds > 2 for r in runs])
            _row(noise, share([r.named for r in runs]), mean([r.processes for r in runs]), begun, "≤ 0.5 %")
        for shift in (0.6, 0.8):
            begun, sure = _rare(shift, 2 * self.runs, self.seed)
            _row(f"importance sampling, {shift:g}σ apart", f"established {sure}", "", begun, "≤ 1e-3")

    def hard(self) -> None:
        _head("harder (a third of the runs)", "right", "processes", "builds", "more than one change", "else")
        blind = replace(CHEAP, end_share=0.0)
        for label, task in (
            ("2σ bimodal", Task(2.0, "bimodal")),
            ("2σ, levels drift 4σ in 100 processes", Task(2.0, drift=4.0)),
            ("… and no ends are visited on the way", Task(2.0, drift=4.0, settings=blind)),
            ("2σ, each commit's level off by 0.3σ", Task(2.0, jitter=0.3)),
            ("2σ, fixed inside the range", Task(2.0, fixed=True)),
            ("… and nobody checks on the way to BAD", Task(2.0, fixed=True, settings=replace(CHEAP, checks=0))),
        ):
            runs = self.all(task, self.runs // 3)
            others = sorted({r.outcome.value for r in runs if not r.named})
            several = share([r.narrowed > 0 or r.outcome is Outcome.NON_MONOTONE for r in runs])
            _row(label, *_costs(runs), several, ", ".join(others))

    def speed(self) -> None:
        _head("speed, one core", "build the graph", "first step", "later steps, median", "later steps, slowest")
        requests = SHAPES["pull requests"]
        for size in (1024, 10_000):
            _row(f"line, {size:,}", *_timed(partial(line, size)))
            _row(f"pull requests, {size:,}", *_timed(partial(requests, np.random.default_rng(1), size)))


def _costs(runs: Sequence[Run]) -> tuple[str, str, str]:
    return share([r.right for r in runs]), mean([r.processes for r in runs]), mean([r.builds for r in runs])


def _rare(shift: float, runs: int, seed: int) -> tuple[str, str]:
    """Chance that no difference lets a search begin, and that one is established, by importance sampling.

    Readings are drawn with the ends `shift` apart and weighed by their likelihood ratio (Siegmund 1976): the
    test is of ranks, so its chances do not depend on the distribution. A look after each pair.
    """
    begun, sure = np.zeros(runs), np.zeros(runs)
    for run in range(runs):
        rng = np.random.default_rng((seed, run, 11))
        good = rng.standard_normal(150) - shift / 2
        bad = rng.standard_normal(150) + shift / 2
        state = Reproduction()
        for n in range(8, 151):
            state = state.look(good[:n], bad[:n])
            weight = math.exp(-(shift / 2) * float((bad[:n] - good[:n]).sum()) + n * shift**2 / 4)
            if state.standing is not Standing.OPEN and not begun[run]:
                begun[run] = weight * state.searching
            if state.established:
                sure[run] = weight
            if state.established or state.standing is Standing.ABSENT:
                break

    def shown(weights: np.ndarray) -> str:
        return f"{weights.mean():.1e} ± {1.96 * weights.std() / math.sqrt(runs):.0e}"

    return shown(begun), shown(sure)


def _timed(graph_of: Callable[[], CommitGraph]) -> list[str]:
    start = time.process_time()
    graph = graph_of()
    built = time.process_time() - start
    slow = np.array(graph.shas)[graph.descendants(len(graph) // 3)].tolist()
    world = World(np.random.default_rng(5), Task(1.5), frozenset(slow))
    search, steps = Search.begin(graph, CHEAP), []
    while True:
        start = time.process_time()
        probe = search.next_probe()
        if probe is None:
            break
        search = world.answer(search, probe)
        if search.reproduction.searching:
            steps.append(1e3 * (time.process_time() - start))
    return [
        f"{1e3 * built:.0f} ms",
        f"{steps[0]:.1f} ms",
        f"{np.median(steps[1:]):.1f} ms",
        f"{max(steps[1:]):.1f} ms",
    ]


def _head(title: str, *columns: str) -> None:
    print(f"\n{title:<40}" + "".join(f"{c:>24}" for c in columns), flush=True)


def _row(label: str, *cells: str) -> None:
    print(f"{label:<40}" + "".join(f"{c:>24}" for c in cells), flush=True)


PARTS = ("unknown", "known", "graphs", "broken", "nothing", "hard", "speed")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--seed", type=int, default=10_000, help="of the first run; the search was tuned below 10,000"
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    if options.jobs == 1:
        _print(Bench(options.runs, options.seed, map), options.only)
    else:
        with ProcessPoolExecutor(options.jobs) as pool:
            _print(Bench(options.runs, options.seed, partial(pool.map, chunksize=4)), options.only)
    print(f"\n{options.runs} runs a row, {time.perf_counter() - start:.0f} s")
    return 0


def _print(bench: Bench, parts: Sequence[str]) -> None:
    for part in parts:
        getattr(bench, part)()


if __name__ == "__main__":
    raise SystemExit(main())
