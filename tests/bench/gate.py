"""How often the gate calls equal code changed, beside the test that pools samples.

    python -m tests.bench.gate [--pairs 10000] [--noise NAME ...] [--histories FILE]

Three situations: four processes a side or more and no history (a permutation test), fewer with the lane's noise
learnt from its history, and adjacent commits of real histories. FILE: an .npz with `value` (series, commits),
`q25`, `q75` and `repeat` of the same shape, as a benchmark's public results have them.

In simulations a process's level differs from run to run four times as much as the standard error of its own
samples, which is what public histories show.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import stats

from perftrack.core.discoveries import control_false_discoveries
from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.judgement import Verdict
from perftrack.core.model import (
    Cache,
    Case,
    Direction,
    Measurement,
    MeasurementTier,
    ProcessSamples,
    Protocol,
    Status,
    Timer,
    Window,
)
from perftrack.core.noise import LaneNoise, lane_noise
from perftrack.core.permutation import permutation_test
from perftrack.core.verdict import judge

SEED = 41_000
RESAMPLES = 1000
FIRST = 7  # runs of a lane before its first comparison
SAMPLES = 25  # a process
SPREAD = 0.01  # of process levels
WITHIN = SPREAD / 4 * SAMPLES**0.5  # of samples in a process: its standard error is a quarter of the spread
CHANGED = (Verdict.REGRESSION, Verdict.IMPROVEMENT)
HERE = EnvironmentFingerprint(device_kind="cpu", cpu_model="Simulated")
NOISES: dict[str, Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]] = {
    "Gaussian": lambda rng, shape: rng.normal(0, 1, shape),
    "heavy tail (t4)": lambda rng, shape: rng.standard_t(4, shape) / 2**0.5,
    "skewed (exponential)": lambda rng, shape: rng.exponential(1, shape) - 1,
    "two modes": lambda rng, shape: rng.choice([-1.0, 1.0], shape) + rng.normal(0, 0.2, shape),
}


def side(values: np.ndarray) -> Measurement:
    """A measurement with one process a value."""
    processes = tuple(ProcessSamples(i, (Window((float(v),)),)) for i, v in enumerate(np.atleast_1d(values)))
    return Measurement(
        Case("work"),
        "time",
        "s",
        Direction.LOWER,
        Status.OK,
        Protocol(Timer.HOST, Cache.HOT),
        MeasurementTier.B,
        HERE,
        processes=processes,
    )


def verdict(b: np.ndarray, c: np.ndarray, noise: LaneNoise | None) -> Verdict:
    """With a threshold of 0: every interval that leaves out "no change" counts."""
    return judge(side(b), side(c), noise=noise, threshold=0.0).verdict


def exact_interval(hits: int, total: int) -> str:
    """Share with its 95 % interval (Clopper & Pearson 1934), in percent."""
    lo = stats.beta.ppf(0.025, hits, total - hits + 1) if hits else 0.0
    hi = stats.beta.ppf(0.975, hits + 1, total - hits) if hits < total else 1.0
    return f"{100 * hits / total:5.2f} % [{100 * lo:.2f}–{100 * hi:.2f}]"


def by_permutation(pairs: int, names: list[str]) -> None:
    print(f"\nEqual code, no history, a permutation test of processes: {pairs} pairs each")
    print(f"{'noise':<22}{'processes':>11}{'called changed':>24}{'worse : better':>18}{'samples pooled':>24}")
    for name in names:
        for count_b, count_c in ((4, 4), (4, 5), (5, 5), (8, 8)):
            rng = np.random.default_rng(SEED)
            count = count_b + count_c
            levels = SPREAD * NOISES[name](rng, (pairs, count, 1))
            samples = levels + WITHIN * rng.normal(0, 1, (pairs, count, SAMPLES))
            values = np.exp(np.median(samples, axis=2))
            found = Counter(verdict(v[:count_b], v[count_b:], None) for v in values)
            sides = (samples[:, part].reshape(pairs, -1) for part in (slice(count_b), slice(count_b, None)))
            pooled = stats.mannwhitneyu(*sides, axis=1, method="asymptotic").pvalue < 0.05
            share = exact_interval(int(pooled.sum()), pairs)
            print(f"{name:<22}{f'{count_b} : {count_c}':>11}{alarms(found, pairs)}{share:>24}", flush=True)


def intervals(pairs: int) -> None:
    """How often a 95 % interval of the ratio holds the true one, 1: resampled processes against shifted ones."""
    print(f"\n95 % intervals of the ratio of equal code that hold 1, Gaussian noise: {pairs} pairs each")
    print(f"{'processes':>11}{'permutation':>24}{'percentile bootstrap':>24}")
    for count in (4, 5, 8):
        rng = np.random.default_rng(SEED)
        logs = SPREAD * rng.normal(0, 1, (pairs, 2, count))
        held = sum(permutation_test(b, c).interval.contains(0.0) for b, c in logs)
        drawn = rng.integers(0, count, (RESAMPLES, 2, count))
        means = np.stack([logs[:, side][:, drawn[:, side]].mean(axis=2) for side in (0, 1)])
        lo, hi = np.quantile(means[1] - means[0], (0.025, 0.975), axis=1)
        resampled = int(((lo <= 0) & (hi >= 0)).sum())
        shown = f"{exact_interval(held, pairs):>24}{exact_interval(resampled, pairs):>24}"
        print(f"{f'{count} : {count}':>11}{shown}", flush=True)


def by_history(pairs: int, names: list[str]) -> None:
    print(f"\nEqual code, the lane's noise learnt from its history: {pairs} pairs each, run-to-run spread 1 %")
    print(f"{'noise':<22}{'processes':>11}{'runs':>7}{'called changed':>24}{'worse : better':>18}")
    for name in names:
        for count in (1, 3):
            for runs in (6, 20, 100):
                rng = np.random.default_rng(SEED + runs)
                found: Counter[Verdict] = Counter()
                for _ in range(pairs):
                    levels = SPREAD * NOISES[name](rng, (runs + 2, 1)) + SPREAD / 2 * NOISES[name](
                        rng, (runs + 2, count)
                    )
                    logs = levels[:runs]
                    within = logs.var(axis=1, ddof=1) / count if count > 1 else np.zeros(runs)
                    learnt = lane_noise(np.exp(logs.mean(axis=1)), within, [count] * runs)
                    found[verdict(np.exp(levels[-2]), np.exp(levels[-1]), learnt)] += 1
                print(f"{name:<22}{f'{count} : {count}':>11}{runs:>7}{alarms(found, pairs)}", flush=True)


def alarms(found: Counter[Verdict], pairs: int) -> str:
    worse, better = (found[v] for v in CHANGED)
    return f"{exact_interval(worse + better, pairs):>24}{f'{worse} : {better}':>18}"


def real(path: Path) -> None:
    """Commit after commit, with what the history before has shown; hardly any of them changed anything.

    Judged alone, and as the cases of one comparison, as the gate does it: with false discoveries controlled.
    """
    data = np.load(path)
    values, q25, q75, repeat = (data[k] for k in ("value", "q25", "q75", "repeat"))
    alone = together = total = within = timed = 0
    for at in range(FIRST, values.shape[1]):
        found = []
        for history in values[:, :at]:
            noise = lane_noise(history, np.zeros(at), [1] * at)
            row = len(found)
            found.append(judge(side(history[-1]), side(values[row, at]), noise=noise))
        alone += sum(j.verdict in CHANGED for j in found)
        together += sum(j.verdict in CHANGED for j in control_false_discoveries(found))
        total += len(found)
        for row in range(len(values)):
            errors = [1.2533 * (q75[row, i] - q25[row, i]) / 1.349 / repeat[row, i] ** 0.5 for i in (at - 1, at)]
            if all(np.isfinite(errors)) and max(errors) > 0:
                timed += 1
                z = abs(values[row, at] - values[row, at - 1]) / np.hypot(*errors)
                within += 2 * stats.norm.sf(z) < 0.01
    print(f"\nAdjacent commits of {len(values)} real histories, one process a side, {total} pairs, threshold 2 %")
    print(f"called changed by the gate:             {exact_interval(together, total)}")
    print(f"called changed, each case by itself:    {exact_interval(alone, total)}")
    print(f"a test within the runs, p < 0.01:       {exact_interval(within, timed)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--histories", type=Path)
    parser.add_argument("--noise", action="append", choices=list(NOISES), help="only this one; repeatable")
    given = parser.parse_args()
    names = given.noise or list(NOISES)
    if given.histories is not None:
        real(given.histories)
        sys.stdout.flush()
    by_permutation(given.pairs, names)
    intervals(min(given.pairs, 2000))
    by_history(given.pairs, names)


if __name__ == "__main__":
    main()
