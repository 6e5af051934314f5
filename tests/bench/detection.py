"""Error rates, power, ranges, latency and speed of change points, beside other detectors where they are installed.

    python -m tests.bench.detection [--history FOLDER] [--detector perftrack] [--scale 1.0] [--first-seed 10000]

Prints each rate with the number of series and a 95 % Wilson interval. Seeds below 10,000 are for tuning. FOLDER
holds .npz files whose array `value` is (windows, commits) of recorded seconds: the row of real noise
shuffles residuals for the null, and injects steps into the untouched windows.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from tests.bench.lanes import NOISES, bump, lane, step
from tests.bench.peers import DETECTORS, Detector
from tests.bench.scorecard import wilson

N = 200
CVS = (0.01, 0.02, 0.03)
NEAR = 5


@dataclass
class Bench:
    """A detector under test, and how many series of which seeds it sees."""

    name: str
    detector: Detector
    scale: float
    first_seed: int

    def generators(self, count: int, row: int) -> Iterator[np.random.Generator]:
        for seed in range(max(1, round(count * self.scale))):
            yield np.random.default_rng((self.first_seed + seed, row))

    def show(self, what: str, reading: str, target: str = "") -> None:
        print(f"{what:<46}{reading:<44}{target}", flush=True)

    def rate(self, what: str, hits: list[bool], target: str = "") -> None:
        self.show(what, f"{wilson(sum(hits), len(hits))} of {len(hits)}", target)


def hit(found: list[int], at: int) -> bool:
    return any(abs(index - at) <= NEAR for index in found)


def place(rng: np.random.Generator) -> int:
    return int(rng.integers(N // 5, N - N // 5 + 1))


def nulls(bench: Bench) -> None:
    for name, noise in NOISES.items():
        alarms = [bool(bench.detector(lane(noise(rng, N), 0.01))) for rng in bench.generators(1000, 1)]
        bench.rate(f"nothing changed, {name}", alarms, "≤ 1 %")


def growing(bench: Bench) -> None:
    for name in ("Gaussian", "heavy tail"):
        alarmed = []
        for rng in bench.generators(1000, 2):
            values = lane(NOISES[name](rng, 260), 0.01)
            alarmed.append(any(bench.detector(values[:n]) for n in range(60, 261)))
        bench.rate(f"ever alarmed while growing 60 → 260, {name}", alarmed, "≤ 2 %")


def steps(bench: Bench) -> None:
    targets = {"Gaussian": ("≥ 95", "≥ 89", "≥ 70"), "heavy tail": ("> 99", "> 89", "> 55")}
    for name in ("Gaussian", "heavy tail", "slow spikes"):
        for cv, target in zip(CVS, targets.get(name, ("",) * 3), strict=True):
            hits, extra = [], []
            for rng in bench.generators(1000, 3):
                at = place(rng)
                found = bench.detector(lane(NOISES[name](rng, N), cv, step(N, at, 1.03)))
                hits.append(hit(found, at))
                extra.append(len(found) > 1)
            bench.rate(f"+3 % at CV {100 * cv:g} % within ±{NEAR}, {name}", hits, f"{target} %" if target else "")
            bench.rate("    … with a change too many", extra)


def real(bench: Bench, folder: Path | None) -> None:
    files = sorted(folder.glob("*.npz")) if folder else []
    if not files:
        bench.show("recorded histories", "not given: --history FOLDER")
        return
    windows = np.concatenate([np.load(file)["value"] for file in files])
    null, hits = [], {1.03: [], 1.05: [], 1.10: []}
    repeats = max(1, round(4 * bench.scale))
    for index, values in enumerate(windows):
        residuals = np.log(values)
        edges = [0, *bench.detector(values), len(values)]
        for a, b in pairwise(edges):
            residuals[a:b] -= np.median(residuals[a:b])
        for repeat in range(repeats):
            rng = np.random.default_rng((bench.first_seed, index, repeat))
            null.append(bool(bench.detector(np.exp(rng.permutation(residuals)))))
            at = place(rng)
            for ratio, found in hits.items():
                found.append(hit(bench.detector(values * np.exp(step(len(values), at, ratio))), at))
    bench.rate(f"recorded, shuffled residuals ({len(windows)} windows)", null, "≤ 0.5 %")
    for (ratio, found), target in zip(hits.items(), (82, 93, 97), strict=True):
        bench.rate(f"recorded, +{100 * ratio - 100:.0f} % injected", found, f"≥ {target} %")


def ranges(bench: Bench) -> None:
    from perftrack.core.changes.changepoint import ChangeKind, detect

    for name in ("Gaussian", "heavy tail"):
        for cv, target in zip(CVS, (3, 8, 15), strict=True):
            held, lengths, ratios, gradual = [], [], [], []
            for rng in bench.generators(1000, 4):
                at = place(rng)
                changes = detect(lane(NOISES[name](rng, N), cv, step(N, at, 1.03)).tolist())
                if not changes:
                    continue
                change = min(changes, key=lambda c: abs(c.most_likely - at))
                gradual.append(change.kind is ChangeKind.GRADUAL)
                if gradual[-1]:
                    continue
                held.append(change.first <= at <= change.last)
                lengths.append(change.last - change.first + 1)
                assert change.interval is not None
                ratios.append(change.interval.contains(1.03))
            bench.rate(f"range holds +3 % at CV {100 * cv:g} %, {name}", held, "95–99 %")
            short = "" if name != "Gaussian" else f"≤ {target}"
            bench.show("    … its mean length", f"{np.mean(lengths):5.1f} commits", short)
            bench.rate("    … interval of the ratio holds 1.03", ratios, "95 %")
            bench.rate("    … a step called gradual", gradual)


def latency(bench: Bench) -> None:
    before, most = 100, 40
    for name in ("Gaussian", "heavy tail"):
        for sigmas, target in ((3.0, 6), (1.5, 12)):
            taken = []
            for rng in bench.generators(300, 5):
                values = lane(
                    NOISES[name](rng, before + most), 0.01, step(before + most, before, np.exp(0.01 * sigmas))
                )
                seen = (k for k in range(1, most + 1) if hit_late(bench.detector(values[: before + k]), before))
                taken.append(next(seen, most + 1))
            low, high = np.quantile(taken, [0.25, 0.75])
            bench.show(
                f"commits until a {sigmas:g} σ step is seen, {name}",
                f"{np.median(taken):5.1f} median, quartiles {low:.0f}–{high:.0f}, {len(taken)} series",
                f"≤ {target}" if name == "Gaussian" else "",
            )


def hit_late(found: list[int], at: int) -> bool:
    return any(index >= at - 2 * NEAR for index in found)


def bumps(bench: Bench) -> None:
    for sigmas in (3.0, 2.0):
        for length, target in ((10, 75), (20, 98), (40, 98)):
            hits = []
            for rng in bench.generators(1000, 6):
                at = int(rng.integers(N // 5, N - N // 5 - length + 1))
                found = bench.detector(
                    lane(NOISES["Gaussian"](rng, N), 0.01, bump(N, at, length, np.exp(0.01 * sigmas)))
                )
                hits.append(hit(found, at) and hit(found, at + length))
            bench.rate(
                f"both edges of a {sigmas:g} σ bump of {length} commits",
                hits,
                f"≥ {target} %" if sigmas == 3 else "",
            )


def drifts(bench: Bench) -> None:
    from perftrack.core.changes.changepoint import ChangeKind, detect

    for length in (N, N // 2):
        as_step, as_drift = [], []
        for rng in bench.generators(1000, 7):
            rise = np.clip((np.arange(N) - (N - length) / 2) / length, 0, 1)
            values = lane(NOISES["Gaussian"](rng, N), 0.01, 0.02 * rise)
            if bench.name == "perftrack":
                kinds = {change.kind for change in detect(values.tolist())}
            else:
                kinds = {ChangeKind.STEP} if bench.detector(values) else set()
            as_step.append(bool(kinds - {ChangeKind.GRADUAL}))
            as_drift.append(ChangeKind.GRADUAL in kinds)
        bench.rate(f"drift of 2 CV over {length} of {N} called a step", as_step, "≤ 20 %" if length == N else "")
        bench.rate("    … called gradual", as_drift)


def alerts(bench: Bench) -> None:
    """How often one step alerts while history grows by 100 commits, with a look at each."""
    from perftrack.core.changes.changepoint import detect
    from perftrack.core.changes.event import placed
    from perftrack.core.changes.identity import KnownChange, recognised

    for sigmas in (3.0, 1.5):
        once, more = [], []
        for rng in bench.generators(100, 10):
            values = lane(NOISES["Gaussian"](rng, N), 0.01, step(N, N // 2, np.exp(0.01 * sigmas)))
            known: dict[str, KnownChange] = {}
            for n in range(N // 2, N + 1):
                found = [placed("", change, range(n)) for change in detect(values[:n].tolist())]
                for name, change in zip(recognised(list(known.values()), found), found, strict=True):
                    name = name or str(len(known))
                    known[name] = KnownChange(name, "", change.change.direction, change.first, change.last)
            once.append(len(known) == 1)
            more.append(len(known) > 1)
        bench.rate(f"a {sigmas:g} σ step alerts once in 100 commits", once)
        bench.rate("    … more than once", more)


def creeps(bench: Bench) -> None:
    """Creep since a release at value 50 of 250, with a look at each commit."""
    from perftrack.core.changes.creep import creep

    for name in ("Gaussian", "heavy tail", "AR(0.5)"):
        for total in (0.0, 0.03):
            ever = []
            for rng in bench.generators(200, 11):
                rise = total * np.clip((np.arange(250) - 50) / 200, 0, 1)
                values = lane(NOISES[name](rng, 250), 0.01, rise).tolist()
                looks = (creep(values[:n], 50, 0.0) for n in range(60, 251))
                ever.append(any(look is not None and look.alarm for look in looks))
            bench.rate(
                f"creep of {100 * total:g} % at CV 1 % in 200 commits seen, {name}", ever, "" if total else "≤ 2 %"
            )


def speed(bench: Bench) -> None:
    for n, target in ((200, 15), (1000, 80), (5000, 500)):
        changing = np.zeros(n)
        for at in range(100, n, 100):
            changing += step(n, at, 1.03 if (at // 100) % 2 else 1 / 1.03)
        for what, level in (("no change", 0.0), ("a change every 100", changing)):
            times = []
            for rng in bench.generators(5, 8):
                values = lane(NOISES["Gaussian"](rng, n), 0.01, level)
                start = time.process_time()
                bench.detector(values)
                times.append(time.process_time() - start)
            bench.show(f"processor time, n = {n}, {what}", f"{1e3 * np.median(times):6.1f} ms", f"≤ {target} ms")
    lanes = [
        lane(NOISES["heavy tail"](rng, N), 0.01, step(N, place(rng), 1.03)) for rng in bench.generators(1000, 9)
    ]
    start = time.process_time()
    for values in lanes:
        bench.detector(values)
    bench.show(
        f"processor time, {len(lanes)} cases × {N} commits", f"{time.process_time() - start:6.1f} s", "< 15 s"
    )


ROWS: dict[str, Callable[..., None]] = {
    row.__name__: row
    for row in (nulls, growing, steps, real, ranges, latency, bumps, drifts, alerts, creeps, speed)
}
OURS = ("ranges", "alerts", "creeps")  # what the others do not offer


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--history", type=Path, metavar="FOLDER")
    parser.add_argument("--detector", choices=tuple(DETECTORS), default="perftrack")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of series (default: 1)")
    parser.add_argument("--first-seed", type=int, default=10_000)
    parser.add_argument("--rows", nargs="+", choices=tuple(ROWS), default=tuple(ROWS), help="only these rows")
    options = parser.parse_args(arguments)
    bench = Bench(options.detector, DETECTORS[options.detector](), options.scale, options.first_seed)
    print(f"{options.detector}, seeds from {options.first_seed}")
    for name in options.rows:
        if name == "real":
            real(bench, options.history)
        elif name not in OURS or options.detector == "perftrack":
            ROWS[name](bench)


if __name__ == "__main__":
    main()
