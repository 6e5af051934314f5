"""Coverage and false alarms on recorded H200 data: perftrack's interval and compare beside the usual protocol.

    python tests/bench/scorecard.py [--processes 3]

The usual protocol is one window, the bootstrap interval of its median, and a comparison of two windows taken
one after the other. Data: tests/data/h200 (see its README).
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
from pathlib import Path

import numpy as np

from perftrack.core.estimate import estimate
from perftrack.core.model import ProcessSamples, Window
from perftrack.core.paired import paired_effect
from perftrack.core.stats import bootstrap_ci, median, process_value, ratio_ci

DATA = Path(__file__).parent.parent / "data" / "h200"
DRAWS = 400
SEED = 20_000


def wilson(hits: int, total: int) -> str:
    """Share with its 95 % Wilson interval, in percent."""
    if not total:
        return "–"
    p, z = hits / total, 1.96
    centre = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return f"{100 * p:5.1f} % [{100 * max(0, centre - half):.0f}–{100 * min(1, centre + half):.0f}]"


def to_process(index: int, record: dict) -> ProcessSamples:
    windows = tuple(Window(tuple(1e-6 * s for s in w["samples"])) for w in record["windows"])
    return ProcessSamples(index, windows)


def processes(count: int) -> None:
    print(f"\nA fresh process's median, {count} processes measured ({DRAWS} draws each)")
    print(f"{'kernel':<16}{'ours':>22}{'half-width':>12}{'one window, bootstrap':>30}{'half-width':>12}")
    rng = random.Random(SEED)
    data = json.loads((DATA / "processes.json").read_text())
    total = [0, 0, 0]
    for kernel, records in data.items():
        runs = [to_process(n, r) for n, r in enumerate(records)]
        ours, usual, widths, usual_widths = 0, 0, [], []
        for _ in range(DRAWS):
            chosen = rng.sample(runs, count + 1)
            nxt = process_value(chosen[-1])
            estimated = estimate(chosen[:-1])
            ours += estimated.interval.contains(nxt)
            widths.append(estimated.relative_half_width)
            lo, hi = bootstrap_ci(chosen[0].windows[0].samples)
            usual += lo <= nxt <= hi
            usual_widths.append((hi - lo) / 2 / nxt)
        total = [total[0] + ours, total[1] + usual, total[2] + DRAWS]
        print(
            f"{kernel:<16}{wilson(ours, DRAWS):>22}{100 * statistics.median(widths):>10.2f} %"
            f"{wilson(usual, DRAWS):>30}{100 * statistics.median(usual_widths):>10.2f} %"
        )
    print(f"{'all':<16}{wilson(total[0], total[2]):>22}{'':>12}{wilson(total[1], total[2]):>30}")


def windows(count: int) -> None:
    print(f"\nThe next window's median in the same process, {count} windows measured")
    print(f"{'kernel':<16}{'ours':>22}{'half-width':>12}{'one window, bootstrap':>30}")
    data = json.loads((DATA / "aa.json").read_text())
    for kernel, records in data.items():
        medians = [median(r["samples"]) for r in records]
        ours, widths, trials = 0, [], 0
        for start in range(len(records) - count):
            part = tuple(Window(tuple(r["samples"])) for r in records[start : start + count])
            estimated = estimate([ProcessSamples(0, part)])
            ours += estimated.interval.contains(medians[start + count])
            widths.append(estimated.relative_half_width)
            trials += 1
        usual = 0
        for start in range(len(records) - 1):
            lo, hi = bootstrap_ci(records[start]["samples"])
            usual += lo <= medians[start + 1] <= hi
        width = 100 * statistics.median(widths)
        print(f"{kernel:<16}{wilson(ours, trials):>22}{width:>10.2f} %{wilson(usual, len(records) - 1):>30}")


def pairs() -> None:
    print("\nFalse alarms of a comparison of a kernel with itself, 60 pairs each")
    print(f"{'kernel':<16}{'ours, interleaved':>22}{'slower':>8}{'faster':>8}{'one after the other':>30}")
    data = np.load(DATA / "pairs.npz")
    for kernel in sorted({n.rpartition("_")[0] for n in data.files}):
        interleaved, sequential = data[f"{kernel}_itl"], data[f"{kernel}_seq"]
        slower = faster = usual = 0
        for one, two in interleaved:
            ratios = np.log(np.median(one, axis=-1) / np.median(two, axis=-1))
            # The order drawn in each round is not in the recording: the slot effect stays in the residual.
            found = paired_effect(list(ratios), [True] * len(ratios))
            slower += found.interval.lo > 0
            faster += found.interval.hi < 0
        for one, two in sequential:
            lo, hi = ratio_ci(list(one), list(two))
            usual += not lo <= 1.0 <= hi
        n = len(interleaved)
        ours, other = wilson(slower + faster, n), wilson(usual, len(sequential))
        print(f"{kernel:<16}{ours:>22}{slower:>8}{faster:>8}{other:>30}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--windows", type=int, default=5)
    options = parser.parse_args()
    processes(options.processes)
    windows(options.windows)
    pairs()


if __name__ == "__main__":
    main()
