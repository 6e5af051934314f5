"""On a CUDA device: do the stated intervals cover, does compare stay silent on equals and see 2 %?

    python tests/bench/gpu_validation.py coverage [--fresh 12] [--out FILE]
    python tests/bench/gpu_validation.py aa [--pairs 40]
    python tests/bench/gpu_validation.py injected [--pairs 40]

Changes no setting of the card.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

KERNELS = Path(__file__).parent / "kernels"
sys.path.insert(0, str(KERNELS))

from bench_kernels import WORKS  # noqa: E402
from scorecard import wilson  # noqa: E402

from perftrack.app.visit import VisitSettings, discover, visit  # noqa: E402
from perftrack.core.estimate import estimate  # noqa: E402
from perftrack.core.model import ProcessSamples, Status  # noqa: E402
from perftrack.core.plan import Plan  # noqa: E402
from perftrack.core.stats import process_value  # noqa: E402
from perftrack.suite.launch import Setup  # noqa: E402
from perftrack.suite.pool import WorkerProcess  # noqa: E402
from perftrack.suite.selection import select  # noqa: E402
from perftrack.timing.compare import compare  # noqa: E402

DRAWS = 400
SEED = 31_000
LEAST_S = 50e-6  # injected slowdowns are asked of kernels at least this long
INJECTED = 0.02


def coverage(fresh: int, out: Path | None) -> None:
    """Measure every kernel in fresh processes; draw some, predict another."""
    setup = Setup(sys.executable, base=KERNELS, folder=KERNELS, home=KERNELS)
    settings = VisitSettings(Plan(), timeout_s=120.0)
    with WorkerProcess(setup) as worker:
        cases = select(discover(worker, 120.0).declared, ())
    runs: dict[str, list[ProcessSamples]] = {s.case.id: [] for s in cases}
    started = time.perf_counter()
    for index in range(fresh):
        for case, outcome in visit(setup, cases, settings, index, SEED, lambda *_: None).items():
            if outcome.result.status is not Status.OK:
                raise SystemExit(f"{case.id}: {outcome.result.message}\n{outcome.output}")
            runs[case.id].append(outcome.result.metrics[0].process)
    took = time.perf_counter() - started
    if out is not None:
        out.write_text(json.dumps({k: [asdict(p) for p in v] for k, v in runs.items()}))
    print(f"\n{fresh} fresh processes in {took:.0f} s; interval from some, another process's median inside?")
    print(f"{'kernel':<24}{'median':>12}{'from 3':>20}{'half-width':>12}{'from 5':>20}{'half-width':>12}")
    rng = random.Random(SEED)
    hits = {3: 0, 5: 0}
    for name, processes in runs.items():
        row = f"{name:<24}{1e6 * statistics.median(map(process_value, processes)):>9.2f} µs"
        for count in hits:
            inside, widths = 0, []
            for _ in range(DRAWS):
                chosen = rng.sample(processes, count + 1)
                found = estimate(chosen[:-1])
                assert found.interval is not None
                inside += found.interval.contains(process_value(chosen[-1]))
                widths.append(found.relative_half_width)
            hits[count] += inside
            row += f"{wilson(inside, DRAWS):>20}{100 * statistics.median(widths):>10.2f} %"
        print(row)
    total = DRAWS * len(runs)
    print(f"{'all':<36}{wilson(hits[3], total):>20}{'':>12}{wilson(hits[5], total):>20}")


def aa(pairs: int, kernels: list[str]) -> None:
    """Compare each kernel with itself."""
    print(f"\ncompare of a kernel with itself, {pairs} pairs: the interval of the speedup excludes 1")
    print(f"{'kernel':<16}{'alarms':>20}{'slower':>8}{'faster':>8}{'mean':>10}{'half-width':>12}{'GPU s':>8}")
    slower = faster = 0
    for name in kernels:
        work = WORKS[name](0.0)
        found, took = _pairs(work, work, pairs)
        up = sum(hi < 1 for _, hi, _ in found)
        down = sum(lo > 1 for lo, _, _ in found)
        slower, faster = slower + up, faster + down
        mean = statistics.fmean(s for _, _, s in found)
        row = f"{name:<16}{wilson(up + down, pairs):>20}{up:>8}{down:>8}{mean:>10.4f}"
        print(f"{row}{_width(found):>10.2f} %{took:>8.1f}", flush=True)
    print(f"{'all':<16}{wilson(slower + faster, pairs * len(kernels)):>20}{slower:>8}{faster:>8}")


def injected(pairs: int, kernels: list[str]) -> None:
    """Compare each kernel with one that has extra work in it, sized by measurement to 2 %."""
    print(
        f"\ninjected slowdown of {100 * INJECTED:g} % by extra work, {pairs} pairs: the interval shows it slower"
    )
    print(f"{'kernel':<16}{'caught':>20}{'true':>9}{'work':>9}{'half-width':>12}{'GPU s':>8}")
    caught = total = 0
    for name in kernels:
        make = WORKS[name]
        base = make(0.0)
        if compare(base, base, iters=40, rounds=4, device="cuda").baseline.median_ms * 1e-3 < LEAST_S:
            continue
        more, true = _size(make, base)
        slow = make(more)
        found, took = _pairs(slow, base, pairs)
        seen = sum(hi < 1 for _, hi, _ in found)
        caught, total = caught + seen, total + pairs
        print(
            f"{name:<16}{wilson(seen, pairs):>20}{100 * true:>7.2f} %{100 * more:>7.2f} %"
            f"{_width(found):>10.2f} %{took:>8.1f}",
            flush=True,
        )
        del slow, base
    print(f"{'all':<16}{wilson(caught, total):>20}")


def _size(make: Callable[[float], Callable[[], object]], base: Callable[[], object]) -> tuple[float, float]:
    """Extra work whose measured slowdown is nearest INJECTED: (relative work, measured slowdown)."""
    tried = []
    for more in (0.016, 0.02, 0.024, 0.03):
        slow = make(more)
        effect = statistics.median(compare(slow, base, iters=200, device="cuda").effect for _ in range(3))
        tried.append((more, math.expm1(effect)))
    return min(tried, key=lambda t: abs(t[1] - INJECTED))


def _pairs(
    candidate: Callable[[], object], baseline: Callable[[], object], count: int
) -> tuple[list[tuple[float, float, float]], float]:
    started = time.perf_counter()
    found = [compare(candidate, baseline, device="cuda", seed=SEED + n) for n in range(count)]
    took = time.perf_counter() - started
    return [(r.speedup_ci_lo, r.speedup_ci_hi, r.speedup) for r in found], took


def _width(found: list[tuple[float, float, float]]) -> float:
    return 100 * statistics.median((hi - lo) / 2 for lo, hi, _ in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["coverage", "aa", "injected"])
    parser.add_argument("--fresh", type=int, default=12)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--kernels", nargs="*", default=list(WORKS), choices=list(WORKS), metavar="KERNEL")
    options = parser.parse_args()
    if options.what == "coverage":
        coverage(options.fresh, options.out)
    elif options.what == "aa":
        aa(options.pairs, options.kernels)
    else:
        injected(options.pairs, options.kernels)


if __name__ == "__main__":
    main()
