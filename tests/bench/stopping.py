"""Does stopping at a wanted width break the interval? Simulated comparisons and recordings.

    python tests/bench/stopping.py [--runs 4000]

A live comparison adds rounds until its interval is narrower than half the threshold. That rule looks at the
width, never at the effect, but a width that is small by luck stops early, so coverage must be shown.
"""

from __future__ import annotations

import argparse
import math
import random
from dataclasses import dataclass

from scorecard import wilson

from perftrack.app.live import MAX_ROUNDS, MIN_ROUNDS
from perftrack.core.estimate import estimate
from perftrack.core.model import ProcessSamples, Window
from perftrack.core.paired import STOPPED, paired_effect
from perftrack.timing.compare import ADDED_ROUNDS, MORE_ROUNDS, ROUNDS
from perftrack.timing.measure import TARGET_WIDTH

RECORD_WIDTH = 0.005
SEED = 40_000


@dataclass(frozen=True)
class Rule:
    """Rounds at first, then `step` more at a time up to `most`, until the half-width is `width`."""

    name: str
    first: int
    step: int
    most: int
    width: float


LIVE = Rule("compare --live", MIN_ROUNDS, 2, MAX_ROUNDS, 0.01)
CALLABLES = Rule("compare() of two callables", ROUNDS, ADDED_ROUNDS, MORE_ROUNDS * ROUNDS, TARGET_WIDTH)


def gaussian(rng: random.Random, sigma: float) -> float:
    return rng.gauss(0.0, sigma)


def heavy(rng: random.Random, sigma: float) -> float:
    """Student's t with 4 degrees of freedom, scaled to `sigma`."""
    chi = sum(rng.gauss(0, 1) ** 2 for _ in range(4)) / 4
    return sigma / math.sqrt(2) * rng.gauss(0, 1) / math.sqrt(chi)


def bimodal(rng: random.Random, sigma: float) -> float:
    return sigma * (rng.choice((-1.0, 1.0)) + rng.gauss(0, 0.2))


def one(
    rng: random.Random, draw: object, sigma: float, effect: float, widen: float, rule: Rule
) -> tuple[bool, int, float]:
    """Whether the interval holds the effect, the rounds it took, and its half-width."""
    assert callable(draw)
    ratios: list[float] = []
    second: list[bool] = []
    while True:
        orders = [n % 2 == 0 for n in range(rule.step if ratios else rule.first)]
        rng.shuffle(orders)
        for order in orders:
            ratios.append(effect + draw(rng, sigma) + (0.002 if order else -0.002))
            second.append(order)
        found = paired_effect(ratios, second, widen=widen)
        half = (found.interval.hi - found.interval.lo) / 2
        if half <= rule.width or len(ratios) + rule.step > rule.most:
            return found.interval.contains(effect), len(ratios), half


def recorded(
    rng: random.Random, draw: object, sigma: float, widen: float, limits: tuple[int, int]
) -> tuple[bool, int]:
    """Whether the interval of a recording holds the next process's value, and the processes it took."""
    assert callable(draw)
    least, most = limits
    processes: list[ProcessSamples] = []
    while True:
        processes.append(ProcessSamples(len(processes), (Window((math.exp(draw(rng, sigma)),)),)))
        if len(processes) < least:
            continue
        found = estimate(processes, widen=widen)
        if found.relative_half_width <= RECORD_WIDTH or len(processes) >= most:
            assert found.interval is not None
            return found.interval.contains(math.exp(draw(rng, sigma))), len(processes)


def recordings(runs: int) -> None:
    print(f"\n{'recording, 3 to 10 processes':<32}{'plain':>20}{f'widened {STOPPED:g}×':>24}{'processes':>12}")
    for name, draw in (("Gaussian", gaussian), ("heavy tail (t4)", heavy)):
        for sigma in (0.0005, 0.001, 0.002, 0.003, 0.006):
            row = f"{f'{name} {100 * sigma:g} %':<32}"
            for widen, room in ((1.0, 20), (STOPPED, 24)):
                rng = random.Random(f"{SEED}/{name}/{sigma}")
                results = [recorded(rng, draw, sigma, widen, (3, 10)) for _ in range(runs)]
                row += f"{wilson(sum(r[0] for r in results), runs):>{room}}"
            print(f"{row}{sum(r[1] for r in results) / runs:>12.1f}", flush=True)


def comparisons(rule: Rule, runs: int) -> None:
    print(f"\n{rule.name}: {rule.first} to {rule.most} rounds until ±{100 * rule.width:g} %")
    print(
        f"{'noise of a round':<26}{'plain':>22}{f'widened {STOPPED:g}×':>24}{'mean rounds':>14}{'half-width':>13}"
    )
    for name, draw in (("Gaussian", gaussian), ("heavy tail (t4)", heavy), ("bimodal", bimodal)):
        for sigma in (0.003, 0.008, 0.015, 0.03, 0.06):
            row = f"{f'{name} {100 * sigma:g} %':<26}"
            for widen, room in ((1.0, 22), (STOPPED, 24)):
                rng = random.Random(f"{SEED}/{name}/{sigma}")
                results = [one(rng, draw, sigma, 0.01, widen, rule) for _ in range(runs)]
                row += f"{wilson(sum(r[0] for r in results), len(results)):>{room}}"
            rounds = sum(r[1] for r in results) / len(results)
            width = sum(r[2] for r in results) / len(results)
            print(f"{row}{rounds:>14.1f}{100 * width:>11.2f} %", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=4000)
    options = parser.parse_args()
    print("Coverage at nominal 95 %")
    for rule in (LIVE, CALLABLES):
        comparisons(rule, options.runs)
    recordings(options.runs)


if __name__ == "__main__":
    main()
