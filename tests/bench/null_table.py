"""Simulates the null distribution of core.changes.rankscan and writes it as perftrack/core/changes/nulldata.py.

    python -m tests.bench.null_table [--scale 1.0] [--output perftrack/core/changes/nulldata.py]

Under no change the ranks of a series are a random permutation, whatever the noise: the table holds for every
distribution. `--scale` multiplies the number of permutations of every length; --scale 1 takes some minutes.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np

from perftrack.core.changes.rankscan import FAR, NEAR, SHORT, arc_lengths, penalty, scores, split_weights

SEED = 7
LEVELS = tuple(m * 10.0**-e for e in range(1, 6) for m in (5, 2, 1))  # 0.5, 0.2, 0.1 … 0.00001
# Short series have few permutations and bounded statistics; long ones are smooth in ln(n) and in the tail.
PERMUTATIONS = {
    **dict.fromkeys((6, 8, 10, 12, 14, 16, 18, 20, 23, 26, 30, 35, 42, 50, 60, 75, 90), 2_000_000),
    **dict.fromkeys((110, 140, 180, 256), 1_000_000),
    512: 400_000,
    1024: 200_000,
    2500: 60_000,
    5000: 30_000,
    10000: 12_000,
}
ENOUGH = 20  # permutations beyond a level, below which the level comes from the fitted tail
BATCH = 4_000_000
SMOOTH, CURVE = 50, 0.1

Table = dict[int, tuple[float, ...]]


def statistics(permutations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(splits, arcs): the largest statistic of each row of ranks 0 … n - 1."""
    count, n = permutations.shape
    far, near = np.zeros((n + 1, count), np.float32), np.zeros((n + 1, count), np.float32)
    for limit, sums in ((FAR, far), (NEAR, near)):
        np.cumsum(scores(n, limit).astype(np.float32)[permutations.T], axis=0, out=sums[1:])
    h, penalties = split_weights(n)
    sums = np.where((h < SHORT)[:, None], far[1:-1], near[1:-1])
    sums *= sums
    sums /= h[:, None].astype(np.float32)
    sums -= penalties[:, None].astype(np.float32)
    arcs = np.full(count, -np.inf, np.float32)
    for length in arc_lengths(n):
        h_arc = length * (n - length) / n
        chosen = far if h_arc < SHORT else near
        largest = np.abs(chosen[length:] - chosen[:-length]).max(axis=0)
        np.maximum(arcs, largest**2 / np.float32(h_arc) - np.float32(penalty(h_arc, n)), out=arcs)
    return sums.max(axis=0), arcs


def quantiles(values: np.ndarray) -> tuple[float, ...]:
    """Statistic that is reached with each probability of LEVELS.

    Levels that too few permutations reach continue the straight line in ln(p) of the last ones that enough
    reach: the tail of a squared normal.
    """
    ordered = np.sort(values)[::-1]
    reached = [
        float(ordered[max(0, math.ceil(p * len(ordered)) - 1)]) for p in LEVELS if p * len(ordered) >= ENOUGH
    ]
    if len(reached) == len(LEVELS):
        return tuple(reached)
    tail = slice(max(0, len(reached) - 6), len(reached))
    slope = np.polyfit(np.log(LEVELS[tail]), reached[tail], 1)[0]
    last = math.log(LEVELS[len(reached) - 1])
    return (*reached, *(reached[-1] + float(slope) * (math.log(p) - last) for p in LEVELS[len(reached) :]))


def simulate(n: int, count: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    rng = np.random.default_rng((SEED, n))
    splits, arcs = [], []
    while count > 0:
        rows = min(count, max(1, BATCH // n))
        found = statistics(np.argsort(rng.random((rows, n), dtype=np.float32), axis=1))
        splits.append(found[0])
        arcs.append(found[1])
        count -= rows
    return quantiles(np.concatenate(splits)), quantiles(np.concatenate(arcs))


def smoothed(raw: Table, counts: dict[int, int]) -> Table:
    """Each value drawn to a curve through its neighbours, as far as its own sampling error leaves it in doubt.

    A level's statistic is a straight line in ln(n) and 1 / ln(n) from SMOOTH values on, to within CURVE; it
    grows with n. A value that m permutations reach has a standard error near 2 / √m.
    """
    lengths = [n for n in raw if n >= SMOOTH]
    out = {n: list(row) for n, row in raw.items()}
    x = np.log(lengths)
    basis = np.stack([np.ones_like(x), x, 1 / x], axis=1)
    for column, level in enumerate(LEVELS):
        values = np.array([raw[n][column] for n in lengths])
        errors = np.array([2 / math.sqrt(counts[n] * level) for n in lengths])
        fitted = basis @ np.linalg.lstsq(basis / errors[:, None], values / errors, rcond=None)[0]
        drawn = (values / errors**2 + fitted / CURVE**2) / (1 / errors**2 + 1 / CURVE**2)
        for n, value in zip(lengths, np.maximum.accumulate(drawn), strict=True):
            out[n][column] = float(value)
    return {n: tuple(np.maximum.accumulate(row).tolist()) for n, row in out.items()}


def row(n: int, values: tuple[float, ...]) -> str:
    return f"    {n}: (" + ", ".join(f"{v:.2f}" for v in values) + "),\n"


def source(splits: Table, arcs: Table) -> str:
    parts = [
        '"""Null distribution of rankscan, simulated by tests/bench/null_table.py; not written by hand.\n\n',
        "By length of series, the statistic that one without a change reaches with each probability of LEVELS.\n",
        '"""\n\nfrom __future__ import annotations\n\n',
        "LEVELS = (" + ", ".join(f"{p:g}" for p in LEVELS) + ")\n",
    ]
    for name, table in (("SPLITS", splits), ("ARCS", arcs)):
        parts += [f"{name} = {{\n", *(row(n, values) for n, values in table.items()), "}\n"]
    return "".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--output", type=Path, default=Path("perftrack/core/changes/nulldata.py"))
    options = parser.parse_args()
    counts = {n: max(1000, round(count * options.scale)) for n, count in PERMUTATIONS.items()}
    splits, arcs = {}, {}
    for n, count in counts.items():
        splits[n], arcs[n] = simulate(n, count)
        print(f"n = {n:<6} p = 0.001: split {splits[n][8]:.2f}, arc {arcs[n][8]:.2f}", flush=True)
    options.output.write_text(source(smoothed(splits, counts), smoothed(arcs, counts)))


if __name__ == "__main__":
    main()
