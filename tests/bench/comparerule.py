"""How often the compare page's noise gives another verdict than the command's, in made-up lanes.

    python -m tests.bench.comparerule

The page learns a lane's noise from all runs but the newest commit's, the command from all but its candidate's.
Every commit against each of the three before it, 40 lanes of three noise levels, each with one step of 5 % or so.
"""

from __future__ import annotations

import math

import numpy as np

from perftrack.core.judgement import Verdict
from perftrack.core.noise import LaneNoise, lane_noise
from perftrack.core.verdict import judge
from perftrack.store.rows import within_variance
from tests.publish.synthetic import Shape, SyntheticHistory

CHANGES = {Verdict.REGRESSION, Verdict.IMPROVEMENT}


def shares(commits: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Pairs, those with another verdict, and those with the opposite one."""
    steps = [{int(rng.integers(2, commits)): math.exp(rng.normal(0, 0.05))} for _ in range(40)]
    shapes = [
        Shape(f"k{i}", (), 1e-5 * (1 + i), (0.002, 0.006, 0.015)[i % 3], steps=s) for i, s in enumerate(steps)
    ]
    history = SyntheticHistory(commits, shapes, upgrade=None)
    pairs = other = opposite = 0
    for shape in shapes:
        measured = [history.measurement(shape, at) for at in range(commits)]
        values = [m.value or math.nan for m in measured]
        within = [within_variance(m) or 0.0 for m in measured]

        def noise(without: int, values: list[float] = values, within: list[float] = within) -> LaneNoise | None:
            kept = [at for at in range(commits) if at != without]
            return lane_noise([values[at] for at in kept], [within[at] for at in kept], [3] * len(kept))

        ours = noise(commits - 1)
        for after in range(commits):
            theirs = noise(after)
            for before in range(max(0, after - 3), after):
                page = judge(measured[before], measured[after], noise=ours).verdict
                command = judge(measured[before], measured[after], noise=theirs).verdict
                pairs += 1
                other += page is not command
                opposite += {page, command} == CHANGES
    return pairs, other, opposite


def main() -> None:
    rng = np.random.default_rng(7)
    print(f"{'runs':>5}{'pairs':>7}{'other verdict':>15}{'opposite':>10}")
    for commits in (9, 15, 40):
        pairs, other, opposite = shares(commits, rng)
        print(f"{commits:>5}{pairs:>7}{100 * other / pairs:>13.1f} %{opposite:>10}", flush=True)


if __name__ == "__main__":
    main()
