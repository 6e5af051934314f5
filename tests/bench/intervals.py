"""Our exact bootstrap intervals beside plain resampling in Python: time and answers.

    python -m tests.bench.intervals [--repeats N]

Both work on the same 100 samples a side; resampling draws 2000 times. Prints the median time of each,
their ratio, and each end of the interval beside the range that resampling gives over its seeds.
Exits with 1 where ours lies outside that range.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence

from perftrack.core.stats import bootstrap_ci, ratio_ci

SAMPLES = 100
RESAMPLES = 2000
Pair = tuple[float, float]


def resampled_medians(samples: Sequence[float], rng: random.Random) -> list[float]:
    n = len(samples)
    return [statistics.median(rng.choices(samples, k=n)) for _ in range(RESAMPLES)]


def ends(values: list[float]) -> Pair:
    """2.5 % and 97.5 % points."""
    cuts = statistics.quantiles(values, n=40, method="inclusive")
    return cuts[0], cuts[-1]


def resampled_median_ci(samples: Sequence[float], seed: int) -> Pair:
    return ends(resampled_medians(samples, random.Random(seed)))


def resampled_ratio_ci(candidate: Sequence[float], baseline: Sequence[float], seed: int) -> Pair:
    rng = random.Random(seed)
    above, below = resampled_medians(baseline, rng), resampled_medians(candidate, rng)
    return ends([b / c for b, c in zip(above, below, strict=True)])


def timed(work: Callable[[], Pair], repeats: int) -> tuple[float, list[Pair]]:
    """Median seconds per call, and what each call returned."""
    seconds, results = [], []
    for _ in range(repeats):
        start = time.perf_counter()
        results.append(work())
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), results


def side_by_side(name: str, ours: Callable[[], Pair], theirs: Callable[[int], Pair], repeats: int) -> bool:
    ours()  # warm: the table of ranks for this many samples is kept
    our_s, (interval, *_) = timed(ours, 200)
    seeds = iter(range(repeats))
    their_s, drawn = timed(lambda: theirs(next(seeds)), repeats)
    print(f"{name}")
    print(f"  resampling   {1e3 * their_s:9.3f} ms   {RESAMPLES} resamples of {SAMPLES} samples")
    print(f"  exact (ours) {1e3 * our_s:9.3f} ms   {their_s / our_s:.0f} times faster")
    agree = True
    for end, ours_at, seen in zip(("low", "high"), interval, zip(*drawn, strict=True), strict=True):
        within = min(seen) <= ours_at <= max(seen)
        agree &= within
        span = f"{min(seen):.6f} … {max(seen):.6f}"
        print(f"  {end:4} end {ours_at:.6f}, resampling over {repeats} seeds {span}: {within}")
    return agree


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="exact intervals beside resampled ones")
    parser.add_argument("--repeats", type=int, default=20, help="seeds of the resampling (default: 20)")
    repeats = parser.parse_args(arguments).repeats
    rng = random.Random(2000)
    baseline = [rng.lognormvariate(0.0, 0.05) for _ in range(SAMPLES)]
    candidate = [rng.lognormvariate(-0.02, 0.05) for _ in range(SAMPLES)]
    agree = [
        side_by_side(
            "interval of a median",
            lambda: bootstrap_ci(baseline),
            lambda seed: resampled_median_ci(baseline, seed),
            repeats,
        ),
        side_by_side(
            "interval of a speedup",
            lambda: ratio_ci(candidate, baseline),
            lambda seed: resampled_ratio_ci(candidate, baseline, seed),
            repeats,
        ),
    ]
    return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main())
