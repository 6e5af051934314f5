"""How long `perftrack detect` takes over many cases, start and store included, in processor seconds.

    python -m tests.bench.wholehistory [--cases 1000] [--commits 200]

Every case has heavy-tailed noise and a step of 3 % at one of ten commits.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.bench.lanes import heavy, lane, step
from tests.stored import made


def spent() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--commits", type=int, default=200)
    options = parser.parse_args()
    n = options.commits
    with tempfile.TemporaryDirectory() as folder:
        stored = made(Path(folder) / "project", "silence-days = 0\n")
        stored.commits(n)
        series = {}
        for case in range(options.cases):
            rng = np.random.default_rng((10_000, case))
            at = n // 4 + (case % 10) * n // 20
            series[f"bench_{case:04d}"] = lane(heavy(rng, n), 0.01, step(n, at, 1.03))
        stored.record_all(series)
        before, start = spent(), time.perf_counter()
        answer = stored.repo.run("detect", "--json", timeout=600)
        taken, wall = spent() - before, time.perf_counter() - start
        found = answer.document
        print(f"{options.cases} cases × {n} commits: {taken:.1f} s of processor time, {wall:.1f} s by the clock")
        print(f"exit {answer.code}, {len(found['changes'])} changes in {len(found['events'])} events")


if __name__ == "__main__":
    main()
