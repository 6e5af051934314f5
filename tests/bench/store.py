"""How fast the store takes runs and gives back history, on this machine.

    python -m tests.bench.store [--runs N] [--cases N] [--commits N]

Writes N runs one by one, each in its own transaction as `perftrack record` does, and reads one back.
Then copies one run over a history of many commits (inside DuckDB, to save time) and reads all series of
it. Prints rows per second, where a row is a measurement, a process or a window; a point is a measurement
in a series.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import duckdb

from perftrack.core.model import Case, Evidence, Measurement, ProcessSamples, Run, Window
from perftrack.store import Store
from tests.core.builders import measured
from tests.store import builders

PROCESSES, WINDOWS, SAMPLES = 3, 5, 20
Answer = TypeVar("Answer")

COPIES = """
INSERT INTO runs
SELECT * EXCLUDE (i)
    REPLACE (md5(i::VARCHAR)[:20] AS run_id, sha1(i::VARCHAR) AS sha, started_at_s + i AS started_at_s)
FROM (SELECT * FROM runs WHERE run_id = $run), range(1, $commits) t(i)
"""
COPIED = """
INSERT INTO measurements
SELECT * EXCLUDE (i) REPLACE (md5(i::VARCHAR)[:20] AS run_id, value * (1 + random() / 100) AS value)
FROM (SELECT * FROM measurements WHERE run_id = $run), range(1, $commits) t(i)
ORDER BY i, measurement_no
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--commits", type=int, default=2000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "perftrack.duckdb")
        runs = [large_run(options.cases, at) for at in range(options.runs)]
        write(store, runs)
        read(store, runs[-1])
        history(store, runs[0], options.commits)


def large_run(cases: int, at: int) -> Run:
    return builders.run(*(measurement(n, at) for n in range(cases)), at=at, sha=f"{at:040x}")


def measurement(n: int, at: int) -> Measurement:
    def samples(process: int, window: int) -> tuple[float, ...]:
        return tuple(
            round(1e-3 + 1e-9 * ((7 * i + 31 * window + 97 * process + at) % 9973), 9) for i in range(SAMPLES)
        )

    processes = tuple(
        ProcessSamples(p, tuple(Window(samples(p, w), Evidence((1980.0,), 4)) for w in range(WINDOWS)))
        for p in range(PROCESSES)
    )
    return measured(case=Case("work", (("n", n), ("dtype", "bf16"))), processes=processes, value=1e-3)


def rows_in(run: Run) -> int:
    return len(run.measurements) * (1 + PROCESSES + PROCESSES * WINDOWS)


def timed(work: Callable[[], Answer]) -> tuple[float, Answer]:
    start = time.perf_counter()
    answer = work()
    return time.perf_counter() - start, answer


def write(store: Store, runs: list[Run]) -> None:
    taken = sorted(timed(lambda run=run: store.add_run(run))[0] for run in runs)  # type: ignore[misc]
    median, rows = taken[len(taken) // 2], rows_in(runs[0])
    print(
        f"duckdb {duckdb.__version__}, {len(runs[0].measurements)} measurements of {PROCESSES} × {WINDOWS} windows"
    )
    samples = len(runs[0].measurements) * PROCESSES * WINDOWS * SAMPLES
    print(f"write  {median * 1e3:8.0f} ms a run   {rows / median:10,.0f} rows/s")
    print(f"       {samples / median:12,.0f} samples/s")
    print(f"file   {store.path.stat().st_size / 2**20:8.1f} MiB for {len(runs)} runs")


def read(store: Store, run: Run) -> None:
    taken, back = timed(lambda: store.run(run.id))
    assert back == run
    print(f"read   {taken * 1e3:8.0f} ms a run   {rows_in(run) / taken:10,.0f} rows/s")


def history(store: Store, run: Run, commits: int) -> None:
    with duckdb.connect(str(store.path)) as db:
        db.execute(COPIES, {"run": run.id, "commits": commits})
        db.execute(COPIED, {"run": run.id, "commits": commits})
    taken, found = timed(store.series)
    points = sum(len(s.points) for s in found)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(
        f"series {taken:8.2f} s for {len(found)} series   {points / taken:10,.0f} points/s   peak {peak:,.0f} MiB"
    )
    one, _ = timed(lambda: store.series(case=found[0].case.id))
    print(f"series {one * 1e3:8.0f} ms for one case of {len(found[0].points)} points")
    newest, _ = timed(lambda: store.measurements(run.sha))
    print(f"newest {newest * 1e3:8.0f} ms for the measurements of one commit")


if __name__ == "__main__":
    main()
