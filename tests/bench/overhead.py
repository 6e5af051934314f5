"""What a recording costs beside the work it times: 20 CPU benchmarks, three processes.

    python tests/bench/overhead.py [--repeat 3]

Prints the shares of the wall time that went into timed work, warm-up and everything else (starting
interpreters, importing, set-up, telemetry, statistics, storing).
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from perftrack.store import Store

BENCHMARKS = """
import perftrack as pt

DATA = list(range(20_000))


@pt.benchmark(params={"n": [100, 400, 1600, 6400, 20000], "work": ["sum", "sorted", "max", "set"]})
def builtin(n, work):
    function, data = {"sum": sum, "sorted": sorted, "max": max, "set": set}[work], DATA[:n]
    return lambda: function(data)
"""


def record(root: Path) -> tuple[float, float, float]:
    """Wall, timed and warm-up seconds of one recording."""
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "perftrack", "record", "--quiet"], cwd=root, check=True, capture_output=True
    )
    wall = time.perf_counter() - started
    store = Store(root / "perftrack.duckdb")
    run = store.run(store.runs()[0].id)
    timed = warm = 0.0
    for measurement in run.measurements:
        for process in measurement.processes:
            timed += sum(sum(w.samples) for w in process.windows) * process.inner_reps
            warm += process.warmup_s
    return wall, timed, warm


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "benchmarks").mkdir()
        (root / "benchmarks/bench_builtin.py").write_text(BENCHMARKS)
        git = ["git", "-C", str(root), "-c", "user.name=A", "-c", "user.email=a@example.org"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Start"]):
            subprocess.run([*git, *command], check=True)
        results = [record(root) for _ in range(options.repeat)]
    wall, timed, warm = (statistics.median(r[i] for r in results) for i in range(3))
    print(f"20 cases × 3 processes, median of {options.repeat}: {wall:.1f} s")
    for name, part in (("timed work", timed), ("warm-up", warm), ("everything else", wall - timed - warm)):
        print(f"  {name:<16}{part:7.2f} s  {100 * part / wall:5.1f} %")


if __name__ == "__main__":
    main()
